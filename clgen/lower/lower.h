// SPDX-License-Identifier: MIT
// The lowered program holds the decisions between the Plan and the text of generated code. `lower` makes it once.
// clgen/cpp and clgen/opencl print it, and `pbc --emit=lowered` shows it.
#pragma once

#include <optional>
#include <vector>

#include "choicegraph/plan/checked_sums.h"
#include "choicegraph/plan/lane_loops.h"
#include "choicegraph/plan/loops/version_bands.h"
#include "choicegraph/plan/plan.h"
#include "choicegraph/plan/task_loops.h"
#include "clgen/lower/accesses/host_parts.h"
#include "clgen/lower/accesses/launch_regions.h"
#include "clgen/lower/accesses/step_boxes.h"
#include "clgen/lower/analysis/fast_views.h"
#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/rule_shapes.h"
#include "clgen/lower/analysis/written_lines.h"
#include "clgen/lower/launches/joint_launch.h"
#include "clgen/lower/launches/tile_launch.h"
#include "clgen/lower/launches/version_launch.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/loops/reads_ahead.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "clgen/lower/tree/loop_tree.h"
#include "lang/program.h"

namespace pb {

/// What must hold so that an input lies inside of its matrix in all instances of a launch.
struct InsideTest {
  std::size_t input;
  std::vector<IndexExpr> values;  ///< all are 0 or more; each has a value where those before it are

  bool operator==(const InsideTest&) const = default;
};

/// The kernel of a step in one device version.
struct LoweredKernel {
  KernelTree tree;
  std::vector<LaunchRegion> regions;  ///< what a launch announces, for each matrix of the kernel
  std::vector<InsideTest> inside;     ///< what a launch needs
};

/// One step, as it runs by itself.
struct LoweredStep {
  std::vector<StepBox> boxes;            ///< the boxes that the step's functions work on
  bool is_given_boxes = false;           ///< the step's functions get the boxes from the caller
  std::vector<BoxCut> cuts;              ///< how the CPU and a device share the boxes; empty: they share none
  std::vector<MatrixPart> fetched;       ///< what the CPU's part of a shared step reads
  CpuLoops loops;                        ///< empty if the step is the only member of a nest
  TreeBlock scanned;                     ///< the whole box as scans, where a call allows that; empty: there are none
  std::optional<FastViews> views;        ///< faster views for the loops; none: the loops have one version
  HostCare care = HostCare::Step;        ///< around what the host code announces its accesses
  HostParts hosted;                      ///< the accesses that the host code announces
  StepPieces pieces = StepPieces::None;  ///< how the step is cut into tasks
  bool has_tall_pieces = false;          ///< pieces are tall, because the loops run in strips
  std::vector<CellLine> lines;           ///< the parts of several cells that an instance writes, if `pieces` is Split
  std::vector<CellLine> read;            ///< the parts that an instance may read in loops, if `pieces` is Split
  std::vector<MatrixId> shared;          ///< inputs of which each instance may read its share, if `pieces` is Split
  /// The box of a slice, where a device runs the step in a launch per slice; none: it runs the step at once.
  std::optional<StepBox> slice;
  std::vector<LoweredKernel> kernels;  ///< one per device version of the step, the basic version first
};

/// One nest. Its members have the order of Nest::members.
struct LoweredNest {
  struct Member {
    CpuLoops loops;                  ///< the loops over a tile or a slice
    HostCare care = HostCare::Step;  ///< around what the host code announces its accesses
    HostParts hosted;                ///< the accesses that the host code announces
    std::optional<FastViews> views;  ///< faster views for the loops; none: the loops have one version
  };
  std::vector<Member> members;
  std::optional<VersionBands> bands = {};  ///< set if the CPU may make several versions band by band
};

/// Steps that run as one loop.
struct LoweredFused {
  TreeBlock loops;
  HostParts hosted;                ///< the accesses that the host code announces around all of the steps
  std::optional<FastViews> views;  ///< faster views for the loops; none: the loops have one version
};

/// One transform.
struct LoweredTransform {
  RuleShapes rules;
  Schedule schedule;
  Store<RuleId, std::vector<ReadsAhead>> reads_ahead;  ///< loops of each rule's body that request elements ahead
  Store<RuleId, std::vector<LaneLoop>> lanes;          ///< loops of each rule's body that run in lanes on the CPU
  Store<RuleId, std::vector<TaskLoop>> task_loops;     ///< loops of each rule's body that tasks divide on the CPU
  Store<StepId, LoweredStep> steps;
  std::vector<LoweredNest> nests;       ///< in the order of TransformPlan::nests
  std::vector<LoweredFused> fused;      ///< in the order of TransformPlan::fused
  std::vector<JointLaunch> launches;    ///< of joint groups, in the order of the schedule
  std::vector<VersionLaunch> versions;  ///< of nests that make versions, in the order of TransformPlan::nests
  std::vector<TiledSteps> bands;        ///< steps that may run in bands on the CPU, in the order of the readers
  std::vector<TileLaunch> tiles;        ///< of steps, with what they alone read; in the order of the readers
  std::vector<CheckedSum> sums;         ///< outputs that measurements hold to sums in wider numbers
};

/// The whole program.
struct LoweredProgram {
  bool has_kernels = false;                  ///< some step may run on a device
  std::vector<LoweredTransform> transforms;  ///< by TransformId
};

/// Returns the lowered program, verified. `packs` says whether any step may run on packs.
///
/// Pre: `plan` was made from `program`; both are verified
[[nodiscard]] LoweredProgram lower(const Program& program, const Plan& plan, PackUse packs);

}  // namespace pb
