// SPDX-License-Identifier: MIT
// Folds, maps and loops at computed or running places of a rule with one instance whose rounds are cut into chunks that
// run as tasks on the CPU. Such a rule has no other work for a second thread. choicegraph/passes makes the length of
// the chunks a tunable, clgen/lower says which of the loops are divided, and runtime/sched/loops/divided_folds.h runs
// them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "choicegraph/plan/computation.h"
#include "lang/program.h"

namespace pb {

/// A loop whose rounds may be divided among tasks.
struct TaskLoop {
  StmtId loop;                               ///< of a fold, a map or a scatter
  bool has_loops = false;                    ///< there are loops inside, so a round may take long
  bool is_rounded = false;                   ///< divided, the result is rounded in another way
  MapRegions apart = {};                     ///< of a map and a scatter: regions that must share no memory
  std::vector<Accumulator> bins = {};        ///< outputs of which each chunk updates cells of its own
  std::size_t num_running = 0;               ///< so many of its accumulators, the first ones, are running places
  std::vector<BranchedStore> branched = {};  ///< stores at these that need no branch
};

/// Returns the loops of the rule that may be divided, in the order of the text: of loops inside each other the
/// outermost one that fits. A map fits if no other loop is around it. None fits if the rule has several instances,
/// because these are divided.
[[nodiscard]] std::vector<TaskLoop> find_task_loops(const Rule& rule, const Computation& computation);

/// Returns a description for `pbc --emit=lowered`: `its loop over i may run in chunks, sum in `s``.
[[nodiscard]] std::string to_words(const TaskLoop& divided, const Fold& head);

}  // namespace pb
