// SPDX-License-Identifier: MIT
// The lowered program: all that is decided between the Plan and the text. `lower` makes it once. clgen/cpp and
// clgen/opencl print it, and `pbc --emit=lowered` shows it.
#pragma once

#include <cstddef>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/loops/reads_ahead.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/lower/tree/loop_tree.h"
#include "lang/program.h"

namespace pb {

/// One step, as it runs by itself.
struct LoweredStep {
  CpuLoops loops;                   ///< empty if the step is the only member of a nest
  HostCare care = HostCare::Step;   ///< where its host code announces accesses
  bool has_tall_pieces = false;     ///< its pieces for tasks are tall: its strips go across the rows
  std::vector<KernelTree> kernels;  ///< one per device version that it has, the basic one first
};

/// One nest. The members stand in the order of the Plan.
struct LoweredNest {
  struct Member {
    CpuLoops loops;  ///< over a tile or a slice
    HostCare care = HostCare::Step;
  };
  std::vector<Member> members;
};

struct LoweredTransform {
  Schedule schedule;
  Store<RuleId, std::vector<ReadsAhead>> reads_ahead;  ///< loops of each rule's body that ask for elements ahead
  Store<StepId, LoweredStep> steps;
  std::vector<LoweredNest> nests;  ///< in the order of TransformPlan::nests
  std::vector<TreeBlock> fused;    ///< the loops of TransformPlan::fused
};

struct LoweredProgram {
  bool has_kernels = false;
  std::vector<LoweredTransform> transforms;  ///< by TransformId
};

/// Returns the lowered program, verified. `packs` says whether any step may run on packs.
///
/// Pre: `plan` was made from `program`; both are verified
[[nodiscard]] LoweredProgram lower(const Program& program, const Plan& plan, PackUse packs);

}  // namespace pb
