// SPDX-License-Identifier: MIT
// Pass: which steps of a joint group a device runs in one launch: the inside of a matrix and its borders. A launch
// costs some microseconds, and for a small matrix no cell costs more.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/accesses/launch_regions.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/lower/schedule/step_schedule.h"
#include "lang/program.h"

namespace pb {

/// The launch of a step alone, in the basic version.
struct StepLaunch {
  KernelTree kernel;
  std::vector<LaunchRegion> regions;  ///< for each matrix of the kernel
  std::string box;                    ///< name of the box of the step's cells; empty: it has none, or several
  std::size_t cut_dim = 0;            ///< the dimension along which a device and the CPU share the step
};

/// One launch in place of several. It runs in those calls in which all of its steps run, on the whole of a device and
/// in the basic version, and their boxes make up a box. Each instance runs the rule of the step whose box holds it.
struct JointLaunch {
  /// What the launch says of a matrix of its kernel.
  struct Region {
    MatrixId matrix;
    bool is_output = false;
    std::optional<std::size_t> slab = {};  ///< the dimension along which each step reads a slab; none: it is all given

    bool operator==(const Region&) const = default;
  };

  std::vector<StepId> steps;    ///< in the order of the plan
  std::vector<CellDims> cells;  ///< which cells of the launch each of them makes
  /// What the steps' own launches say of the matrices of their kernels, in the order of `steps`.
  std::vector<std::vector<LaunchRegion>> of_steps;
  StepId main;                  ///< the main_step: its rule's tunables say the shape of the launch
  std::size_t cut_dim = 0;      ///< the dimension along which several devices share the launch
  KernelTree kernel;            ///< step and rule are those of `main`; without parts it is the steps' own
  std::vector<Region> regions;  ///< for each matrix of the kernel
};

/// Returns the launch of a group; none if fewer than two of its steps can share one. `launches` has the steps of the
/// transform that a device may share with the CPU.
[[nodiscard]] std::optional<JointLaunch> find_joint_launch(const Program& program, const TransformPlan& plan,
                                                           const std::map<StepId, StepLaunch>& launches,
                                                           const JointGroup& group);

}  // namespace pb
