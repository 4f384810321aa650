// SPDX-License-Identifier: MIT
// C++ of the boxes that a step works on, and of the statements that bring data to the host before it is used there.
#pragma once

#include <string>
#include <vector>

#include "clgen/lower/accesses/host_parts.h"
#include "clgen/lower/accesses/read_boxes.h"
#include "clgen/lower/accesses/step_boxes.h"
#include "clgen/lower/lower.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns a pbrt::Box or a pbrt::BorderedBox, or the variable that holds the box.
[[nodiscard]] std::string to_cpp(const PartBox& box);
/// Returns the part as arguments of the runtime's functions: `C`, or `C, pb_box`.
[[nodiscard]] std::string to_cpp(const MatrixPart& part);
/// Returns the arguments of `pb_launch.input` for an input named `matrix`.
[[nodiscard]] std::string to_cpp(const KernelInput& input, const std::string& matrix);
/// Returns the type of the box: `pbrt::Box<2>`.
[[nodiscard]] std::string type_of(const StepBox& box);

/// Declares the boxes with their bounds.
void emit_boxes(Writer& out, const std::vector<StepBox>& boxes, bool may_change = false);
/// Returns the boxes that a step's functions take after their `step_args`: their names if `are_declared`, else their
/// initializers.
[[nodiscard]] std::vector<std::string> box_args(const LoweredStep& step, bool are_declared);

/// Prints the announcements before these instances (runtime/gpu/launch.h).
void emit_arrivals(Writer& out, const HostParts& parts, const std::string& frame);
/// Prints the announcements after these instances (runtime/gpu/launch.h).
void emit_departures(Writer& out, const HostParts& parts, const std::string& frame);
/// Prints statements that begin to copy the parts to the host, without waiting for it. They stand before the launch of
/// the device's part of a shared step: copies that are requested later would wait for that launch.
void emit_fetches(Writer& out, const std::vector<MatrixPart>& parts, const std::string& frame);

/// Opens the block in which the CPU runs a step that a device did not run, or whose results are compared with the
/// device's (runtime/gpu/check/step_check.h).
inline constexpr const char* kIfNotRun = "if (!pb_has_run || pb_check.has_results())";
/// Prints the statement that ends this block.
void emit_comparison(Writer& out, const std::string& frame);

}  // namespace pb
