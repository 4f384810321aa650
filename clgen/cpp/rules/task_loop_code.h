// SPDX-License-Identifier: MIT
// C++ of a fold or map that is divided among tasks (choicegraph/plan/task_loops.h,
// runtime/sched/loops/divided_folds.h). The user's loop becomes a function of the rounds that it runs and of the
// accumulators.
#pragma once

#include <string>

#include "choicegraph/plan/task_loops.h"
#include "clgen/cpp/rules/body_text.h"
#include "lang/program.h"

namespace pb {

/// The names of values that say how the folds of a rule run; empty: the rule does not need them.
struct FoldNames {
  std::string any_order;  ///< a truth value: folds may be added up in any order
  std::string chunk;      ///< how many rounds a task runs; 0: folds are not divided
};

/// Returns the text of the loop.
[[nodiscard]] TaskLoopText task_loop_text(const Rule& rule, const Fold& fold, const TaskLoop& divided,
                                          const FoldNames& names);

/// Returns what stands around a loop in checked programs that tests that no two of its stores meet.
[[nodiscard]] EnclosedLoopText distinct_loop_text(const Rule& rule, const Computation& computation,
                                                  const ScatterLoop& loop);

}  // namespace pb
