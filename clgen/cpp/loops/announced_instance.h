// SPDX-License-Identifier: MIT
// Prints the announcements around one instance, for loops that announce every instance by itself
// (clgen/lower/analysis/host_care.h says what an announcement is).
#pragma once

#include <string>

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/rules/rule_code.h"

namespace pb {

/// Declares `pb_one`, the instance at the loops' variables, as a box.
void declare_one_instance(Writer& out, const Step& step);
/// Calls `emit`, which prints the instance at the loops' variables. Prints the announcements of `parts` before and
/// after it.
template <class Emit>
void emit_announced(Writer& out, const Step& step, const HostParts& parts, const Emit& emit) {
  if (parts.is_empty()) return emit();
  declare_one_instance(out, step);
  emit_arrivals(out, parts, "pb_frame");
  emit();
  emit_departures(out, parts, "pb_frame");
}

}  // namespace pb
