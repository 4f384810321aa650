// SPDX-License-Identifier: MIT
// The lowered program: all that is decided between the Plan and the text. `lower` makes it once. clgen/cpp and
// clgen/opencl print it, and `pbc --emit=lowered` shows it.
#pragma once

#include <optional>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/accesses/host_parts.h"
#include "clgen/lower/accesses/launch_regions.h"
#include "clgen/lower/accesses/step_boxes.h"
#include "clgen/lower/analysis/fast_views.h"
#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/analysis/written_lines.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/loops/reads_ahead.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/lower/tree/loop_tree.h"
#include "lang/program.h"

namespace pb {

/// A step in a device version.
struct LoweredKernel {
  KernelTree tree;
  std::vector<LaunchRegion> regions;  ///< what a launch says of each matrix of the kernel
};

/// One step, as it runs by itself.
struct LoweredStep {
  std::vector<StepBox> boxes;            ///< those that its functions work on
  bool is_given_boxes = false;           ///< its functions get the boxes from the caller
  std::vector<BoxCut> cuts;              ///< how the CPU and a device share the boxes; empty: they do not
  std::vector<MatrixPart> fetched;       ///< what the CPU's part reads, if they share
  CpuLoops loops;                        ///< empty if the step is the only member of a nest
  std::optional<FastViews> views;        ///< views that its loops get where they may; none: one version of the loops
  HostCare care = HostCare::Step;        ///< where its host code announces accesses
  HostParts hosted;                      ///< what is announced there
  StepPieces pieces = StepPieces::None;  ///< how it is cut into tasks
  bool has_tall_pieces = false;          ///< its pieces are tall: its strips go across the rows
  std::vector<WrittenLine> lines;        ///< what an instance writes, if not single cells: pieces are cut by them
  std::vector<LoweredKernel> kernels;    ///< one per device version that it has, the basic one first
};

/// One nest. The members stand in the order of the Plan.
struct LoweredNest {
  struct Member {
    CpuLoops loops;  ///< over a tile or a slice
    HostCare care = HostCare::Step;
    HostParts hosted;  ///< what is announced around the step, a slice or point, or an instance, as `care` says
    std::optional<FastViews> views;
  };
  std::vector<Member> members;
};

/// Steps that run as one loop.
struct LoweredFused {
  TreeBlock loops;
  HostParts hosted;  ///< what is announced around all of them
  std::optional<FastViews> views;
};

struct LoweredTransform {
  RuleShapes rules;
  Schedule schedule;
  Store<RuleId, std::vector<ReadsAhead>> reads_ahead;  ///< loops of each rule's body that ask for elements ahead
  Store<StepId, LoweredStep> steps;
  std::vector<LoweredNest> nests;   ///< in the order of TransformPlan::nests
  std::vector<LoweredFused> fused;  ///< in the order of TransformPlan::fused
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
