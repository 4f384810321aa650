// SPDX-License-Identifier: MIT
// C++ of announcements around one instance, where loops announce each (clgen/lower/host_care.h).
#pragma once

#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/step_boxes.h"

namespace pb {

/// Declares `pb_one`, the instance at the loops' variables, as a box.
void declare_one_instance(Writer& out, const Step& step);
/// `emit` prints the instance at the loops' variables; with announcements around it if it is to be announced.
template <class Emit>
void emit_announced(Writer& out, const RuleCode& code, const Step& step, bool is_announced, const Emit& emit) {
  if (!is_announced) return emit();
  const HostParts parts = parts_of_box(code, step, "pb_one");
  if (parts.is_empty()) return emit();
  declare_one_instance(out, step);
  emit_arrivals(out, parts, "pb_frame");
  emit();
  emit_departures(out, parts, "pb_frame");
}

}  // namespace pb
