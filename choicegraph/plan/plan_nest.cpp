// SPDX-License-Identifier: MIT
// Questions about the nests of a Plan: their members, coordinates and rows.
#include <algorithm>
#include <cstdlib>

#include "choicegraph/plan/plan.h"
#include "lang/check.h"

namespace pb {
namespace {

using Matrix2 = std::vector<std::vector<int>>;

Matrix2 without(const Matrix2& matrix, std::size_t row, std::size_t column) {
  Matrix2 out;
  for (std::size_t r = 0; r < matrix.size(); ++r) {
    if (r == row) continue;
    out.emplace_back();
    for (std::size_t c = 0; c < matrix.size(); ++c)
      if (c != column) out.back().push_back(matrix[r][c]);
  }
  return out;
}

int determinant(const Matrix2& matrix) {
  if (matrix.empty()) return 1;
  int out = 0;
  for (std::size_t c = 0; c < matrix.size(); ++c)
    if (matrix[0][c] != 0) out += (c % 2 == 0 ? 1 : -1) * matrix[0][c] * determinant(without(matrix, 0, c));
  return out;
}

Matrix2 matrix_of(const std::vector<NestRow>& rows) {
  Matrix2 out;
  for (const NestRow& row : rows) out.push_back(row.coefficients);
  return out;
}

}  // namespace

bool has_member(const Nest& nest, StepId id) {
  return std::any_of(nest.members.begin(), nest.members.end(),
                     [&](const NestMember& member) { return member.step == id; });
}

const NestMember& member_of(const Nest& nest, StepId id) {
  return *std::find_if(nest.members.begin(), nest.members.end(),
                       [&](const NestMember& member) { return member.step == id; });
}

IndexExpr to_index_expr(const NestCoordinate& coordinate) {
  if (coordinate.var.empty()) return coordinate.shift;
  return index_add(index_mul(index_const(coordinate.factor), index_symbol(coordinate.var)), coordinate.shift);
}

std::optional<NestCoordinate> to_nest_coordinate(const IndexExpr& at, const Rule& rule) {
  NestCoordinate out{{}, 1, at};
  for (const std::string& symbol : symbols_of(at)) {
    const auto is_it = [&](const RuleVar& var) { return var.name == symbol; };
    if (std::none_of(rule.vars.begin(), rule.vars.end(), is_it)) continue;
    if (!out.var.empty()) return std::nullopt;
    out.var = symbol;
  }
  if (out.var.empty()) return out;
  constexpr std::int64_t kMaxFactor = 1024;
  const auto factor = affine_coefficient(at, out.var);
  if (!factor || *factor == 0 || std::abs(*factor) > kMaxFactor) return std::nullopt;
  out.factor = static_cast<int>(*factor);
  out.shift = index_sub(at, index_mul(index_const(*factor), index_symbol(out.var)));
  const std::vector<std::string> symbols = symbols_of(out.shift);
  if (std::find(symbols.begin(), symbols.end(), out.var) != symbols.end()) return std::nullopt;
  return out;
}

const Nest* nest_of_versions(const TransformPlan& plan, MatrixId matrix) {
  if (std::find(plan.two_versions.begin(), plan.two_versions.end(), matrix) == plan.two_versions.end()) return nullptr;
  const auto writes = [&](StepId id) {
    const std::vector<SegmentId>& segments = plan.steps[id].segments;
    return std::any_of(segments.begin(), segments.end(), [&](SegmentId segment) {
      const Segment& part = plan.segments[segment];
      return part.matrix == matrix && part.box.back().lo.is_const(1);
    });
  };
  for (const Nest& nest : plan.nests) {
    const bool has_some = std::any_of(nest.members.begin(), nest.members.end(),
                                      [&](const NestMember& member) { return writes(member.step); });
    if (nest.rows.front().kind != RowKind::Slices || !has_some) continue;
    const std::vector<StepId> steps = plan.steps.ids();
    const bool has_all =
        std::all_of(steps.begin(), steps.end(), [&](StepId id) { return !writes(id) || has_member(nest, id); });
    return has_all ? &nest : nullptr;
  }
  return nullptr;
}

bool is_in_place(const TransformPlan& plan, MatrixId matrix) {
  return std::find(plan.in_place.begin(), plan.in_place.end(), matrix) != plan.in_place.end();
}

std::string tile_name(const TransformPlan& plan, const Transform& transform, const Nest& nest) {
  std::string out;
  for (const NestMember& member : nest.members)
    out += (out.empty() ? "" : "+") + transform.rules[plan.steps[member.step].rule].name;
  return out + ".tile";
}

bool is_unimodular(const std::vector<NestRow>& rows) {
  const int det = determinant(matrix_of(rows));
  return det == 1 || det == -1;
}

std::vector<std::vector<int>> inverse_of(const std::vector<NestRow>& rows) {
  const Matrix2 matrix = matrix_of(rows);
  const int det = determinant(matrix);
  PB_CHECK(is_unimodular(rows), "the rows of a nest are a unimodular change of coordinates");
  Matrix2 out(matrix.size(), std::vector<int>(matrix.size()));
  for (std::size_t r = 0; r < matrix.size(); ++r)
    for (std::size_t c = 0; c < matrix.size(); ++c)
      out[c][r] = det * ((r + c) % 2 == 0 ? 1 : -1) * determinant(without(matrix, r, c));
  return out;
}

}  // namespace pb
