// SPDX-License-Identifier: MIT
// C++ of coordinates that a border maps into their matrix (docs/reference/language.md 5.7):
// `pbrt::wrapped(std::int64_t{x}-1, A.size(0))`. A coordinate that stays the same along a row of instances is mapped
// once, before the innermost loop: it becomes a constant `pb_at0`, `pb_at1`, ….
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// A mapped coordinate as a constant before the innermost loop.
struct RowCoordinate {
  MappedCoordinate coordinate;
  std::string name;
};
/// Declares the constants and returns them with their names.
std::vector<RowCoordinate> emit_row_coordinates(Writer& out, const RuleCode& code,
                                                const std::vector<MappedCoordinate>& coordinates);

/// Returns `A.cell(…)` of a `.cell` input. A mapped coordinate that is in `rows` is spelled by its name there. The
/// others are mapped here, unless they are all inside of the matrix.
[[nodiscard]] std::string mapped_cell_text(const RuleCode& code, const RegionAccess& access,
                                           const std::vector<RowCoordinate>& rows, bool are_others_inside);

}  // namespace pb
