// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/border_code.h"

#include <algorithm>

#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/loops/inside_cells.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string text_of(const RuleCode& code, const MappedCoordinate& coordinate) {
  return "pbrt::" + std::string(function_of(coordinate.border)) + "(" + to_wide_cpp(coordinate.at) + ", " +
         code.matrix(coordinate.matrix).name + ".size(" + std::to_string(coordinate.dim) + "))";
}

}  // namespace

std::vector<RowCoordinate> emit_row_coordinates(Writer& out, const RuleCode& code,
                                                const std::vector<MappedCoordinate>& coordinates) {
  std::vector<RowCoordinate> rows;
  for (const MappedCoordinate& coordinate : coordinates) {
    rows.push_back({coordinate, "pb_at" + std::to_string(rows.size())});
    out.line("const std::int64_t " + rows.back().name + " = " + text_of(code, coordinate) + ";");
  }
  return rows;
}

std::string mapped_cell_text(const RuleCode& code, const RegionAccess& access, const std::vector<RowCoordinate>& rows,
                             bool are_others_inside) {
  PB_CHECK(access.kind == AccessKind::Cell, "borders are those of cells");
  std::vector<std::string> at = coordinates(access);
  for (std::size_t dim = 0; dim < access.num_mapped_dims; ++dim) {
    const MappedCoordinate coordinate = mapped_coordinate(access, dim);
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const RowCoordinate& one) { return one.coordinate == coordinate; });
    if (row != rows.end()) at[dim] = row->name;
    if (row == rows.end() && !are_others_inside) at[dim] = text_of(code, coordinate);
  }
  return code.matrix_name(access) + ".cell(" + joined(at) + ")";
}

}  // namespace pb
