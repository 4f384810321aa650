// SPDX-License-Identifier: MIT
#include "autotuner/tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

#include "autotuner/measure/file_fingerprint.h"
#include "autotuner/measure/interruption.h"
#include "autotuner/measure/journal.h"
#include "autotuner/report/progress.h"
#include "autotuner/search/search.h"
#include "autotuner/trials/joint_evaluator.h"
#include "autotuner/tune/confirmation.h"
#include "autotuner/tune/device_losses.h"
#include "autotuner/tune/measurements.h"
#include "autotuner/tune/notices.h"
#include "autotuner/tune/result_file.h"
#include "autotuner/tune/result_words.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/configuration_text.h"

namespace pbtune {
namespace {

constexpr std::int64_t kSizeIfUnknown = 1024;

SearchOptions options_of(const TuneOptions& options, const pbrt::TrainingInfo& info) {
  SearchOptions out = search_options(options.effort, options.time_limit_s, options.run.seed);
  out.has_pure_starts = !is_recursive(info);
  return out;
}

/// One run of the command. Its parts stand in the order in which they are made. The target being tuned is the one after
/// those that have results.
class Session {
 public:
  Session(const TuneOptions& options, Clock clock)
      : options_(options),
        clock_(std::move(clock)),
        info_(info_of(options.run.program)),
        index_(info_),
        targets_(targets_of(info_)),
        progress_(options.is_quiet, std::chrono::steady_clock::now()),
        search_options_(options_of(options, info_)),
        file_(options.output.empty() ? options.run.program + ".cfg" : options.output, index_),
        measurements_(
            options_, index_, targets_,
            [this] {
              progress_.tick();
              throw_if_interrupted();
              if (last_word_end_ && std::chrono::steady_clock::now() > *last_word_end_) throw Interrupted();
            },
            [this](int num_kernels) { progress_.note_kernels(num_kernels); }),
        notices_(index_, options.run.seed,
                 {[this](const std::string& text, bool is_important) { progress_.say(text, is_important); },
                  [this](const std::string& text) { journal_->add_note(text); }}) {}

  int run();

 private:
  void meet_program();
  void choose_sizes();
  [[nodiscard]] Space make_space() const;
  void find_starting_points();
  void open_journal();
  [[nodiscard]] CaseEvaluator case_evaluator(std::size_t case_id);
  [[nodiscard]] std::int64_t size_of(std::size_t case_id, std::int64_t n) const;
  [[nodiscard]] PrepareSpec inputs_like_those_at_hand(std::size_t case_id) const;
  void join_cases();
  [[nodiscard]] Evaluator live_evaluator();
  void note_load();
  [[nodiscard]] Outcome confirm_elsewhere(const Configuration& configuration, const RunSpec& spec);
  [[nodiscard]] SearchEvents events();
  [[nodiscard]] std::vector<NamedConfiguration> starting_points() const;
  [[nodiscard]] std::optional<int> tune_target(const Evaluator& evaluator, double budget_s);
  void explain_devices(SearchResult& result);
  void add_result(const SearchResult& result);
  bool save(std::span<const SearchResult> results);
  void confirm_after_interruption(Search& search);
  [[nodiscard]] int stop_early(const Search& search, const std::string& why, int status);
  [[nodiscard]] std::size_t current() const { return results_.size(); }

  const TuneOptions options_;
  Clock clock_;
  const pbrt::TrainingInfo info_;
  const InfoIndex index_;
  const std::vector<Target> targets_;
  Progress progress_;
  SearchOptions search_options_;
  ResultFile file_;
  Measurements measurements_;
  Notices notices_;
  TunedMachine machine_;
  std::vector<NamedConfiguration> known_;  // starting points from before
  std::optional<Journal> journal_;
  std::optional<JointEvaluator> joint_;   // of the target being tuned
  std::vector<SearchResult> results_;     // results of the targets tuned so far
  PrepareSpec at_hand_{};                 // how the inputs at hand were made
  std::optional<Configuration> trusted_;  // what it refers to
  bool is_saved_ = false;
  bool is_unsaved_ = false;                                             ///< the file could not be written
  std::optional<std::chrono::steady_clock::time_point> last_word_end_;  ///< of the confirmation after an interruption
};

void Session::meet_program() {
  for (const std::string& line : file_.warnings()) progress_.say("warning: " + line, true);
  measurements_.set_budget(search_options_.budget_s);
  machine_ = machine_of(measurements_.of({}).start(), options_.run.device);
  std::string line = fmt::format("{}: tuning for {}", info_.program, describe(machine_.machine));
  if (!machine_.has_device) line += ", no OpenCL device in use";
  progress_.say(line);
}

/// Sizes grow for cases with generated inputs. Those with files, or whose sizes are all fixed, take part at the last
/// size. It is that of the largest of several cases, so that cut-offs between them are found.
void Session::choose_sizes() {
  const std::vector<ProblemCase>& cases = options_.run.cases;
  std::int64_t largest_n = -1;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (cases[k].inputs.empty()) {
      search_options_.sizes =
          growing_sizes(options_.run.n, options_.effort == Effort::Quick ? 4 : 2, is_recursive(info_));
      if (cases.size() > 1 && fixes_all_of(cases[k], find_transform(info_, info_.main)->sizes))
        for (const auto& size : cases[k].sizes) largest_n = std::max(largest_n, size.second);
      continue;
    }
    const std::int64_t n = measurements_.size_of_inputs(k);
    largest_n = std::max(largest_n, n >= 0 ? n : kSizeIfUnknown);
  }
  if (search_options_.sizes.empty()) search_options_.sizes = {largest_n};
  search_options_.sizes.back() = std::max(search_options_.sizes.back(), largest_n);
}

Space Session::make_space() const {
  SpaceOptions space;
  space.has_device = machine_.has_device;
  space.num_devices = machine_.num_devices;
  space.is_recursive = is_recursive(info_);
  space.has_large_pages = pbrt::has_large_pages_on_request();
  space.max_threads = machine_.machine.cpus;
  space.fixed_threads = options_.threads;
  space.target_n = search_options_.sizes.back();
  space.transforms = transforms_tuned_with(targets_, current());
  if (targets_[0].reached.empty()) space.transforms.clear();
  space.measured = targets_[current()].transform;
  space.accuracy = targets_[current()].accuracy;
  for (const ProblemCase& one : options_.run.cases)
    if (one.inputs.empty()) space.cases.push_back(one.sizes);
  if (!results_.empty()) {
    space.has_globals = is_main_of_bins(targets_, current());
    space.base = results_.back().best;
  }
  return {index_, space};
}

void Session::find_starting_points() {
  std::optional<NamedConfiguration> before = file_.starting_point(machine_.machine);
  if (!before) return;
  make_space().fit(before->configuration);
  known_.push_back(std::move(*before));
}

/// The configurations that a search starts from: those known from before; for all but the first target, the result of
/// the target before it.
std::vector<NamedConfiguration> Session::starting_points() const {
  if (results_.empty()) return known_;
  const std::string& before = targets_[current() - 1].transform;
  NamedConfiguration copied{"the values of " + before, results_.back().best};
  copy_values(index_, before, targets_[current()].transform, copied.configuration);
  return {copied};
}

void Session::open_journal() {
  JournalHeader header;
  header.tuner = kTunerVersion;
  header.program = info_.program;
  header.source = info_.source;
  header.machine = describe(machine_.machine);
  header.executable = file_fingerprint(options_.run.program);
  for (const ProblemCase& one : options_.run.cases)
    for (const std::string& path : one.inputs) header.inputs.push_back(file_fingerprint(path));
  header.arguments = journal_arguments(options_);
  header.seed = options_.run.seed;
  for (const NamedConfiguration& known : known_) {
    header.known.push_back(pbrt::to_json(index_, known.configuration, -1));
    header.is_known_incumbent = known.is_incumbent;
  }
  const std::string path = file_.path() + ".journal";
  journal_.emplace(path, index_, header);
  if (!journal_->note().empty()) progress_.say("note: " + journal_->note(), true);
  if (journal_->num_replayable() == 0) return;
  progress_.say(fmt::format("resuming: {} measurements are in {}", journal_->num_replayable(), path), true);
  // This search may have rewritten the file, but after a resumption it must start from the same configurations as
  // before.
  known_.clear();
  for (const std::string& text : journal_->header().known) {
    pbrt::ConfigWarnings warnings;
    known_.push_back(
        {kBefore, pbrt::parse_configuration(text, path, index_, warnings), journal_->header().is_known_incumbent});
  }
}

/// The size of a case's generated inputs at size `n` of the search: files may be larger than they.
std::int64_t Session::size_of(std::size_t case_id, std::int64_t n) const {
  const bool has_files = !options_.run.cases[case_id].inputs.empty();
  return has_files || options_.run.n < 0 ? n : std::min(n, options_.run.n);
}

CaseEvaluator Session::case_evaluator(std::size_t case_id) {
  CaseEvaluator out;
  out.name = case_names(options_.run.cases)[case_id];
  const std::vector<std::string>& variables = find_transform(info_, targets_[current()].transform)->sizes;
  out.has_sizes = options_.run.cases[case_id].inputs.empty() && !fixes_all_of(options_.run.cases[case_id], variables);
  const MeasuredProblem problem{current(), case_id, 0};
  out.prepare = [this, problem](PrepareSpec spec) {
    spec.n = size_of(problem.case_id, spec.n);
    return measurements_.of(problem).prepare(spec);
  };
  out.run = [this, problem](const Configuration& configuration, const RunSpec& spec) {
    return measurements_.of(problem).run(configuration, spec);
  };
  out.renew = [this, problem](const Configuration& reference) { return measurements_.of(problem).renew(reference); };
  out.expect = [this, problem](std::span<const Configuration> next) { measurements_.of(problem).expect(next); };
  return out;
}

/// Makes one evaluation of the cases of the current target.
void Session::join_cases() {
  std::vector<CaseEvaluator> cases;
  for (std::size_t k = 0; k < options_.run.cases.size(); ++k) cases.push_back(case_evaluator(k));
  joint_.emplace(std::move(cases), search_options_.sizes.back(), targets_[current()].accuracy.higher_is_better);
}

Evaluator Session::live_evaluator() {
  Evaluator live;
  live.prepare = [this](const PrepareSpec& spec) {
    Prepared prepared = joint_->prepare(spec);
    notices_.note_prepared(prepared);
    at_hand_ = spec;
    if (prepared.maker != ReferenceMaker::Default) at_hand_.default_patience_s = 0;  // it was too slow
    trusted_.reset();
    if (spec.trusted != nullptr) trusted_ = *spec.trusted;
    at_hand_.trusted = trusted_ ? &*trusted_ : nullptr;
    return prepared;
  };
  live.run = [this](const Configuration& configuration, const RunSpec& spec) {
    Outcome outcome = spec.is_confirmation ? confirm_elsewhere(configuration, spec) : joint_->run(configuration, spec);
    note_load();
    notices_.note_trouble(journal_->trouble());
    return outcome;
  };
  live.renew = [this](const Configuration& reference) {
    Prepared prepared = joint_->renew(reference);
    notices_.note_prepared(prepared);
    return prepared;
  };
  live.expect = [this](std::span<const Configuration> configurations) { joint_->expect(configurations); };
  live.elapsed_s = [] { return 0.0; };
  return live;
}

/// Inputs of the same size, whose reference is made in the same way.
PrepareSpec Session::inputs_like_those_at_hand(std::size_t case_id) const {
  PrepareSpec out = at_hand_;
  out.n = size_of(case_id, at_hand_.n);
  return out;
}

void Session::note_load() {
  double total_ns = 0, waited_ns = 0;
  for (std::size_t k = 0; k < options_.run.cases.size(); ++k) {
    const Measurement& measurement = measurements_.of({current(), k, 0});
    total_ns += measurement.total_ns();
    waited_ns += measurement.waited_ns();
  }
  notices_.note_load(total_ns, waited_ns);
}

/// Tests a configuration on other inputs, for all cases that have others: files are what they are.
Outcome Session::confirm_elsewhere(const Configuration& configuration, const RunSpec& spec) {
  constexpr int kNumVariants = 3;
  const auto run = [this](std::size_t target, int variant, const Configuration& one, const RunSpec& how) {
    std::vector<Outcome> outcomes;
    for (std::size_t k = 0; k < options_.run.cases.size(); ++k)
      if (variant == 0 || options_.run.cases[k].inputs.empty())
        outcomes.push_back(measurements_.run_on({target, k, variant}, inputs_like_those_at_hand(k), one, how));
    return joined(outcomes, targets_[target].accuracy.higher_is_better);
  };
  const bool has_others = std::any_of(options_.run.cases.begin(), options_.run.cases.end(),
                                      [](const ProblemCase& one) { return one.inputs.empty(); });
  return confirm({index_, targets_, results_, has_others ? kNumVariants : 0, run}, configuration, spec);
}

SearchEvents Session::events() {
  SearchEvents out;
  out.on_state = [this](const SearchState& state) { progress_.set_state(state); };
  out.on_trying = [this](const std::string& what) { progress_.set_trying(what); };
  out.on_note = [this](const std::string& text) { notices_.note(text); };
  out.on_failed = [this](const Candidate& candidate, const Outcome& outcome, bool is_wrong_but_fast) {
    notices_.note_failed(candidate, outcome, is_wrong_but_fast);
  };
  return out;
}

/// Writes the last of the results, unless the file has what is known better. If that does not work, prints it, so that
/// the person can put it into a file. Returns whether the file has it.
bool Session::save(std::span<const SearchResult> results) {
  if (file_.knows_better(machine_.machine, results)) return false;
  pbrt::ConfigEntry entry = entry_of(options_, machine_, search_options_.sizes, index_, targets_, results);
  const Configuration chosen = entry.configuration;
  try {
    file_.save(std::move(entry));
  } catch (const pbrt::RuntimeError& error) {
    is_unsaved_ = true;
    progress_.say(fmt::format("error: {}; what was found follows, for a file that --config names", error.what()), true);
    fmt::print("{}\n", pbrt::to_short_file(index_, chosen));
  }
  return !is_unsaved_;
}

/// Measures what the sites that the result has on the CPU cost on a device, as far as there is time. Whatever goes
/// wrong with it, the result is as good.
void Session::explain_devices(SearchResult& result) {
  constexpr double kShare = 0.05, kLeastS = 3, kSlowest = 4;
  using Seconds = std::chrono::duration<double>;
  const auto begin = std::chrono::steady_clock::now();
  const double most_s = std::max(kLeastS, kShare * search_options_.budget_s);
  std::unique_ptr<Measurement> profiled;
  bool is_over = options_.run.cases.size() > 1;  // the times of several cases are means, which have no parts
  const auto run = [&](const DeviceAttempt& attempt) -> Outcome {
    const double left_s = most_s - Seconds(std::chrono::steady_clock::now() - begin).count();
    // The first trial builds kernels; the second one is timed.
    if (is_over || 2 * attempt.time_ns * 1e-9 > left_s) return {};
    progress_.set_trying("profiling what ran on the device");
    try {
      if (profiled == nullptr) {
        profiled = measurements_.profiled({current(), 0, 0});
        PrepareSpec inputs;
        inputs.n = size_of(0, result.n);
        inputs.patience_s = left_s;
        is_over = profiled->prepare(inputs).status != PrepareStatus::Ready;
      }
      if (is_over) return {};
      return profiled->run(attempt.configuration, {1, limit_ms(attempt.time_ns, kSlowest), "profiled"});
    } catch (const std::runtime_error&) {  // also an interruption: what was found is written
      is_over = true;
      return {};
    }
  };
  result.device_losses = device_losses(index_, result, run);
}

/// Keeps what was found for a target, and says so if it misses the target.
void Session::add_result(const SearchResult& result) {
  const Target& target = targets_[current()];
  results_.push_back(result);
  measurements_.set_reference(result.best);
  // The results of the first bins are worth little without the others, so only an interruption writes them.
  if (results_.size() == targets_.size()) is_saved_ = save(results_);
  progress_.finish();
  if (!options_.is_quiet)
    for (const std::string& line : result_lines(options_, index_, target, has_bins(targets_), machine_.device, result))
      fmt::print("{}\n", line);
  if (!result.meets_accuracy)
    notices_.warn(target.transform + ": no configuration that was found is accurate enough" +
                  accuracy_words(target, result));
}

/// Compares what was found with the default for a short time, so that what is written is confirmed. A second
/// interruption ends that at once.
void Session::confirm_after_interruption(Search& search) {
  constexpr double kSeconds = 8;
  constexpr std::chrono::seconds kMost{10};
  const bool is_by_key = forget_interruption();
  const bool has_claim = search.has_result() && !search.best_so_far().is_confirmed;
  if (!is_by_key || !has_claim || file_.has_finished_entry(machine_.machine)) return;
  progress_.say(fmt::format("interrupted: what was found is compared with the default, at most {} s; Ctrl-C again ends "
                            "at once",
                            kMost.count()),
                true);
  journal_->stop_recording();
  last_word_end_ = std::chrono::steady_clock::now() + kMost;
  try {
    search.confirm_best(kSeconds);
  } catch (const Interrupted&) {
  } catch (const pbrt::RuntimeError& error) {
    progress_.say(std::string("note: ") + error.what(), true);
  }
  last_word_end_.reset();
}

/// Ends the run after an interruption, or if the program is gone. Writes what is known, and tells the person what to
/// do.
int Session::stop_early(const Search& search, const std::string& why, int status) {
  progress_.finish();
  std::vector<SearchResult> all = results_;
  if (search.has_result())
    all.push_back(search.best_so_far());
  else if (!all.empty())
    all.back().is_complete = false;
  if (file_.has_finished_entry(machine_.machine) || file_.knows_better(machine_.machine, all)) {
    progress_.say(fmt::format("{}: {} keeps the configuration of before", why, file_.path()), true);
  } else if (!all.empty()) {
    const std::string what =
        search.has_result() ? "the best so far (" + gain_words(all.back()) + ")" : "what was tuned so far";
    if (save(all)) progress_.say(fmt::format("{}: {} is in {}", why, what, file_.path()), true);
  } else {
    progress_.say(why + ": nothing was measured yet, nothing is written", true);
  }
  progress_.say("run the same command again to go on where it stopped", true);
  return status;
}

/// Tunes the current target. Returns the exit status if the run ends with it early.
std::optional<int> Session::tune_target(const Evaluator& evaluator, double budget_s) {
  const Space space = make_space();
  join_cases();
  const double elapsed_s = evaluator.elapsed_s();
  search_options_.budget_s =
      elapsed_s + std::max(0.0, budget_s - elapsed_s) / static_cast<double>(targets_.size() - current());
  measurements_.set_budget(search_options_.budget_s);
  Search search(space, search_options_, evaluator, events(), starting_points());
  progress_.say(fmt::format("{}{}{} and {} to choose, seed {}, at most {}",
                            has_bins(targets_) ? targets_[current()].transform + ": " : "",
                            options_.run.cases.size() > 1 ? count_text(options_.run.cases.size(), "case") + ", " : "",
                            count_text(space.sites().size(), "site"), count_text(space.tunables().size(), "value"),
                            options_.run.seed, limit_text(search_options_.budget_s - elapsed_s)));
  SearchResult result;
  try {
    result = search.run();
  } catch (const Interrupted&) {
    confirm_after_interruption(search);
    return stop_early(search, "interrupted", kExitInterrupted);
  } catch (const pbrt::IoError& error) {
    return stop_early(search, error.what(), 1);
  } catch (const pbrt::ConfigError& error) {
    return stop_early(search, error.what(), 1);
  }
  explain_devices(result);
  add_result(result);
  return std::nullopt;
}

int Session::run() {
  check_names(options_.run, info_);
  meet_program();
  choose_sizes();
  find_starting_points();
  open_journal();
  const Evaluator evaluator = journal_->recording(live_evaluator(), clock_);
  const double budget_s = search_options_.budget_s;
  while (current() < targets_.size())
    if (const std::optional<int> status = tune_target(evaluator, budget_s)) return *status;
  if (is_unsaved_) return 1;  // the same command replays the journal and writes again
  journal_->mark_done(fingerprint(index_, results_.back().best));
  if (options_.is_quiet) return 0;
  if (notices_.num_wrong_but_fast() > 0)
    fmt::print("{} fast but wrong configurations were rejected\n", notices_.num_wrong_but_fast());
  if (is_saved_)
    fmt::print("written to {}\n", file_.path());
  else
    fmt::print("{} keeps the configuration of before and what is known of it: this search proved nothing better\n",
               file_.path());
  return 0;
}

}  // namespace

Clock wall_clock() {
  return [begin = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
}

int tune(const TuneOptions& options, const Clock& clock) {
  catch_signals();
  return Session(options, clock).run();
}

}  // namespace pbtune
