// SPDX-License-Identifier: MIT
// What the host code of a step reads and writes, which it announces to the device side (runtime/gpu/launch.h).
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/accesses/part_box.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

/// Returns the parts of a matrix that a step writes.
///
/// Pre: the step's `step_boxes` are in scope
[[nodiscard]] std::vector<MatrixPart> written_parts(const TransformPlan& plan, const RuleShape& rule, StepId step,
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
[[nodiscard]] HostParts parts_of_step(const TransformPlan& plan, const RuleShape& rule, StepId step);
/// The variables of generated code that hold one instance and a slice of a nest, as boxes.
inline constexpr const char* kOneInstance = "pb_one";
inline constexpr const char* kSlice = "pb_slice";
/// Returns what the instances in the box named `box`, or some of them, read and write. The parts may be larger than
/// what the instances use. An empty name stands for any instances.
[[nodiscard]] HostParts parts_of_box(const RuleShape& rule, const Step& step, const std::string& box);
/// Returns the box in which instances of the box named `box` write the matrix; none if they may write anywhere.
[[nodiscard]] std::optional<PartBox> written_hull(const RuleShape& rule, const Step& step, MatrixId id,
                                                  const std::string& box);
/// Whether the instances of a box write every cell of the box that `written_hull` returns.
[[nodiscard]] bool fills_hull(const RuleShape& rule, const Step& step, MatrixId id);
/// Returns what the CPU's part of a shared step reads. `instances` is the name of the CPU's box.
[[nodiscard]] std::vector<MatrixPart> fetched_parts(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                                    const std::string& instances);

}  // namespace pb
