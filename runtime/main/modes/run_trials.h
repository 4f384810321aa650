// SPDX-License-Identifier: MIT
// The runs of one invocation, and what is printed of them.
#pragma once

#include <vector>

#include "runtime/main/modes/session.h"

namespace pbrt {

/// Exit status of a run that was given up in file mode.
inline constexpr int kExitAborted = 66;

/// The results of the runs of one invocation.
struct Trials {
  std::vector<double> seconds;
  std::vector<double> accuracies;  ///< as the metric gives them; only with --accuracy
  RunReport last;
};

/// Runs --trials times. Runs of a measurement start from the same contents: the first one and those that --accuracy
/// judges of all matrices, others of those that a rule may read. Its first run does not count if it launched kernels:
/// drivers build and specialise them then. A run that --max-sec ends, ends the process.
///
/// Pre:     the session's configuration is open
/// Errors:  as Engine::run_or_recover
[[nodiscard]] Trials run_trials(const Session& session, const Problem& problem, bool is_measurement);

/// Prints what --time, --stats, --accuracy and --hash ask for. `problem` holds the outputs of the last run.
void print_results(const Session& session, const Problem& problem, const Trials& trials);

}  // namespace pbrt
