// SPDX-License-Identifier: MIT
// Pass: which steps have a launch whose work-groups also compute temporaries, which then no launch stores
// (choicegraph/plan/launches/tiled_steps.h).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "choicegraph/plan/launches/tiled_steps.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/launches/joint_launch.h"
#include "clgen/lower/loops/kernel_tree.h"
#include "lang/program.h"

namespace pb {

/// A launch in place of those of a step and of the steps that make what only it reads. It runs in those calls in which
/// all of them run, on the whole of a device and in the basic version.
struct TileLaunch {
  TiledSteps steps;
  KernelTree kernel;  ///< step and rule are those of the reader
};

/// Returns the launch of a step; none if there is nothing that its work-groups may compute. `launches` has the steps of
/// the transform that a device may share with the CPU.
[[nodiscard]] std::optional<TileLaunch> find_tile_launch(const Program& program, const TransformPlan& plan,
                                                         const std::map<StepId, StepLaunch>& launches, StepId reader);

}  // namespace pb
