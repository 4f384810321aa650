// SPDX-License-Identifier: MIT
// `pbtune check --outputs`: do all choices agree?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "autotuner/commands.h"
#include "autotuner/measure/interruption.h"
#include "autotuner/report/configuration_words.h"
#include "autotuner/report/progress.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/protocol.h"
#include "runtime/config/machine.h"

namespace pbtune {
namespace {

constexpr double kLimitMs = 10000;
/// A failing configuration runs so many times more, which tells how often it fails.
constexpr int kRepetitions = 10;
constexpr int kMaxTries = 40;

/// 0, 1, 2, odd, prime, 2^k and its neighbours, up to `max`.
std::vector<std::int64_t> awkward_sizes(std::int64_t max) {
  std::set<std::int64_t> sizes;
  for (const std::int64_t n : {0, 1, 2, 3, 5, 7, 13, 21, 53, 101, 211, 499, 997}) sizes.insert(n);
  for (std::int64_t n = 4; n <= max; n *= 4) sizes.insert({n - 1, n, n + 1});
  sizes.insert(max);
  std::erase_if(sizes, [&](std::int64_t n) { return n > max; });
  return {sizes.begin(), sizes.end()};
}

bool is_failure(OutcomeKind kind) {
  return kind == OutcomeKind::Wrong || kind == OutcomeKind::Crashed || kind == OutcomeKind::TimedOut ||
         kind == OutcomeKind::Error;
}

/// Whether an output has another size than that of the default configuration.
bool has_other_size(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::Wrong && outcome.message.find(pbrt::protocol::kHasTheSize) != std::string::npos;
}

/// The configuration with the values that these tunables have in another one.
Configuration with_values(Configuration configuration, const Configuration& from, const std::set<int>& tunables) {
  for (const int id : tunables)
    configuration.tunables[static_cast<std::size_t>(id)] = from.tunables[static_cast<std::size_t>(id)];
  return configuration;
}

struct Failure {
  std::int64_t n = 0;
  Configuration configuration;
  Outcome outcome;
};

class OutputCheck {
 public:
  explicit OutputCheck(const OutputCheckOptions& options)
      : options_(options),
        info_(info_of(options.run.program)),
        index_(info_),
        measurement_(index_, measure_options(options.run, false), throw_if_interrupted) {}

  int run();

 private:
  [[nodiscard]] std::vector<std::int64_t> sizes() const;
  std::optional<Failure> check_size(std::int64_t n);
  [[nodiscard]] Outcome try_one(const Configuration& configuration);
  [[nodiscard]] Configuration with_default(Configuration configuration, const std::set<int>& tunables) const;
  bool find_tunables_of_sizes(const Configuration& configuration);
  [[nodiscard]] bool is_by_accuracy(const Configuration& configuration, const Outcome& outcome);
  [[nodiscard]] int count_failures(const Configuration& configuration);
  [[nodiscard]] bool fails(const Configuration& configuration);
  Configuration reduced(Configuration configuration);
  void print_culprit(const Failure& failure);
  void describe(const Failure& failure);

  OutputCheckOptions options_;
  pbrt::TrainingInfo info_;
  InfoIndex index_;
  Measurement measurement_;
  bool has_device_ = false;
  int max_threads_ = 1;
  std::map<OutcomeKind, int> counts_;
  std::map<OutcomeKind, std::string> reasons_;  ///< the first of each kind
  int num_sizes_ = 0;
  int num_tries_ = 1;                  ///< after that many good runs a configuration counts as innocent
  std::set<int> of_sizes_;             ///< tunables of the program on which the sizes of outputs depend
  std::vector<std::string> unusable_;  ///< sizes at which the default configuration itself fails, and why
};

std::vector<std::int64_t> OutputCheck::sizes() const {
  if (!options_.run.cases[0].inputs.empty()) return {options_.max_n};
  return options_.run.n >= 0 ? std::vector<std::int64_t>{options_.run.n} : awkward_sizes(options_.max_n);
}

Outcome OutputCheck::try_one(const Configuration& configuration) {
  return measurement_.run(configuration, {1, kLimitMs, "random", false});
}

/// The configuration with the default values of these tunables.
Configuration OutputCheck::with_default(Configuration configuration, const std::set<int>& tunables) const {
  return with_values(std::move(configuration), pbrt::default_configuration(index_), tunables);
}

/// Finds the tunables of the program whose values in the configuration, each alone, give outputs of other sizes.
/// Returns whether there are new ones. Such a tunable says what the program computes, so it stays as it is.
bool OutputCheck::find_tunables_of_sizes(const Configuration& configuration) {
  const Configuration standard = pbrt::default_configuration(index_);
  const std::size_t num_before = of_sizes_.size();
  for (int id = 0; id < index_.num_tunables(); ++id) {
    const pbrt::TunableRole role = index_.tunable(id).tunable->role;
    if (role != pbrt::TunableRole::User && role != pbrt::TunableRole::Accuracy) continue;
    const Configuration candidate = with_values(standard, configuration, {id});
    if (candidate != standard && has_other_size(try_one(candidate))) of_sizes_.insert(id);
  }
  return of_sizes_.size() > num_before;
}

/// Whether a run lacked time or memory only because of the values of accuracy variables. Without a limit in the
/// program, any of their values is legal, however long it takes.
bool OutputCheck::is_by_accuracy(const Configuration& configuration, const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::TimedOut && outcome.kind != OutcomeKind::Error) return false;
  std::set<int> variables;
  for (int id = 0; id < index_.num_tunables(); ++id)
    if (index_.tunable(id).tunable->role == pbrt::TunableRole::Accuracy) variables.insert(id);
  const Configuration usual = with_default(configuration, variables);
  if (usual == configuration || is_failure(try_one(usual).kind)) return false;
  // A fault that comes and goes would show up with other choices alone.
  return is_failure(try_one(with_values(pbrt::default_configuration(index_), configuration, variables)).kind);
}

std::optional<Failure> OutputCheck::check_size(std::int64_t n) {
  const Prepared prepared = measurement_.prepare({n});
  if (prepared.status == PrepareStatus::Skipped) return std::nullopt;
  if (prepared.status != PrepareStatus::Ready) {
    unusable_.push_back(fmt::format("size {}: {}", n, prepared.message));
    return std::nullopt;
  }
  ++num_sizes_;
  for (int i = 0; i < options_.num_configurations; ++i) {
    const std::uint64_t seed = options_.run.seed + static_cast<std::uint64_t>(i);
    pbrt::RandomOptions random;
    random.max_n = std::max<std::int64_t>(2, n);
    random.allow_devices = has_device_;
    random.max_threads = max_threads_;
    Configuration configuration = with_default(pbrt::random_configuration(index_, seed, random), of_sizes_);
    Outcome outcome = try_one(configuration);
    if (has_other_size(outcome) && find_tunables_of_sizes(configuration)) {
      configuration = with_default(configuration, of_sizes_);
      outcome = try_one(configuration);
    }
    ++counts_[outcome.kind];
    reasons_.try_emplace(outcome.kind, outcome.message);
    if (is_failure(outcome.kind) && !is_by_accuracy(configuration, outcome)) return Failure{n, configuration, outcome};
  }
  return std::nullopt;
}

/// Runs the configuration kRepetitions times and returns how many of the runs fail. From that it sets how many good
/// runs show, with an error of one in ten thousand, that another configuration does not fail.
int OutputCheck::count_failures(const Configuration& configuration) {
  int count = 0;
  for (int i = 0; i < kRepetitions; ++i) count += is_failure(try_one(configuration).kind) ? 1 : 0;
  const double passes = 1 - (count + 0.5) / (kRepetitions + 1);  // never 0 nor 1
  num_tries_ = std::clamp(static_cast<int>(std::ceil(std::log(1e-4) / std::log(passes))), 3, kMaxTries);
  return count;
}

bool OutputCheck::fails(const Configuration& configuration) {
  for (int i = 0; i < num_tries_; ++i)
    if (is_failure(try_one(configuration).kind)) return true;
  return false;
}

/// Reduces a failing configuration to few changes of the default: each site and each value is set back if the
/// configuration still fails without it.
Configuration OutputCheck::reduced(Configuration configuration) {
  const Configuration standard = pbrt::default_configuration(index_);
  for (std::size_t id = 0; id < configuration.sites.size(); ++id) {
    Configuration candidate = configuration;
    candidate.sites[id] = standard.sites[id];
    if (candidate != configuration && pbrt::find_fault(index_, candidate).empty() && fails(candidate))
      configuration = candidate;
  }
  for (std::size_t id = 0; id < configuration.tunables.size(); ++id) {
    Configuration candidate = configuration;
    candidate.tunables[id] = pbrt::for_each_schedule(standard.tunables[id], candidate.tunables[id].size());
    if (candidate != configuration && fails(candidate)) configuration = candidate;
  }
  return configuration;
}

void OutputCheck::describe(const Failure& failure) {
  fmt::print("size {}: {}", failure.n, to_string(failure.outcome.kind));
  if (failure.outcome.kind == OutcomeKind::Wrong)
    fmt::print(" outputs, relative error {:.2g}", failure.outcome.max_error_rel);
  if (!failure.outcome.message.empty()) fmt::print(": {}", failure.outcome.message);
  fmt::print("\n");
  // A configuration that takes too long does so each time, so it is not run again.
  const int count =
      failure.outcome.kind == OutcomeKind::TimedOut ? kRepetitions : count_failures(failure.configuration);
  if (count < kRepetitions)
    fmt::print("  the same configuration failed in {} of {} more runs: chance has a part in it\n", count, kRepetitions);
  if (count < kRepetitions && fails(pbrt::default_configuration(index_)))
    fmt::print("  the default configuration fails at times, too: no choice is to blame\n");
  else if (count > 0)
    print_culprit(failure);
  if (failure.outcome.kind == OutcomeKind::Crashed)
    fmt::print("a program of `pbc --checked` stops at an index outside of its matrix and names the line\n");
}

void OutputCheck::print_culprit(const Failure& failure) {
  const Configuration culprit = reduced(failure.configuration);
  for (const std::string& line : differences(index_, pbrt::default_configuration(index_), culprit))
    fmt::print("  {}\n", line);
  for (const RanChoice& ran : failure.outcome.ran) {
    if (culprit.sites[static_cast<std::size_t>(ran.site)] ==
        pbrt::default_configuration(index_).sites[static_cast<std::size_t>(ran.site)])
      continue;
    const InfoIndex::SiteRef& ref = index_.site(ran.site);
    const pbrt::Choice choice = ref.site->choice(ran.alternative);
    for (const pbrt::AlternativeInfo& rule : ref.site->alternatives)
      if (rule.rule == choice.rule)
        fmt::print("  ran: rule {} of {} (line {}) on {}\n", rule.rule, ref.transform->name, rule.line,
                   to_string(choice.on));
  }
}

int OutputCheck::run() {
  check_names(options_.run, info_);
  has_device_ = !measurement_.start().device.empty();
  max_threads_ = pbrt::available_cpus() + 1;
  // Sizes grow, so the first failure is at the smallest size.
  for (const std::int64_t n : sizes()) {
    const std::size_t num_unusable = unusable_.size();
    const std::optional<Failure> failure = check_size(n);
    if (unusable_.size() > num_unusable) fmt::print(stderr, "note: {}\n", unusable_.back());
    if (!failure) continue;
    describe(*failure);
    return 1;
  }
  if (num_sizes_ == 0)
    throw pbrt::UserError(unusable_.empty() ? "the program has no inputs of any of the sizes tried"
                                            : "the default configuration fails at every size tried");
  std::size_t total = 0;
  for (const auto& [kind, count] : counts_) total += static_cast<std::size_t>(count);
  fmt::print("all choices agree: {} at {}, seed {}\n", count_text(total, "random configuration"),
             count_text(static_cast<std::size_t>(num_sizes_), "size"), options_.run.seed);
  for (const int id : of_sizes_)
    fmt::print("  {} stays as it is: sizes of outputs depend on it\n", index_.tunable_name(id));
  if (!unusable_.empty())
    fmt::print("  not checked: {} at which the default configuration itself fails\n",
               count_text(unusable_.size(), "size"));
  for (const auto& [kind, count] : counts_)
    if (kind != OutcomeKind::Ok)
      fmt::print("  {} x {}{}{}\n", count, to_string(kind), reasons_[kind].empty() ? "" : ", first: ", reasons_[kind]);
  return 0;
}

}  // namespace

int check_outputs(const OutputCheckOptions& options) {
  catch_signals();
  return OutputCheck(options).run();
}

}  // namespace pbtune
