// SPDX-License-Identifier: MIT
#include "clgen/cpp/rules/border_code.h"

#include <algorithm>

#include "clgen/index_width.h"
#include "clgen/lower/inside_cells.h"
#include "clgen/names.h"
#include "lang/check.h"

namespace pb {
namespace {

std::string mapped_coordinate(const RuleCode& code, const RegionAccess& access, std::size_t dim) {
  return "pbrt::" + std::string(function_of(access.border)) + "(" + to_wide_cpp(access.lo[dim]) + ", " +
         code.matrix_name(access) + ".size(" + std::to_string(dim) + "))";
}

const RowCoordinate* find_row(const std::vector<RowCoordinate>& rows, const std::string& text) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const RowCoordinate& row) { return row.text == text; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

std::vector<RowCoordinate> row_coordinates(const RuleCode& code, const std::string& var) {
  std::vector<RowCoordinate> out;
  for (const RegionAccess& input : code.rule.inputs) {
    for (std::size_t dim = 0; !input.is_guest && dim < input.num_mapped_dims; ++dim) {
      if (moves_with(input, dim, var)) continue;
      std::string text = mapped_coordinate(code, input, dim);
      if (find_row(out, text) == nullptr) out.push_back({std::move(text), "pb_at" + std::to_string(out.size())});
    }
  }
  return out;
}

void emit_row_coordinates(Writer& out, const std::vector<RowCoordinate>& rows) {
  for (const RowCoordinate& row : rows) out.line("const std::int64_t " + row.name + " = " + row.text + ";");
}

std::string mapped_cell_text(const RuleCode& code, const RegionAccess& access, const std::vector<RowCoordinate>& rows,
                             bool are_others_inside) {
  PB_CHECK(access.kind == AccessKind::Cell, "borders are those of cells");
  std::vector<std::string> at = coordinates(access);
  for (std::size_t dim = 0; dim < access.num_mapped_dims; ++dim) {
    std::string text = mapped_coordinate(code, access, dim);
    const RowCoordinate* row = find_row(rows, text);
    if (row != nullptr) at[dim] = row->name;
    if (row == nullptr && !are_others_inside) at[dim] = std::move(text);
  }
  return code.matrix_name(access) + ".cell(" + joined(at) + ")";
}

}  // namespace pb
