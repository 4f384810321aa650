// SPDX-License-Identifier: MIT
// C++ of announcements around one instance, where loops announce each (clgen/lower/host_care.h).
#pragma once

#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/step_boxes.h"
#include "clgen/lower/host_care.h"

namespace pb {

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
