// SPDX-License-Identifier: MIT
// Inputs that may lie outside of their matrix, optional ones and those with a border (docs/reference/language.md 5.7),
// are tested per instance only where they may: loops over instances run in parts, and the one in the middle has no
// tests. Along the innermost loop (loop_code), or of a whole box (packs).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/condition.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Whether the innermost loop of the step has such a part.
[[nodiscard]] bool has_optional_ranges(const RuleCode& code, const Step& step);

/// Constants `pb_first_VAR` and `pb_last_VAR`, inside `pb_lo_VAR` and `pb_hi_VAR`: from the one to before the other all
/// cells of the innermost loop's instances lie inside, apart from coordinates that a border maps once per row.
///
/// Pre: has_optional_ranges
void emit_optional_range(Writer& out, const RuleCode& code, const Step& step);

/// The instances of a box at which all cells lie inside: another box.
struct InsideBox {
  std::vector<std::vector<std::string>> first,
      end;  ///< per dimension of the box, the fastest first: beside its bounds, at least and at most each
  Condition condition = Condition::always();  ///< there is one only where it holds
};
/// None if no input may lie outside, or those instances are no box.
[[nodiscard]] std::optional<InsideBox> find_inside_box(const RuleCode& code, const Step& step);

}  // namespace pb
