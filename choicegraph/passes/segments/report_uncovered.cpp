// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/report_uncovered.h"

#include <algorithm>
#include <map>

#include "lang/index/readable_text.h"
#include "lang/region/nest.h"

namespace pb::choices {
namespace {

/// Missing cells as boxes as a reader thinks of them: for large sizes, and each stretched as far as `missing` goes, so
/// that they may overlap.
struct Missing {
  Region cells;
  Region all;  ///< the whole matrix
  Region known;
};

IndexExpr plus_one(const IndexExpr& expr) { return index_add(expr, index_const(1)); }

/// Returns `box` with dimension `d` stretched over the whole matrix.
Region stretched(const Analysis& analysis, const Missing& missing, const RegionBox& box, std::size_t d,
                 const std::vector<Interval>& extents) {
  RegionBox longer = box;
  longer.dims[d] = extents[d];
  return region_of_box(analysis.context, missing.all.dims(), longer).intersect_parameters(missing.known);
}

std::string range_text(const Interval& dim) { return "[" + readable_text(dim.lo) + ", " + readable_text(dim.hi) + ")"; }

std::string box_text(const std::vector<Interval>& dims) {
  std::string out;
  for (const Interval& dim : dims) out += (out.empty() ? "" : " x ") + range_text(dim);
  return out;
}

/// `column w-KWIDTH`, `rows [2, 5)`, `cell (0, h-1)`, or the box.
std::string describe(const std::vector<Interval>& dims, const std::vector<bool>& is_full) {
  const auto is_single = [](const Interval& dim) { return dim.hi == plus_one(dim.lo); };
  if (dims.empty()) return "its single number";
  const bool is_plane = dims.size() == 2;
  for (std::size_t d = 0; is_plane && d < 2; ++d) {
    if (!is_full[1 - d] || is_full[d]) continue;
    const std::string word = d == 0 ? "column" : "row";
    return is_single(dims[d]) ? word + " " + readable_text(dims[d].lo) : word + "s " + range_text(dims[d]);
  }
  if (std::all_of(is_full.begin(), is_full.end(), [](bool full) { return full; })) return "all of it";
  if (!std::all_of(dims.begin(), dims.end(), is_single)) return box_text(dims);
  if (dims.size() == 1) return "cell " + readable_text(dims[0].lo);
  std::string out;
  for (const Interval& dim : dims) out += (out.empty() ? "" : ", ") + readable_text(dim.lo);
  return "cell (" + out + ")";
}

std::vector<Interval> extents_of(const Analysis& analysis, MatrixId matrix) {
  std::vector<Interval> out;
  for (const Formula& extent : analysis.matrix(matrix).extents)
    out.push_back({index_const(0), to_index_expr(extent, analysis.scope).value_or(index_const(0))});
  return out;
}

// ---- words for what is no box: `cells (x, y) with x > y`

/// A sum: its terms as text, each with its whole factor.
struct Sum {
  std::map<std::string, std::int64_t> terms;
  std::int64_t constant = 0;

  void add(const IndexExpr& expr, std::int64_t factor) {
    using Op = IndexExpr::Op;
    const bool is_scaled = expr.op == Op::Mul && expr.operands[0].op == Op::Const;
    if (expr.op == Op::Const) {
      constant += factor * expr.value;
    } else if (expr.op == Op::Add || expr.op == Op::Sub) {
      add(expr.operands[0], factor);
      add(expr.operands[1], expr.op == Op::Add ? factor : -factor);
    } else if (is_scaled) {
      add(expr.operands[1], factor * expr.operands[0].value);
    } else {
      const std::string text = readable_text(expr);
      terms[text] += factor;
      if (terms[text] == 0) terms.erase(text);
    }
  }
  [[nodiscard]] bool is_zero() const { return terms.empty() && constant == 0; }
};

/// The sum of the terms whose factors have one sign, as text, for example `x+2*y+1`; `0` if there are none.
std::string side_text(const Sum& sum, bool positive, std::int64_t constant) {
  std::string out;
  for (const auto& [term, factor] : sum.terms) {
    const std::int64_t size = positive ? factor : -factor;
    if (size <= 0) continue;
    out += (out.empty() ? "" : "+") + (size == 1 ? term : std::to_string(size) + "*" + term);
  }
  if (constant > 0) out += (out.empty() ? "" : "+") + std::to_string(constant);
  return out.empty() ? "0" : out;
}

/// Words such as `x even` or `x a multiple of 3`, if `expr` >= 0 says just that: d*floord(e, d)-e.
std::optional<std::string> multiple_words(const IndexExpr& expr, const IndexExpr& part) {
  using Op = IndexExpr::Op;
  if (part.op == Op::FloorDiv && part.operands[1].op == Op::Const) {
    Sum rest;
    rest.add(expr, 1);
    rest.add(part, -part.operands[1].value);
    rest.add(part.operands[0], 1);
    if (rest.is_zero()) {
      Sum of;
      of.add(part.operands[0], 1);
      const std::int64_t by = part.operands[1].value;
      const bool is_odd = by == 2 && of.constant % 2 != 0;
      const std::string what = side_text(of, true, by == 2 ? 0 : of.constant);
      return by == 2 ? what + (is_odd ? " odd" : " even") : what + " a multiple of " + std::to_string(by);
    }
  }
  for (const IndexExpr& operand : part.operands)
    if (auto words = multiple_words(expr, operand)) return words;
  return std::nullopt;
}

/// `x > y` for x-y-1 >= 0.
std::string relation_words(const IndexExpr& condition) {
  if (const auto words = multiple_words(condition, condition)) return *words;
  Sum sum;
  sum.add(condition, 1);
  const bool is_strict = sum.constant == -1;
  const std::int64_t constant = is_strict ? 0 : sum.constant;
  return side_text(sum, true, constant) + (is_strict ? " > " : " >= ") + side_text(sum, false, -constant);
}

/// Prints the conditions with plain names of coordinates. Two opposite ones become an equation.
std::string conditions_words(const std::vector<IndexExpr>& conditions, std::size_t num_dims) {
  std::vector<std::pair<std::string, IndexExpr>> names;
  for (const std::string& dim : cell_dims(static_cast<int>(num_dims)))
    names.emplace_back(dim, index_symbol(dim.substr(0, dim.size() - 1)));
  std::vector<IndexExpr> items;
  for (const IndexExpr& condition : conditions) items.push_back(substitute(condition, names));
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::string words = relation_words(items[i]);
    for (std::size_t k = i + 1; k < items.size(); ++k) {
      Sum both;
      both.add(items[i], 1);
      both.add(items[k], 1);
      if (!both.is_zero()) continue;
      Sum sum;
      sum.add(items[i], 1);
      words = side_text(sum, true, sum.constant) + " = " + side_text(sum, false, -sum.constant);
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(k));
      break;
    }
    out += (out.empty() ? "" : " and ") + words;
  }
  return out;
}

/// `cells (x, y) of [1, n) x [0, n) with x > y`; the box is left out if it is the whole matrix.
std::string describe_part(const RegionBox& part, const std::vector<Interval>& extents) {
  std::string names;
  for (const std::string& dim : cell_dims(static_cast<int>(part.dims.size())))
    names += (names.empty() ? "" : ", ") + dim.substr(0, dim.size() - 1);
  const std::string box = part.dims == extents ? "" : " of " + box_text(part.dims);
  if (part.dims.size() > 1) names = "(" + names + ")";
  return "cells " + names + box + " with " + conditions_words(part.conditions, part.dims.size());
}

std::string describe_boxes(const Analysis& analysis, MatrixId matrix, const Missing& missing) {
  const auto boxes = disjoint_pieces(missing.cells, missing.known);
  if (!boxes) return missing.cells.to_string();
  const std::vector<Interval> extents = extents_of(analysis, matrix);
  std::vector<std::string> parts;
  for (RegionBox box : *boxes) {
    if (!box.conditions.empty()) {
      parts.push_back(describe_part(box, extents));
      continue;
    }
    std::vector<bool> is_full(box.dims.size());
    for (std::size_t d = 0; d < box.dims.size(); ++d) {
      is_full[d] = stretched(analysis, missing, box, d, extents).is_subset(missing.cells);
      if (is_full[d]) box.dims[d] = extents[d];
    }
    std::string part = describe(box.dims, is_full);
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

/// The points of `domain` at which one of the conjunctions holds; all of them if some relation is not affine.
Region keep_any(const Analysis& analysis, const Region& domain, const Disjunction& disjunction) {
  Region out = Region::nothing(analysis.context, domain.dims());
  for (const auto& all : disjunction.any) {
    std::optional<Region> part = domain;
    for (const Relation& relation : all)
      if (part) part = keep_where(*part, relation, analysis.scope);
    if (!part) return domain;
    out = out.unite(*part);
  }
  return out;
}

/// The cells of `matrix` that `rule` would provide if access `skipped` need not lie inside its matrix, or if the
/// relation `ignored` of its `where` did not count. If both are null, everything counts.
Region provided_without(const Analysis& analysis, const Rule& rule, MatrixId matrix, const RegionAccess* skipped,
                        const Relation* ignored) {
  Region domain = Region::universe(analysis.context, rule.domain.dims());
  std::vector<const RegionAccess*> accesses;
  for (const RegionAccess& access : rule.outputs) accesses.push_back(&access);
  for (const RegionAccess& access : rule.inputs) accesses.push_back(&access);
  for (const RegionAccess* access : accesses) {
    if (access == skipped || access->is_optional() || access->is_guest) continue;
    const auto inside = keep_inside(domain, *access, analysis.matrix(access->matrix), analysis.scope);
    if (inside) domain = *inside;
  }
  for (const Relation& relation : rule.where) {
    if (&relation == ignored) continue;
    const auto kept = keep_where(domain, relation, analysis.scope);
    if (kept) domain = *kept;
  }
  for (const Disjunction& disjunction : rule.where_any) domain = keep_any(analysis, domain, disjunction);
  Region out = Region::nothing(analysis.context, analysis.cells[matrix.index()].dims());
  for (const RegionAccess& access : rule.outputs) {
    if (access.matrix != matrix) continue;
    if (!out.is_known()) return out;
    std::vector<Interval> box;
    for (std::size_t d = 0; d < access.lo.size(); ++d) {
      const auto lo = to_index_expr(access.lo[d], analysis.scope);
      const auto hi = to_index_expr(access.hi[d], analysis.scope);
      if (!lo || !hi) return out;
      box.push_back({*lo, *hi});
    }
    out = out.unite(RegionMap::to_box(analysis.context, domain.dims(), out.dims(), box).apply(domain));
  }
  return out;
}

/// Adds a note that says which cells `rule` covers and which input's region keeps it from covering more.
void note_rule(const Analysis& analysis, const Rule& rule, MatrixId matrix, const Missing& missing,
               DiagBuilder& builder) {
  const Region provided =
      cells_written(analysis, rule, matrix, rule.domain).intersect_parameters(missing.known).coalesce();
  if (!provided.is_known()) return;
  const std::vector<Interval> extents = extents_of(analysis, matrix);
  const auto parts = disjoint_pieces(provided, missing.known);
  std::string covers = parts && !parts->empty() ? "" : "no large part";
  for (std::size_t i = 0; parts && i < parts->size(); ++i) {
    const RegionBox& part = (*parts)[i];
    covers += i == 0 ? "" : ", ";
    covers += part.conditions.empty() ? describe(part.dims, std::vector<bool>(part.dims.size(), false))
                                      : describe_part(part, extents);
  }
  const auto stops = [&](const RegionAccess* access, const Relation* relation) {
    return !provided_without(analysis, rule, matrix, access, relation).intersect(missing.cells).is_empty();
  };
  for (const RegionAccess& access : rule.inputs) {
    if (!stops(&access, nullptr)) continue;
    builder.note(access.span, "rule `" + rule.name + "` covers " + covers + ": elsewhere this region leaves `" +
                                  analysis.matrix(access.matrix).name + "`");
    return;
  }
  for (const Relation& relation : rule.where) {
    if (!stops(nullptr, &relation)) continue;
    builder.note(relation.span, "rule `" + rule.name + "` covers " + covers + ": elsewhere this does not hold");
    return;
  }
  builder.note(rule.span, "rule `" + rule.name + "` covers " + covers);
}

/// The cells that are missing at large sizes.
Missing large_part(const Analysis& analysis, MatrixId matrix, const Region& missing) {
  Region known = analysis.known;
  for (const std::string& name : analysis.sizes)
    known = known.where_nonnegative(index_sub(index_symbol(name), index_const(1000)));
  for (const Interval& extent : extents_of(analysis, matrix))
    known = known.where_nonnegative(index_sub(extent.hi, index_const(1)));
  return {missing.intersect_parameters(known).coalesce(), analysis.cells[matrix.index()], known};
}

}  // namespace

std::string cells_in_words(const Analysis& analysis, MatrixId matrix, const Region& cells) {
  return describe_boxes(analysis, matrix, large_part(analysis, matrix, cells));
}

void report_uncovered(Analysis& analysis, MatrixId matrix, const Region& missing) {
  const Missing large = large_part(analysis, matrix, missing);
  const Matrix& declared = analysis.matrix(matrix);
  auto builder = analysis.diags.emit(DiagKind::UncoveredOutput, declared.span);
  builder.arg(declared.name).arg(describe_boxes(analysis, matrix, large));
  bool is_written = false;
  for (const Rule& rule : analysis.transform.rules) {
    const bool writes = std::any_of(rule.outputs.begin(), rule.outputs.end(),
                                    [&](const RegionAccess& access) { return access.matrix == matrix; });
    if (writes) note_rule(analysis, rule, matrix, large, builder);
    is_written = is_written || writes;
  }
  if (!is_written) {
    builder.label("no rule writes it");
  } else {
    builder.hint("let a `secondary` rule make these cells too, or declare `" + declared.name +
                 "` smaller in the header, so that it has none of them");
  }
}

}  // namespace pb::choices
