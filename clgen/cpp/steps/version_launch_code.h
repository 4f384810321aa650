// SPDX-License-Identifier: MIT
// C++ of the launches that make versions of a temporary and run all steps of its nest (VersionLaunch).
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/steps/dispatch_code.h"
#include "clgen/lower/launches/version_launch.h"
#include "clgen/lower/tree/condition.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Declares `pb_launches` (runtime/gpu/versions/version_launches.h) and the closure `pb_launch_versions`, which makes
/// some versions. `runs` says when each step of the nest runs. `frame` is the frame of the nest.
///
/// Pre: `pb_versions_of_T` and `pb_rows` of the nest's code are in scope
void emit_version_launches(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                           const VersionLaunch& launch, const std::vector<Condition>& runs, const std::string& frame);

}  // namespace pb
