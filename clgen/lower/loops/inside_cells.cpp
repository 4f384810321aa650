// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/inside_cells.h"

#include <algorithm>

#include "clgen/facts/names.h"
#include "clgen/lower/loops/strip_loops.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Whether coordinate `dim` of a `.cell` access moves with the rule variable.
bool moves_with(const RegionAccess& access, std::size_t dim, const std::string& var) {
  const std::vector<std::string> names = symbols_of(access.lo[dim], SymbolKind::RuleVar);
  return std::find(names.begin(), names.end(), var) != names.end();
}

/// Bounds of a loop's variable: it is at least each of `first` and below each of `end`.
struct Bounds {
  std::vector<IndexExpr>& first;
  std::vector<IndexExpr>& end;
};

void add(std::vector<IndexExpr>& terms, IndexExpr term) {
  if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(std::move(term));
}

/// A coordinate `factor * var + rest`, and its matrix's extent.
struct Along {
  std::int64_t factor = 0;
  IndexExpr rest, size;
};

/// Returns none if the coordinate does not have the form `factor * var + rest`.
std::optional<Along> along(const RuleShape& rule, const RegionAccess& input, std::size_t dim, const std::string& var) {
  const auto factor = coefficient_of(input.lo[dim], var);
  const auto exact = to_rational(input.lo[dim], {});
  if (!factor || !exact || exact->denominator != 1) return std::nullopt;
  return Along{*factor, index_sub(exact->numerator, index_mul(index_const(*factor), index_symbol(var))),
               view_extent(rule.matrix(input.matrix), dim)};
}

/// Adds the bounds of the variable that follow from `0 <= coordinate < size`.
void add_range(const Along& at, Bounds bounds) {
  const IndexExpr one = index_const(1);
  const std::int64_t by = at.factor < 0 ? -at.factor : at.factor;
  const auto below = [&](IndexExpr value) {
    return by == 1 ? value : index_floordiv(std::move(value), index_const(by));
  };
  const auto next = [&](const IndexExpr& value) { return index_add(below(value), one); };
  if (at.factor > 0) {
    add(bounds.first, by == 1 ? index_sub(index_const(0), at.rest) : next(index_sub(index_const(-1), at.rest)));
    add(bounds.end, by == 1 ? index_sub(at.size, at.rest) : next(index_sub(index_sub(at.size, at.rest), one)));
  } else {
    add(bounds.first, by == 1 ? index_sub(index_add(at.rest, one), at.size) : next(index_sub(at.rest, at.size)));
    add(bounds.end, next(at.rest));
  }
}

/// Returns the condition that a coordinate that does not move with the variable lies inside of the matrix.
Condition is_inside(const Along& at) {
  return Condition::all_of(
      {Condition::at_least_zero(at.rest), Condition::relation(at.rest, RelationOp::Less, at.size)});
}

/// Whether the instances at which the cell lies inside form a range of the innermost loop. A mapped coordinate that
/// does not move with that loop need not lie inside.
bool is_range(const RuleShape& rule, const RegionAccess& input, const std::string& var) {
  if (input.is_slice) return false;
  for (std::size_t dim = 0; dim < input.lo.size(); ++dim) {
    if (input.is_mapped_dim(dim) && !moves_with(input, dim, var)) continue;
    if (!along(rule, input, dim, var)) return false;
    if (std::find(input.tested_dims.begin(), input.tested_dims.end(), dim) != input.tested_dims.end()) return false;
  }
  return true;
}

bool is_asked_for(const RegionAccess& input) { return !input.is_guest && input.may_be_outside(); }

/// Whether the cell may lie outside along the dimension. An input with a border may do so along mapped dimensions
/// alone, and never along the one of versions.
bool counts(const RegionAccess& input, std::size_t dim) { return input.is_optional() || input.is_mapped_dim(dim); }

/// Whether the innermost loop has a range of instances whose cells all lie inside.
bool has_inside_range(const RuleShape& rule, const Step& step) {
  if (step.loops.empty() || !rule.rule.tried.empty() || rule.rule.is_dynamic || find_strips(rule, step)) return false;
  const LoopDim& loop = step.loops.back();
  if (loop.order == LoopOrder::Decreasing || loop.stride > 1) return false;
  bool has_any = false;
  for (const RegionAccess& input : rule.rule.inputs) {
    if (!is_asked_for(input)) continue;
    if (!is_range(rule, input, loop.var)) return false;
    has_any = true;
  }
  return has_any;
}

}  // namespace

MappedCoordinate mapped_coordinate(const RegionAccess& access, std::size_t dim) {
  return {access.matrix, dim, access.border, access.lo[dim]};
}

namespace {

/// Returns the mapped coordinates of the inputs that do not move with `var`, each once.
std::vector<MappedCoordinate> mapped_beside(const Rule& rule, const std::string& var) {
  std::vector<MappedCoordinate> out;
  for (const RegionAccess& input : rule.inputs) {
    for (std::size_t dim = 0; !input.is_guest && dim < input.num_mapped_dims; ++dim) {
      if (moves_with(input, dim, var)) continue;
      MappedCoordinate coordinate = mapped_coordinate(input, dim);
      if (std::find(out.begin(), out.end(), coordinate) == out.end()) out.push_back(std::move(coordinate));
    }
  }
  return out;
}

}  // namespace

std::optional<InsideRange> find_inside_range(const RuleShape& rule, const Step& step) {
  if (!has_inside_range(rule, step)) return std::nullopt;
  InsideRange out;
  out.var = step.loops.back().var;
  std::vector<Condition> same;
  for (const RegionAccess& input : rule.rule.inputs) {
    for (std::size_t dim = 0; is_asked_for(input) && dim < input.lo.size(); ++dim) {
      if (!counts(input, dim) || (input.is_mapped_dim(dim) && !moves_with(input, dim, out.var))) continue;
      const Along at = *along(rule, input, dim, out.var);
      if (at.factor == 0) {
        same.push_back(is_inside(at));
      } else {
        add_range(at, {out.first, out.end});
      }
    }
  }
  out.exists = Condition::all_of(std::move(same));
  out.mapped_once = mapped_beside(rule.rule, out.var);
  return out;
}

std::optional<InsideBox> find_inside_box(const RuleShape& rule, const Step& step) {
  InsideBox out;
  out.first.resize(step.loops.size());
  out.end.resize(step.loops.size());
  bool has_any = false;
  std::vector<Condition> terms;
  for (const RegionAccess& input : rule.rule.inputs) {
    if (!is_asked_for(input)) continue;
    has_any = true;
    if (!input.tested_dims.empty()) return std::nullopt;
    for (std::size_t dim = 0; dim < input.lo.size(); ++dim) {
      if (!counts(input, dim)) continue;
      std::vector<std::size_t> moving;
      for (std::size_t d = 0; d < step.loops.size(); ++d)
        if (moves_with(input, dim, step.loops[step.loops.size() - 1 - d].var)) moving.push_back(d);
      if (moving.size() > 1) return std::nullopt;
      const std::string var = moving.empty() ? "" : step.loops[step.loops.size() - 1 - moving[0]].var;
      const auto at = along(rule, input, dim, var);
      if (!at) return std::nullopt;
      if (at->factor == 0) {
        terms.push_back(is_inside(*at));
      } else {
        add_range(*at, {out.first[moving[0]], out.end[moving[0]]});
      }
    }
  }
  out.condition = Condition::all_of(std::move(terms));
  return has_any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace pb
