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

/// Runs the loops of each step, plain and wherever legal on packs, the loops of steps that run as one, and those of
/// members of nests (run_loops.h). Boxes and tiles are drawn at sizes from 0 to before `max_size`. The first fault is
/// kept.
void run_all_loops(const Program& program, const TransformPlan& plan, std::int64_t max_size, std::mt19937_64& random,
                   LoopRuns& runs);

}  // namespace pb::testing
