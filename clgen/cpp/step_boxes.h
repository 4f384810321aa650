// SPDX-License-Identifier: MIT
// The boxes that a step works on, reads and writes, and the statements that have data on the host where it is needed
// there. Not the functions that run the step, which are step_code.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// A box that a step function works on: of its instances, `pb_box`, or of what it writes, where that is another one.
struct StepBox {
  std::string name;
  std::string type;
  std::string initializer;  ///< `{{lo, …}, {hi, …}}`, dimension 0 first

  bool operator==(const StepBox&) const = default;
};
[[nodiscard]] std::vector<StepBox> step_boxes(const TransformPlan& plan, const RuleCode& code, StepId step);
void emit_boxes(Writer& out, const std::vector<StepBox>& boxes, bool may_change = false);
/// Where a step that a device and the CPU may share cuts its boxes, that of its instances first; empty: nobody shares
/// it.
struct BoxCut {
  StepBox box;
  std::size_t dim = 0;

  bool operator==(const BoxCut&) const = default;
};
[[nodiscard]] std::vector<BoxCut> cuts_of(const TransformPlan& plan, const RuleCode& code, StepId step);
/// The boxes that a step's functions take after their `step_args`, by their names or as they are.
[[nodiscard]] std::vector<std::string> box_args(const TransformPlan& plan, const RuleCode& code, StepId step,
                                                bool are_declared);

/// `{{lo, …}, {hi, …}}` of the step's loops, dimension 0 first.
[[nodiscard]] std::string box_initializer(const Step& step);
/// Whether the step function gets its boxes from the caller: others of the rule then differ in their boxes alone.
[[nodiscard]] bool takes_boxes(const TransformPlan& plan, StepId step);
/// A matrix, or what of it lies in a box.
struct MatrixPart {
  std::string matrix;
  std::optional<std::string> box =
      std::nullopt;  ///< C++ of a pbrt::Box or a pbrt::BorderedBox; none: all of the matrix

  bool operator==(const MatrixPart&) const = default;
};
/// As functions of the runtime take it: `C`, or `C, pb_box`.
[[nodiscard]] std::string to_cpp(const MatrixPart& part);
/// The parts of a matrix that a step writes. Its `step_boxes` are in scope.
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
  std::vector<MatrixPart> read;    ///< parts of others
  std::vector<Written> written;
  bool may_be_on_device = false;  ///< what is written, when all is done: the body calls transforms
  [[nodiscard]] bool is_empty() const { return whole.empty() && read.empty() && written.empty(); }

  bool operator==(const HostParts&) const = default;
};
/// Of all instances of a step. Its `step_boxes` are in scope.
[[nodiscard]] HostParts parts_of_step(const TransformPlan& plan, const RuleCode& code, StepId step);
/// Of the instances in the box of that name, or some of them; parts may be larger than what they use. An empty name: of
/// any.
[[nodiscard]] HostParts parts_of_box(const RuleCode& code, const Step& step, const std::string& box);

/// The announcements before and after these instances (launch.h).
void emit_arrivals(Writer& out, const HostParts& parts, const std::string& frame);
void emit_departures(Writer& out, const HostParts& parts, const std::string& frame);
/// Statements that make what the CPU's part of a shared step reads come to the host, without waiting for it: before
/// the device's part is launched, which would be waited for else. `instances`: the name of the CPU's box.
[[nodiscard]] std::vector<std::string> fetches_of(const TransformPlan& plan, const RuleCode& code, StepId step,
                                                  const std::string& frame, const std::string& instances);

}  // namespace pb
