// SPDX-License-Identifier: MIT
// The boxes that a step works on, reads and writes, and the statements that bring data to the host before it is used
// there. The functions that run the step are in step_code.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/schedule/written_boxes.h"
#include "clgen/writer/writer.h"

namespace pb {

/// A box that a step function works on: `pb_box`, the box of its instances, or a box that it writes, if that is another
/// one.
struct StepBox {
  std::string name;
  std::string type;
  BoxBounds bounds;  ///< empty where the caller gives the box

  bool operator==(const StepBox&) const = default;
};
[[nodiscard]] std::vector<StepBox> step_boxes(const TransformPlan& plan, const RuleCode& code, StepId step);
void emit_boxes(Writer& out, const std::vector<StepBox>& boxes, bool may_change = false);
/// A box of a step that the CPU and a device may share, and the dimension along which it is cut in two parts.
struct BoxCut {
  StepBox box;
  std::size_t dim = 0;

  bool operator==(const BoxCut&) const = default;
};
/// Returns the cuts of a step's boxes, the box of its instances first; none if the step is not shared.
[[nodiscard]] std::vector<BoxCut> cuts_of(const TransformPlan& plan, const RuleCode& code, StepId step);
/// Returns the boxes that a step's functions take after their `step_args`: their names if `are_declared`, else their
/// initializers.
[[nodiscard]] std::vector<std::string> box_args(const TransformPlan& plan, const RuleCode& code, StepId step,
                                                bool are_declared);

/// Whether the step function gets its boxes from the caller. Steps of one rule can then share a function if they differ
/// only in their boxes.
[[nodiscard]] bool takes_boxes(const TransformPlan& plan, StepId step);
/// A matrix, or the part of it that lies in a box.
struct MatrixPart {
  std::string matrix;
  std::optional<std::string> box =
      std::nullopt;  ///< C++ of a pbrt::Box or a pbrt::BorderedBox; none: all of the matrix

  bool operator==(const MatrixPart&) const = default;
};
/// Returns the part as arguments of the runtime's functions: `C`, or `C, pb_box`.
[[nodiscard]] std::string to_cpp(const MatrixPart& part);
/// Returns the parts of a matrix that a step writes.
///
/// Pre: the step's `step_boxes` are in scope
[[nodiscard]] std::vector<MatrixPart> written_parts(const TransformPlan& plan, const RuleCode& code, StepId step,
                                                    MatrixId id);

/// What the host code of some instances reads and writes.
struct HostParts {
  struct Written {
    MatrixPart part;
    bool is_all = false;  ///< each cell of it gets a new value

    bool operator==(const Written&) const = default;
  };
  std::vector<std::string> whole;  ///< matrices that may be read anywhere
  std::vector<MatrixPart> read;    ///< parts of other matrices
  std::vector<Written> written;
  bool may_be_on_device = false;  ///< what is written may be on a device in the end, because the body calls transforms
  [[nodiscard]] bool is_empty() const { return whole.empty() && read.empty() && written.empty(); }

  bool operator==(const HostParts&) const = default;
};
/// Returns what all instances of a step read and write.
///
/// Pre: the step's `step_boxes` are in scope
[[nodiscard]] HostParts parts_of_step(const TransformPlan& plan, const RuleCode& code, StepId step);
/// Returns what the instances in the box named `box`, or some of them, read and write. The parts may be larger than
/// what the instances use. An empty name stands for any instances.
[[nodiscard]] HostParts parts_of_box(const RuleCode& code, const Step& step, const std::string& box);

/// Prints the announcements before these instances (runtime/gpu/launch.h).
void emit_arrivals(Writer& out, const HostParts& parts, const std::string& frame);
/// Prints the announcements after these instances (runtime/gpu/launch.h).
void emit_departures(Writer& out, const HostParts& parts, const std::string& frame);
/// Returns statements that begin to copy to the host what the CPU's part of a shared step reads, without waiting for
/// it. They stand before the launch of the device's part: copies that are requested later would wait for that launch.
/// `instances` is the name of the CPU's box.
[[nodiscard]] std::vector<std::string> fetches_of(const TransformPlan& plan, const RuleCode& code, StepId step,
                                                  const std::string& frame, const std::string& instances);

}  // namespace pb
