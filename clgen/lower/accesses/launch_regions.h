// SPDX-License-Identifier: MIT
// What a launch says of the matrices of its kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clgen/lower/accesses/part_box.h"
#include "clgen/lower/accesses/read_boxes.h"
#include "clgen/lower/analysis/rule_shape.h"

namespace pb {

enum class LaunchUse : std::uint8_t {
  Input,   ///< the kernel reads it
  Output,  ///< each cell of `written` gets a new value
  InOut,   ///< the kernel may keep or read old values
};

/// One matrix of a kernel.
struct LaunchRegion {
  MatrixId matrix;
  LaunchUse use = LaunchUse::Input;
  KernelInput input = {};                ///< of an Input
  std::vector<MatrixPart> written = {};  ///< of an Output or InOut; empty: any cell may be written
  std::optional<PartBox> reads = {};     ///< exactly what is read, where the launch does not know it already
  /// A box that holds all that is read; of an Input instead of `input`, of an Output beside what it has written itself.
  std::optional<PartBox> read_part = {};
  bool is_part = false;  ///< nothing of an InOut but `written` is touched

  bool operator==(const LaunchRegion&) const = default;
};

/// Returns the regions of a step's kernel. `matrices` are those of the kernel, in the order of its parameters.
///
/// Pre: the step's `step_boxes` are in scope
[[nodiscard]] std::vector<LaunchRegion> launch_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                                       const std::vector<RuleMatrix>& matrices);

/// Returns the regions of the kernel of a step that has a launch per slice (choicegraph/plan/launch_slices.h). `slice`
/// is the step in a slice, whose box is `pb_box`.
[[nodiscard]] std::vector<LaunchRegion> slice_regions(const TransformPlan& plan, const RuleShape& rule,
                                                      const Step& slice, const std::vector<RuleMatrix>& matrices);

/// The box of the first instances of a launch's lines, in generated code.
inline constexpr const char* kFirstInstances = "pb_first";

/// Returns the regions of the kernel of a step that one launch runs as scans (choicegraph/plan/launch_scans.h). The
/// instances are those of the box `pb_box`. Only those of `pb_first` read outputs.
[[nodiscard]] std::vector<LaunchRegion> scan_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                                     const std::vector<RuleMatrix>& matrices);

/// Returns the regions of the kernel of a step that runs as a wavefront (choicegraph/plan/launch_waves.h). What
/// instances read of an output, others of the same box have written, or it lies beside what they write.
///
/// Pre: the step's `step_boxes` are in scope
[[nodiscard]] std::vector<LaunchRegion> wave_regions(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                                     const std::vector<RuleMatrix>& matrices);

}  // namespace pb
