// SPDX-License-Identifier: MIT
// Where the announcements of host code stand (the invariant of runtime/gpu/launch.h). What is between an announcement
// and the access that it is for must launch nothing of the same cells: instances that follow one another, of one step
// or of several in a nest, may do so as soon as one of them calls a transform, which may run on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/rule_shape.h"

namespace pb {

enum class HostCare : std::uint8_t {
  Step,   ///< around all instances of the step: none of those in between calls a transform, or none follows another
  Slice,  ///< around each slice of a nest, or each point of its tiles: other members call transforms, or instances side
          ///< by side
  Instance,  ///< around each instance
};

/// Of a step that is in no nest, and of all that run a nest's slices as such (`is_data_parallel` says whether those
/// inside do).
[[nodiscard]] HostCare care_of(const RuleShape& rule, const Step& step);
/// Of member `m` of a nest; `rules`: of its members.
[[nodiscard]] HostCare care_in(const TransformPlan& plan, const Nest& nest, const std::vector<const RuleShape*>& rules,
                               std::size_t m);
/// Whether some loops of the rule announce each instance: they need handles.
[[nodiscard]] bool announces_instances(const TransformPlan& plan, const RuleShape& rule);

}  // namespace pb
