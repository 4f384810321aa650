// SPDX-License-Identifier: MIT
#include "clgen/cpp/optional_ranges.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "clgen/cpp/border_code.h"
#include "clgen/cpp/strip_code.h"
#include "clgen/index_width.h"
#include "clgen/names.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

using Texts = std::vector<std::string>;

void add(Texts& terms, std::string term) {
  if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(std::move(term));
}

/// A coordinate `factor * var + rest`, and its matrix's extent.
struct Along {
  std::int64_t factor = 0;
  IndexExpr rest, size;
};

/// None if the coordinate is nothing of the kind.
std::optional<Along> along(const RuleCode& code, const RegionAccess& input, std::size_t dim, const std::string& var) {
  const auto factor = coefficient_of(input.lo[dim], var);
  const auto exact = to_rational(input.lo[dim], {});
  if (!factor || !exact || exact->denominator != 1) return std::nullopt;
  const IndexExpr size = index_symbol(code.matrix_name(input) + ".size(" + std::to_string(dim) + ")");
  return Along{*factor, index_sub(exact->numerator, index_mul(index_const(*factor), index_symbol(var))), size};
}

/// Adds what `0 <= coordinate < size` says of the variable: it is at least `first`, below `end`.
void add_range(const Transform& transform, const Along& at, Texts& first, Texts& end) {
  const auto text = [&](const IndexExpr& value) { return to_index_cpp(value, transform); };
  const IndexExpr one = index_const(1);
  const std::int64_t by = at.factor < 0 ? -at.factor : at.factor;
  const auto below = [&](IndexExpr value) {
    return by == 1 ? value : index_floordiv(std::move(value), index_const(by));
  };
  const auto next = [&](const IndexExpr& value) { return text(index_add(below(value), one)); };
  if (at.factor > 0) {
    add(first, by == 1 ? text(index_sub(index_const(0), at.rest)) : next(index_sub(index_const(-1), at.rest)));
    add(end, by == 1 ? text(index_sub(at.size, at.rest)) : next(index_sub(index_sub(at.size, at.rest), one)));
  } else {
    add(first, by == 1 ? text(index_sub(index_add(at.rest, one), at.size)) : next(index_sub(at.rest, at.size)));
    add(end, next(at.rest));
  }
}

/// A coordinate without the variable lies inside.
Condition is_inside(const Along& at) {
  return Condition::all_of(
      {Condition::at_least_zero(at.rest), Condition::relation(at.rest, RelationOp::Less, at.size)});
}

/// Whether the cell moves evenly, so that the instances in which it lies inside are a range. Mapped coordinates that do
/// not move need not be inside.
bool is_range(const RuleCode& code, const RegionAccess& input, const std::string& var) {
  if (input.is_slice) return false;
  for (std::size_t dim = 0; dim < input.lo.size(); ++dim) {
    if (input.is_mapped_dim(dim) && !moves_with(input, dim, var)) continue;
    if (!along(code, input, dim, var)) return false;
    if (std::find(input.tested_dims.begin(), input.tested_dims.end(), dim) != input.tested_dims.end()) return false;
  }
  return true;
}

bool is_asked_for(const RegionAccess& input) { return !input.is_guest && input.may_be_outside(); }

/// Whether the dimension counts: of inputs with a border, which has to do with mapped ones alone, not the version.
bool counts(const RegionAccess& input, std::size_t dim) { return input.is_optional() || input.is_mapped_dim(dim); }

}  // namespace

bool has_optional_ranges(const RuleCode& code, const Step& step) {
  if (step.loops.empty() || !code.tried.empty() || code.rule.is_dynamic || has_strips(code, step)) return false;
  const LoopDim& loop = step.loops.back();
  if (loop.order == LoopOrder::Decreasing || loop.stride > 1) return false;
  bool has_any = false;
  for (const RegionAccess& input : code.rule.inputs) {
    if (!is_asked_for(input)) continue;
    if (!is_range(code, input, loop.var)) return false;
    has_any = true;
  }
  return has_any;
}

void emit_optional_range(Writer& out, const RuleCode& code, const Step& step) {
  const std::string& var = step.loops.back().var;
  Texts first = {"pb_lo_" + var};
  Texts last = {"pb_hi_" + var};
  std::vector<Condition> same;
  for (const RegionAccess& input : code.rule.inputs) {
    for (std::size_t dim = 0; is_asked_for(input) && dim < input.lo.size(); ++dim) {
      if (!counts(input, dim) || (input.is_mapped_dim(dim) && !moves_with(input, dim, var))) continue;
      const Along at = *along(code, input, dim, var);
      if (at.factor == 0) {
        same.push_back(is_inside(at));
      } else {
        add_range(code.transform, at, first, last);
      }
    }
  }
  out.line("// Where all optional cells exist.");
  out.line("const std::int64_t pb_from_" + var + " = pbrt::index_max(" + joined(first) + ");");
  out.line("const std::int64_t pb_to_" + var + " = pbrt::index_min(" + joined(last) + ");");
  same.push_back(Condition::relation(index_symbol("pb_from_" + var), RelationOp::Less, index_symbol("pb_to_" + var)));
  const auto spell = [&](const IndexExpr& expr) { return to_index_cpp(expr, code.transform); };
  out.line("const bool pb_exist = " + to_cpp(Condition::all_of(std::move(same)), spell) + ";");
  out.line("const IndexT pb_first_" + var + " = pb_exist ? static_cast<IndexT>(pb_from_" + var + ") : pb_hi_" + var +
           ";");
  out.line("const IndexT pb_last_" + var + " = pb_exist ? static_cast<IndexT>(pb_to_" + var + ") : pb_hi_" + var + ";");
}

std::optional<InsideBox> find_inside_box(const RuleCode& code, const Step& step) {
  InsideBox out;
  out.first.resize(step.loops.size());
  out.end.resize(step.loops.size());
  bool has_any = false;
  std::vector<Condition> terms;
  for (const RegionAccess& input : code.rule.inputs) {
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
      const auto at = along(code, input, dim, var);
      if (!at) return std::nullopt;
      if (at->factor == 0) {
        terms.push_back(is_inside(*at));
      } else {
        add_range(code.transform, *at, out.first[moving[0]], out.end[moving[0]]);
      }
    }
  }
  out.condition = Condition::all_of(std::move(terms));
  return has_any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace pb
