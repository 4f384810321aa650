// SPDX-License-Identifier: MIT
// C++ of the launch that runs several steps of a joint group on a device (clgen/lower/launches/joint_launch.h).
#pragma once

#include <functional>
#include <string>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/launches/joint_launch.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the variable that holds the box of the launch; it is empty in calls that have none.
[[nodiscard]] std::string joint_box_name(const JointLaunch& launch);
/// Returns the name of the closure that runs the launch.
[[nodiscard]] std::string joint_closure_name(const JointLaunch& launch);

/// Declares the variable and the closure. If the launch does not work, the closure runs the steps by themselves, by
/// their closures (StepClosures). `piece_name` returns the name of a step's closure for a part of its box on the CPU,
/// which runs them where results are compared (runtime/gpu/check/step_check.h).
void emit_joint_launch(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                       const JointLaunch& launch, const std::function<std::string(StepId)>& piece_name);

}  // namespace pb
