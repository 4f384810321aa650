// SPDX-License-Identifier: MIT
// `pbtune compare`: runs two configurations of a program in turns, in one process, and says which is faster, by how
// much, and how sure that is.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "autotuner/commands.h"
#include "autotuner/measure/interruption.h"
#include "autotuner/report/progress.h"
#include "autotuner/search/in_turns.h"
#include "autotuner/tune/tune.h"
#include "runtime/config/errors.h"
#include "runtime/config/formats/config_file.h"

namespace pbtune {
namespace {

constexpr double kConfidence = 0.95;

std::string outcome_words(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::Ok:
      return "runs";
    case OutcomeKind::AccuracyMissed:
      return "misses the target of accuracy";
    case OutcomeKind::Wrong:
      return fmt::format("its outputs differ from the default's, relative error {:.2g}", outcome.max_error_rel);
    case OutcomeKind::Aborted:
      return "the program gives up";
    case OutcomeKind::Crashed:
      return "the program crashes";
    case OutcomeKind::TimedOut:
      return "the program does not end in time";
    case OutcomeKind::FellBack:
      return "what it chooses cannot run here";
    case OutcomeKind::Error:
      return "the program fails";
  }
  return "";
}

struct Side {
  std::string name;
  Configuration configuration;
  Sample times_ns{};
};

class Comparison {
 public:
  explicit Comparison(const CompareOptions& options)
      : options_(options),
        info_(info_of(options.run.program)),
        index_(info_),
        measurement_(index_, measure_options(options.run, options.is_resident), throw_if_interrupted) {}

  int run();

 private:
  [[nodiscard]] Side side_of(const std::string& path, const pbrt::Machine& machine) const;
  std::int64_t make_inputs();
  [[nodiscard]] Outcome measure(const Side& side);
  [[nodiscard]] bool measure_round(std::array<Side, 2>& sides, int round);
  void print(const std::array<Side, 2>& sides, std::int64_t n) const;

  CompareOptions options_;
  pbrt::TrainingInfo info_;
  InfoIndex index_;
  Measurement measurement_;
};

Side Comparison::side_of(const std::string& path, const pbrt::Machine& machine) const {
  return {path == kNoConfig ? "the default" : path, entry_named(path, index_, machine).configuration};
}

std::int64_t Comparison::make_inputs() {
  const bool has_files = !options_.run.cases[0].inputs.empty();
  const std::int64_t n = has_files ? measurement_.size_of_inputs() : options_.run.n;
  const Prepared prepared = measurement_.prepare({n});
  if (prepared.status != PrepareStatus::Ready) throw pbrt::UserError(fmt::format("size {}: {}", n, prepared.message));
  if (!prepared.message.empty()) fmt::print(stderr, "warning: {}\n", prepared.message);
  return n;
}

Outcome Comparison::measure(const Side& side) { return measurement_.run(side.configuration, {1, 0, side.name, true}); }

/// Measures both sides once; false if one of them does not run, or gives wrong outputs.
bool Comparison::measure_round(std::array<Side, 2>& sides, int round) {
  bool is_good = true;
  in_turns(sides, round, [&](Side& side) {
    if (!is_good) return;
    const Outcome outcome = measure(side);
    is_good = outcome.kind == OutcomeKind::Ok || outcome.kind == OutcomeKind::AccuracyMissed;
    if (is_good)
      side.times_ns.push_back(outcome.times_ns.at(0));
    else
      fmt::print("{}: {}{}\n", side.name, outcome_words(outcome),
                 outcome.message.empty() ? "" : ": " + outcome.message);
  });
  return is_good;
}

void Comparison::print(const std::array<Side, 2>& sides, std::int64_t n) const {
  const std::size_t rounds = sides[0].times_ns.size();
  fmt::print("at size {}, {} rounds in turns, medians:\n", n, rounds);
  const std::size_t width = std::max(sides[0].name.size(), sides[1].name.size());
  for (const Side& side : sides) fmt::print("  {:<{}}  {}\n", side.name, width, time_text(median(side.times_ns)));
  if (sides[0].configuration == sides[1].configuration)
    fmt::print("the two configurations are the same: what differs is the noise of this machine\n");
  const PairedRatio found = paired_ratio(sides[1].times_ns, sides[0].times_ns, kConfidence);
  if (found.lo > 1)
    fmt::print("{} is {:.3f} times as fast ({:.3f} to {:.3f} with 95 % confidence)\n", sides[0].name, found.ratio,
               found.lo, found.hi);
  else if (found.hi < 1)
    fmt::print("{} is {:.3f} times as fast ({:.3f} to {:.3f} with 95 % confidence)\n", sides[1].name, 1 / found.ratio,
               1 / found.hi, 1 / found.lo);
  else if (found.lo > 0)
    fmt::print("no difference is proven: {} takes {:.3f} to {:.3f} times as long as {} (95 % confidence)\n",
               sides[1].name, found.lo, found.hi, sides[0].name);
  else
    fmt::print("too few rounds to say more; give it {}\n",
               rounds == static_cast<std::size_t>(options_.num_rounds) ? "more --rounds" : "a longer --time-limit");
}

int Comparison::run() {
  check_names(options_.run, index_.info());
  const pbrt::Machine machine = pbrt::detect_machine(measurement_.start().devices);
  std::array<Side, 2> sides{side_of(options_.first, machine), side_of(options_.second, machine)};
  const std::int64_t n = make_inputs();
  // The first round does not count: memory is touched for the first time, kernels are built.
  if (!measure_round(sides, 0)) return 1;
  for (Side& side : sides) side.times_ns.clear();
  const Clock clock = wall_clock();
  for (int round = 0; round < options_.num_rounds; ++round) {
    if (round >= 1 && clock() > options_.time_limit_s) break;
    if (!measure_round(sides, round)) return 1;
  }
  print(sides, n);
  return 0;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  catch_signals();
  return Comparison(options).run();
}

}  // namespace pbtune
