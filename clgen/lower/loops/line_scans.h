// SPDX-License-Identifier: MIT
// The instances of a device's launch as scans of lines.
#pragma once

#include "choicegraph/plan/plan.h"
#include "choicegraph/plan/scan.h"
#include "clgen/lower/tree/loop_tree.h"
#include "lang/program.h"

namespace pb {

/// Returns the scans that run all instances of the step. What an instance reads one step back is what the scan gives
/// it.
[[nodiscard]] LineScans line_scans_of(const Program& program, const Transform& transform, const Step& step,
                                      const Scan& scan, RuleInstance instance);

}  // namespace pb
