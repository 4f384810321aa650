// SPDX-License-Identifier: MIT
// Runs a launch whose results are compared with the CPU's (step_check.h). Used by RunContext.
#pragma once

#include "runtime/gpu/check/check_rules.h"
#include "runtime/gpu/check/step_check.h"
#include "runtime/gpu/launch.h"

namespace pbrt::gpu {

/// Runs the launch as Launch::run does, and keeps its results aside for `check`. Cells that the kernel may read have
/// their earlier contents again afterwards.
///
/// Pre:     the launch's device has a DeviceCheck
/// Errors:  as Launch::run
/// Threads: the fiber of the launch
[[nodiscard]] bool run_checked(Launch& launch, StepCheck& check, const CheckRules& rules);

}  // namespace pbrt::gpu
