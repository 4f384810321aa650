// SPDX-License-Identifier: MIT
// Regions of rules: accessors and their coordinates, written out as boxes (docs/reference/language.md 5.2).
#include <string>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/resolve_rule.h"
#include "lang/suggest.h"

namespace pb::resolving {
namespace {

std::string plural(std::size_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

const char* spelling(ast::Accessor accessor) {
  switch (accessor) {
    case ast::Accessor::Whole:
      return "";
    case ast::Accessor::All:
      return "all";
    case ast::Accessor::Cell:
      return "cell";
    case ast::Accessor::Row:
      return "row";
    case ast::Accessor::Column:
      return "column";
    case ast::Accessor::Region:
      return "region";
  }
  return "";
}

std::size_t expected_coords(ast::Accessor accessor, std::size_t num_dims) {
  switch (accessor) {
    case ast::Accessor::Whole:
    case ast::Accessor::All:
      return 0;
    case ast::Accessor::Cell:
      return num_dims;
    case ast::Accessor::Row:
    case ast::Accessor::Column:
      return 1;
    case ast::Accessor::Region:
      return 2 * num_dims;
  }
  return 0;
}

AccessKind kind_of(ast::Accessor accessor) {
  switch (accessor) {
    case ast::Accessor::Whole:
    case ast::Accessor::All:
      return AccessKind::All;
    case ast::Accessor::Cell:
      return AccessKind::Cell;
    case ast::Accessor::Row:
      return AccessKind::Row;
    case ast::Accessor::Column:
      return AccessKind::Column;
    case ast::Accessor::Region:
      return AccessKind::Region;
  }
  return AccessKind::All;
}

const Matrix* find_matrix(RuleScope& rule, const ast::Name& name, MatrixId& id) {
  TransformScope& scope = rule.transform;
  const auto found = scope.matrices.find(name.text);
  if (found != scope.matrices.end()) {
    id = found->second;
    return &scope.out.matrices[id];
  }
  std::vector<std::string> candidates;
  for (const Matrix& matrix : scope.out.matrices) candidates.push_back(matrix.name);
  auto diag = scope.diags.emit(DiagKind::UnknownMatrix, name.span).arg(scope.source.name.text).arg(name.text);
  if (const std::string hint = suggest(name.text, candidates); !hint.empty()) diag.hint(hint);
  return nullptr;
}

/// The number of dimensions that the coordinates after the accessor count. A version given before it does not count.
std::size_t num_dims_after(const ast::Region& region, const Matrix& matrix) {
  return matrix.extents.size() - (region.version ? 1 : 0);
}

bool check_version(RuleScope& rule, const ast::Region& region, const Matrix& matrix) {
  if (!region.version || matrix.has_versions) return true;
  rule.transform.diags.emit(DiagKind::NoVersions, region.span)
      .arg(matrix.name)
      .label(matrix.span, "declared here")
      .hint("declare `" + matrix.name + "<0..last>` for a matrix with versions");
  return false;
}

/// Checks an accessor's shape: row and column need two dimensions, and every accessor its number of coordinates.
bool check_shape(RuleScope& rule, const ast::Region& region, const Matrix& matrix) {
  Diagnostics& diags = rule.transform.diags;
  const std::size_t num_dims = num_dims_after(region, matrix);
  const std::string name = matrix.name + (region.version ? "<" + to_string(*region.version) + ">" : "");
  const bool is_line = region.accessor == ast::Accessor::Row || region.accessor == ast::Accessor::Column;
  if (is_line && num_dims != 2) {
    diags.emit(DiagKind::LineOfNonPlane, region.span)
        .arg(spelling(region.accessor))
        .arg(name)
        .arg(plural(num_dims, "dimension"))
        .label(matrix.span, "declared here");
    return false;
  }
  const std::size_t expected = expected_coords(region.accessor, num_dims);
  if (region.coords.size() == expected) return true;
  auto diag = diags.emit(DiagKind::WrongCoordinateCount, region.span)
                  .arg(name + "." + spelling(region.accessor))
                  .arg(plural(expected, "coordinate"))
                  .arg(region.coords.size())
                  .label(matrix.span, "declared here with " + plural(num_dims, "dimension"));
  if (region.accessor == ast::Accessor::Region) diag.hint("`region` takes all begins, then all ends");
  if (matrix.has_versions && !region.version)
    diag.hint("`" + matrix.name + "` without a version has one dimension more, that of its versions");
  return false;
}

Formula after(const Formula& first) { return make_binary(FormulaOp::Add, first, make_int(1, first.span)); }

/// Fills lo and hi of the dimensions that `coords` count.
void write_box(RegionAccess& access, const Matrix& matrix, ast::Accessor accessor, std::size_t num_dims,
               const std::vector<Formula>& coords) {
  for (std::size_t dim = 0; dim < num_dims; ++dim) {
    const bool is_fixed = accessor == ast::Accessor::Cell || (accessor == ast::Accessor::Row && dim == 1) ||
                          (accessor == ast::Accessor::Column && dim == 0);
    if (is_fixed) {
      const Formula& coord = accessor == ast::Accessor::Cell ? coords[dim] : coords[0];
      access.lo.push_back(coord);
      access.hi.push_back(after(coord));
    } else if (accessor == ast::Accessor::Region) {
      access.lo.push_back(coords[dim]);
      access.hi.push_back(coords[num_dims + dim]);
    } else {
      access.lo.push_back(make_int(0, access.span));
      access.hi.push_back(matrix.extents[dim]);
    }
  }
}

bool check_role(RuleScope& rule, const RegionAccess& access, const Matrix& matrix, bool is_output) {
  if (!is_output || matrix.role != MatrixRole::From) return true;
  rule.transform.diags.emit(DiagKind::OutputIsInput, access.span)
      .arg(matrix.name)
      .label(matrix.span, "declared here in `from`");
  return false;
}

/// The border that is written after `=`. A word counts as a border only if nothing else that a formula may name has
/// that name.
Border border_of(const ast::RegionBinding& source, const FormulaNames& names) {
  if (source.is_optional_marker) return Border::Optional;
  if (!source.missing_value) return Border::None;
  const auto* word = std::get_if<SymbolRef>(&source.missing_value->node);
  const auto border = word != nullptr && !may_name(names, word->name) ? find_border(word->name) : std::nullopt;
  return border.value_or(Border::Default);
}

/// Checks that only inputs, and only single cells, may lie outside of their matrix (docs/reference/language.md 5.7).
bool check_border(RuleScope& rule, const ast::RegionBinding& source, const RegionAccess& access, bool is_output) {
  if (!access.may_be_outside()) return true;
  const bool is_cell =
      maps_cells(access.border) ? source.region.accessor == ast::Accessor::Cell : access.kind == AccessKind::Cell;
  if (!is_output && is_cell) return true;
  auto diag = rule.transform.diags.emit(DiagKind::OptionalNotCell, source.span);
  if (is_output) diag.note("outputs are always there");
  return false;
}

}  // namespace

std::optional<RegionAccess> resolve_access(RuleScope& rule, const ast::RegionBinding& source, bool is_output) {
  RegionAccess access;
  const ast::Region& region = source.region;
  const Matrix* matrix = find_matrix(rule, region.matrix, access.matrix);
  if (!matrix || !check_version(rule, region, *matrix) || !check_shape(rule, region, *matrix)) return std::nullopt;
  const std::size_t num_dims = num_dims_after(region, *matrix);
  access.kind = num_dims == 0 ? AccessKind::Cell : kind_of(region.accessor);
  access.is_slice = region.version && access.kind != AccessKind::Cell;
  access.span = region.span;
  if (source.name) {
    access.binding = source.name->text;
    access.binding_span = source.name->span;
  }
  FormulaNames names{rule.transform, &rule.rule_vars, &rule.constants, "coordinate"};
  access.border = border_of(source, names);
  if (!check_role(rule, access, *matrix, is_output) || !check_border(rule, source, access, is_output))
    return std::nullopt;
  bool ok = true;
  std::vector<Formula> coords;
  for (const Formula& coord : region.coords) coords.push_back(bind_formula(coord, names, ok));
  write_box(access, *matrix, region.accessor, num_dims, coords);
  if (region.version) {
    access.lo.push_back(bind_formula(*region.version, names, ok));
    access.hi.push_back(after(access.lo.back()));
  }
  if (maps_cells(access.border)) access.num_mapped_dims = access.lo.size() - (matrix->has_versions ? 1 : 0);
  names.where = kDefaultValue;
  names.may_be_real = true;
  if (access.border == Border::Default) access.missing_value = bind_formula(*source.missing_value, names, ok);
  if (!ok) return std::nullopt;
  return access;
}

}  // namespace pb::resolving
