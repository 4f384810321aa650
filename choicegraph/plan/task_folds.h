// SPDX-License-Identifier: MIT
// Folds of a rule with one instance whose rounds are cut into chunks that run as tasks on the CPU. Such a rule has no
// other work for a second thread. choicegraph/passes makes the length of the chunks a tunable, clgen/lower says which
// of the folds are divided, and runtime/sched/loops/divided_folds.h runs them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb {

/// A fold whose rounds may be divided among tasks.
struct TaskFold {
  std::size_t fold = 0;     ///< index in Computation::folds
  bool has_loops = false;   ///< there are loops inside, so a round may take long
  bool is_rounded = false;  ///< divided, the result is rounded in another way

  bool operator==(const TaskFold&) const = default;
};

/// Returns the folds of the rule that may be divided: of folds inside each other the outermost one that fits. None of
/// them does if the rule has several instances, because these are divided.
[[nodiscard]] std::vector<TaskFold> find_task_folds(const Rule& rule, const Computation& computation);

/// Returns a description for `pbc --emit=lowered`: `its loop over i may run in chunks, sum in `s``.
[[nodiscard]] std::string to_words(const TaskFold& divided, const Fold& fold);

}  // namespace pb
