// SPDX-License-Identifier: MIT
// The value before in the expression that continues a scan.
#pragma once

#include "choicegraph/plan/scan.h"
#include "lang/program.h"

namespace pb {

/// Whether the expression is the value before.
[[nodiscard]] bool is_value_before(const Rule& rule, const ScannedValue& value, ExprId id);
/// Whether it stands in the expression.
[[nodiscard]] bool has_value_before(const Rule& rule, const ScannedValue& value, ExprId id);
/// Whether a condition may leave it out of the expression that combines it: a line begins again there.
[[nodiscard]] bool may_begin_again(const Rule& rule, const ScannedValue& value);

}  // namespace pb
