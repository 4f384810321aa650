// SPDX-License-Identifier: MIT
// What the search needs from the world: inputs of a size, measured configurations, and how much time
// has passed. Implemented by measurement (a real program), by the journal (replay in front of it) and
// by synthetic costs in tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/statistics.h"
#include "runtime/config/formats/device_costs.h"

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
  std::optional<pbrt::DeviceCosts> device_costs = {};  ///< of a profiled program, if a device took part
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

/// What made the reference outputs that runs are compared with.
enum class ReferenceMaker : std::uint8_t {
  Default,            ///< the default on one CPU thread
  DefaultInParallel,  ///< the default on all threads
  Trusted             ///< a configuration that agreed with the default at a smaller size
};

/// What outputs were compared with.
struct Verification {
  ReferenceMaker maker = ReferenceMaker::Default;
  std::int64_t agreed_n = 0;  ///< the size at which the maker agreed with the default, or was it
};

/// Inputs that are wanted, and what may make their reference outputs.
struct PrepareSpec {
  std::int64_t n = 0;
  /// Makes the reference outputs where the default is too slow; null: the default makes them on all threads then.
  const Configuration* trusted = nullptr;
  /// How long the default may take on one thread; 0: it is not asked. Only that of the evaluator unless it is less.
  double default_patience_s = HUGE_VAL;
  double patience_s = HUGE_VAL;  ///< the same for the inputs, and for the reference, whatever makes it
};

enum class PrepareStatus : std::uint8_t { Ready, Skipped, Failed, TooSlow };
struct Prepared {
  PrepareStatus status = PrepareStatus::Failed;
  double reference_ns = 0;
  std::string message;  ///< why it is not ready; a warning if it is
  ReferenceMaker maker = ReferenceMaker::Default;
};

struct Evaluator {
  /// Makes inputs and the reference outputs.
  std::function<Prepared(const PrepareSpec&)> prepare;
  std::function<Outcome(const Configuration&, const RunSpec&)> run;
  /// Makes other inputs of the same size, in other memory, and the reference outputs with a configuration. If that does
  /// not work, the inputs stay. Absent where there are no others.
  std::function<Prepared(const Configuration& reference)> renew{};
  /// Is told which configurations will probably be run next, soonest first, so that it can prepare for them. It takes
  /// no decision from it. Absent where nothing is to prepare.
  std::function<void(std::span<const Configuration>)> expect{};
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
