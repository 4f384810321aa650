// SPDX-License-Identifier: MIT
// Decides which rules can run as an OpenCL kernel, from the typed body: it may use scalars, region reads and writes,
// local scalars and fixed arrays, and the math functions of the language. Called for each step while the Plan is made.
#pragma once

#include <optional>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

struct DeviceEligibility {
  std::optional<WhyNotDevice> why_not_device;        ///< absent: a basic kernel exists
  std::optional<WhyNotDevice> why_not_local_memory;  ///< if both are absent, a local-memory kernel exists, too

  [[nodiscard]] bool has_device_version() const { return !why_not_device; }
  [[nodiscard]] bool has_local_version() const { return !why_not_device && !why_not_local_memory; }
};

/// Says which device versions `step` of `rule` has, with the first reason in the source against each that it lacks.
///
/// Pre: `step.loops`, `is_data_parallel` and `input_boxes` are filled.
[[nodiscard]] DeviceEligibility check_device_eligibility(const Program& program, const Transform& transform,
                                                         const Rule& rule, const Step& step);

}  // namespace pb
