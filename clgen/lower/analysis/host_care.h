// SPDX-License-Identifier: MIT
// Decides where host code announces its accesses to the device side; runtime/gpu/launch.h states what must hold.
// Nothing may launch a kernel on the same cells between an announcement and the access that it is for. Instances that
// follow one another, of one step or of several steps in a nest, may do so as soon as one of them calls a transform,
// because the transform may run on a device, or because a device may run slices of one of the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

enum class HostCare : std::uint8_t {
  Step,   ///< around all instances of the step: no instance calls a transform, or none follows another
  Slice,  ///< around each slice of a nest, or each point of its tiles: other members call transforms, or instances side
          ///< by side, or a device runs slices
  Instance,  ///< around each instance
};

/// Returns the care for a step that is in no nest, or for the step that step_in_slices makes of a nest's member.
[[nodiscard]] HostCare care_of(const RuleShape& rule, const Step& step);
/// Returns the care for member `m` of a nest. `rules` has the rules of all members.
[[nodiscard]] HostCare care_in(const TransformPlan& plan, const Nest& nest, const std::vector<const RuleShape*>& rules,
                               std::size_t m);

}  // namespace pb
