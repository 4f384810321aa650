// SPDX-License-Identifier: MIT
// Optional inputs (LANGUAGE 5.7) are tested per instance only where a cell may be missing: the innermost loop over
// instances runs in three parts, and the one in the middle, where all cells exist, has no tests. Used by loop_code.
#pragma once

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Whether the innermost loop of the step has such a part.
[[nodiscard]] bool has_optional_ranges(const RuleCode& code, const Step& step);

/// Constants `pb_first_VAR` and `pb_last_VAR`, inside `pb_lo_VAR` and `pb_hi_VAR`: from the one to before the other all
/// optional cells of the innermost loop's instances exist.
///
/// Pre: has_optional_ranges
void emit_optional_range(Writer& out, const RuleCode& code, const Step& step);

}  // namespace pb
