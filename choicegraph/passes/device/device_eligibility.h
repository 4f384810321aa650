// SPDX-License-Identifier: MIT
// Decides which steps can run as an OpenCL kernel. The body of the rule may use scalars, cells of regions, local
// scalars, local arrays of constant size, and the math functions of the language. The passes call this for each step
// while they make the Plan.
#pragma once

#include <cstdint>
#include <optional>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// What a launch runs of a step.
enum class LaunchForm : std::uint8_t {
  Instances,  ///< all of its instances, which are independent
  Single,     ///< its only instance, beside launches of other steps
  Slices,     ///< a slice of its nest (choicegraph/plan/launch_slices.h)
  Scan,       ///< all of its lines (choicegraph/plan/launch_scans.h)
  Wave,       ///< an anti-diagonal of its blocks (choicegraph/plan/launch_waves.h)
};

struct DeviceEligibility {
  std::optional<WhyNotDevice> why_not_device;        ///< absent: a basic kernel exists
  std::optional<WhyNotDevice> why_not_local_memory;  ///< if both are absent, a local-memory kernel exists, too

  [[nodiscard]] bool has_device_version() const { return !why_not_device; }
  [[nodiscard]] bool has_local_version() const { return !why_not_device && !why_not_local_memory; }
};

/// Says which device versions `step` of `rule` has. Without a basic kernel, only `why_not_device` is set: a reason
/// outside of the body or, if there is none, the first reason in its text.
///
/// `step` is the step of one launch.
///
/// Pre: `step.loops`, `is_data_parallel` and `input_boxes` are filled, and `computation.phases`.
[[nodiscard]] DeviceEligibility check_device_eligibility(const Program& program, const Transform& transform,
                                                         const Rule& rule, const Computation& computation,
                                                         const Step& step, LaunchForm form);

}  // namespace pb
