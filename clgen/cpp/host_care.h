// SPDX-License-Identifier: MIT
// Where the announcements of host code stand (the invariant of runtime/gpu/launch.h). What is between an announcement
// and the access that it is for must launch nothing of the same cells: instances that follow one another, of one step
// or of several in a nest, may do so as soon as one of them calls a transform, which may run on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clgen/cpp/nest_code.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/step_boxes.h"

namespace pb {

enum class HostCare : std::uint8_t {
  Step,   ///< around all instances of the step: none of those in between calls a transform, or none follows another
  Slice,  ///< around each slice of a nest, or each point of its tiles: other members call transforms, or instances side
          ///< by side
  Instance,  ///< around each instance
};

/// Of a step that is in no nest, and of all that run a nest's slices as such (`is_data_parallel` says whether those
/// inside do).
[[nodiscard]] HostCare care_of(const RuleCode& code, const Step& step);
/// Of member `m` of a nest.
[[nodiscard]] HostCare care_in(const TransformPlan& plan, const Nest& nest, const std::vector<NestPart>& parts,
                               std::size_t m);
/// Whether some loops of the rule announce each instance: they need handles.
[[nodiscard]] bool announces_instances(const TransformPlan& plan, const RuleCode& code);

/// `const pbrt::Box<2> pb_one = {{…}, {…}};`: the instance at the loops' variables, as a box.
[[nodiscard]] std::string one_instance(const Step& step);
/// Announcements around `emit`, which prints the instance at the loops' variables; `care` of its step says whether it
/// needs them.
template <class Emit>
void emit_with_care(Writer& out, const RuleCode& code, const Step& step, HostCare care, const Emit& emit) {
  if (care != HostCare::Instance || step.loops.empty()) return emit();
  const HostParts parts = parts_of_box(code, step, "pb_one");
  if (parts.is_empty()) return emit();
  out.line(one_instance(step));
  emit_arrivals(out, parts, "pb_frame");
  emit();
  emit_departures(out, parts, "pb_frame");
}

}  // namespace pb
