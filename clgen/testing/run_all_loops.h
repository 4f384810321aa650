// SPDX-License-Identifier: MIT
// Executes all lowered loops of a transform's CPU versions at random sizes. Not part of the compiler.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb::testing {

struct LoopRuns {
  std::map<std::string, int> forms;  ///< how often each form of loops occurred
  std::size_t num_runs = 0;
  std::string fault;  ///< what is wrong, or nothing
};

/// Runs the loops of each step, plain and on packs wherever these are legal, of steps that run as one loop, and of the
/// members of nests (run_loops.h), over boxes and tiles at sizes from 0 to before `max_size`. Stops at the first fault.
void run_all_loops(const Program& program, const TransformPlan& plan, std::int64_t max_size, std::mt19937_64& random,
                   LoopRuns& runs);

}  // namespace pb::testing
