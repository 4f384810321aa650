// SPDX-License-Identifier: MIT
// What the search needs from the world: inputs of a size, measured configurations, and how much time
// has passed. Implemented by measurement (a real program), by the journal (replay in front of it) and
// by synthetic costs in tests.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/statistics.h"

namespace pbtune {

enum class OutcomeKind : std::uint8_t { Ok, Wrong, AccuracyMissed, Aborted, Crashed, TimedOut, FellBack, Error };
[[nodiscard]] const char* to_string(OutcomeKind kind);
[[nodiscard]] bool parse_outcome_kind(const std::string& word, OutcomeKind& kind);

/// The result of one measurement. A crash, a hang, a wrong output are outcomes, not accidents.
struct Outcome {
  OutcomeKind kind = OutcomeKind::Error;
  Sample times_ns;  ///< of outputs that were verified, unless `kind` says otherwise
  double accuracy = 0;
  double max_error_rel = 0;
  std::vector<RanChoice> ran;
  std::string message;
  bool has_large_matrices = false;  ///< a matrix of the run was large enough for large pages
  /// Where there are several cases: the times of each. Then `times_ns` are their geometric means.
  std::vector<Sample> case_times_ns = {};
};

struct RunSpec {
  int trials = 1;
  double limit_ms = 0;           ///< limit per trial; 0: only that of the evaluator
  std::string what;              ///< for people: what is tried and why
  bool is_side_by_side = false;  ///< the run repeats a known configuration, for a comparison
  /// The run does not count for its time. It asks whether the configuration is accurate enough on other inputs, and for
  /// the other targets that it serves.
  bool is_confirmation = false;
};

enum class PrepareStatus : std::uint8_t { Ready, Skipped, Failed };
struct Prepared {
  PrepareStatus status = PrepareStatus::Failed;
  double reference_ns = 0;
  std::string message;  ///< why it is not ready; a warning if it is
};

struct Evaluator {
  /// Makes inputs of size `n` and the reference outputs; `trusted` may stand in for the default configuration in
  /// computing them (null: none known), when the default is hopelessly slow.
  std::function<Prepared(std::int64_t n, const Configuration* trusted)> prepare;
  std::function<Outcome(const Configuration&, const RunSpec&)> run;
  /// Makes other inputs of the same size, in other memory, and the reference outputs with a configuration. If that does
  /// not work, the inputs stay. Absent where there are no others.
  std::function<Prepared(const Configuration& reference)> renew{};
  /// Seconds since the search began, as of the end of the last prepare or run: never the clock itself, so
  /// that a search replayed from its journal takes the same decisions.
  std::function<double()> elapsed_s;
};

/// A clock: seconds since some beginning.
using Clock = std::function<double()>;

/// Thrown out of an evaluator when the user interrupts.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace pbtune
