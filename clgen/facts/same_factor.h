// SPDX-License-Identifier: MIT
// Recurrences whose factor is one number, as that of a smoothing filter.
#pragma once

#include "choicegraph/plan/scan.h"
#include "lang/program.h"

namespace pb {

/// Whether the factor of the value before is the same for all instances of a step: it is made of constants, sizes,
/// parameters, tunables and inputs without dimensions, and no condition chooses it.
///
/// Pre: the value is a linear recurrence
[[nodiscard]] bool has_same_factor(const Transform& transform, const Rule& rule, const ScannedValue& value);

}  // namespace pb
