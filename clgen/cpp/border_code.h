// SPDX-License-Identifier: MIT
// C++ of coordinates that a border maps into their matrix (docs/reference/language.md 5.7):
// `pbrt::wrapped(std::int64_t{x}-1, A.size(0))`. Coordinates that stay the same along a row of instances are mapped
// once, before it: constants `pb_at0`, `pb_at1`, ….
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// A mapped coordinate as a constant before the innermost loop.
struct RowCoordinate {
  std::string text;
  std::string name;
};
/// Those of the rule's inputs that do not move with `var`, the innermost loop's; each once.
[[nodiscard]] std::vector<RowCoordinate> row_coordinates(const RuleCode& code, const std::string& var);
void emit_row_coordinates(Writer& out, const std::vector<RowCoordinate>& rows);

/// `A.cell(…)` of a `.cell` input. Mapped are the coordinates in `rows`, by their names, and the others unless all are
/// inside.
[[nodiscard]] std::string mapped_cell_text(const RuleCode& code, const RegionAccess& access,
                                           const std::vector<RowCoordinate>& rows, bool are_others_inside);

}  // namespace pb
