// SPDX-License-Identifier: MIT
#include "lang/region/bounds.h"

#include <algorithm>
#include <utility>

#include "lang/check.h"

namespace pb {
namespace {

using State = RegionState;
using Access = RegionAccessor;

/// `function` as an expression. It is simplified by what is `known` of the parameters only if necessary: under a
/// condition such as n = 1, isl writes 0 for n-1, and then no minimum or maximum is recognised.
std::optional<IndexExpr> to_expr(State& state, isl_pw_aff* function, const Region& known) {
  if (auto expr = from_pw_aff(state, function)) return expr;
  if (!known.is_known()) return std::nullopt;
  const PwAffPtr simple(
      isl_pw_aff_gist_params(isl_pw_aff_copy(function), isl_set_params(isl_set_copy(Access::get(known)))));
  return simple ? from_pw_aff(state, simple.get()) : std::nullopt;
}

/// Smallest or greatest value of dimension `dim`.
std::optional<IndexExpr> extremum(const Region& region, int dim, bool is_max, const Region& known) {
  State& state = *Access::state(region);
  isl_set* set = Access::get(region);
  const auto position = static_cast<unsigned>(dim);
  if (set == nullptr || !is_true(state, isl_set_dim_is_bounded(set, isl_dim_set, position))) return std::nullopt;
  const PwAffPtr function(is_max ? isl_set_dim_max(isl_set_copy(set), dim) : isl_set_dim_min(isl_set_copy(set), dim));
  if (!function) {
    state.note_failure();
    return std::nullopt;
  }
  return to_expr(state, function.get(), known);
}

/// expr + 1, inside of a minimum or maximum: `min(1, n)`, not `min(0, n-1)+1`.
IndexExpr plus_one(const IndexExpr& expr) {
  if (expr.op != IndexExpr::Op::Min && expr.op != IndexExpr::Op::Max) return index_add(expr, index_const(1));
  IndexExpr out = expr;
  for (IndexExpr& item : out.operands) item = index_add(std::move(item), index_const(1));
  return out;
}

}  // namespace

IndexExpr without_needless(const IndexExpr& expr, const Region& known) {
  const bool is_max = expr.op == IndexExpr::Op::Max;
  if (!known.is_known() || (!is_max && expr.op != IndexExpr::Op::Min)) return expr;
  std::vector<IndexExpr> items = expr.operands;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < items.size(); ++j) {
      if (i == j) continue;
      const IndexExpr difference = is_max ? index_sub(items[i], items[j]) : index_sub(items[j], items[i]);
      if (!known.where_nonnegative(index_sub(difference, index_const(1))).is_empty()) continue;
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
      --i;
      break;
    }
  }
  return is_max ? index_max(items) : index_min(items);
}

std::optional<Interval> interval_of(const Region& region, int dim, const Region& known) {
  const auto lo = extremum(region, dim, false, known);
  if (!lo) return std::nullopt;
  const auto last = extremum(region, dim, true, known);
  if (!last) return std::nullopt;
  return Interval{without_needless(*lo, known), plus_one(without_needless(*last, known))};
}

std::optional<Interval> loose_interval_of(const Region& region, int dim) {
  State& state = *Access::state(region);
  const auto terms = [&](isl_pw_aff* function) {
    const PwAffPtr owned(function);
    return owned ? terms_of(state, owned.get()) : std::vector<IndexExpr>();
  };
  isl_set* set = Access::get(region);
  if (!is_true(state, isl_set_dim_is_bounded(set, isl_dim_set, static_cast<unsigned>(dim)))) return std::nullopt;
  std::vector<IndexExpr> lo = terms(isl_set_dim_min(isl_set_copy(set), dim));
  std::vector<IndexExpr> last = terms(isl_set_dim_max(isl_set_copy(set), dim));
  if (lo.empty() || last.empty()) return std::nullopt;
  for (IndexExpr& item : last) item = index_add(std::move(item), index_const(1));
  return Interval{index_min(lo), index_max(last)};
}

std::optional<std::vector<IndexExpr>> constraints_of(const Region& region) {
  State& state = *Access::state(region);
  const std::unique_ptr<isl_basic_set_list, IslDelete> pieces(isl_set_get_basic_set_list(Access::get(region)));
  if (!pieces || isl_basic_set_list_n_basic_set(pieces.get()) != 1) return std::nullopt;
  const BasicSetPtr piece(isl_basic_set_remove_redundancies(isl_basic_set_list_get_basic_set(pieces.get(), 0)));
  const std::unique_ptr<isl_constraint_list, IslDelete> list(isl_basic_set_get_constraint_list(piece.get()));
  std::vector<IndexExpr> out;
  Region said = Region::universe(region.context(), region.dims());
  const auto say = [&](IndexExpr expr) {
    said = said.where_nonnegative(expr);
    out.push_back(std::move(expr));
  };
  const int count = isl_constraint_list_n_constraint(list.get());
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<isl_constraint, IslDelete> constraint(isl_constraint_list_get_constraint(list.get(), i));
    if (is_true(state, isl_constraint_is_div_constraint(constraint.get()))) continue;
    const AffPtr aff(isl_constraint_get_aff(constraint.get()));
    auto expr = aff ? from_aff(state, aff.get()) : std::nullopt;
    if (!expr) return std::nullopt;
    if (is_true(state, isl_constraint_is_equality(constraint.get()))) say(index_sub(index_const(0), *expr));
    say(std::move(*expr));
  }
  // A region such as `some e with 8e in [n-4, 2n-8]` has a constraint on e, which no expression over n can state.
  if (!said.is_equal(region)) return std::nullopt;
  return out;
}

std::vector<IndexExpr> constants_first(std::vector<IndexExpr> items) {
  std::stable_partition(items.begin(), items.end(), [](const IndexExpr& e) { return e.op == IndexExpr::Op::Const; });
  return items;
}

bool BoundList::names_any(const std::vector<std::string>& names) const {
  const auto names_one = [&](const IndexExpr& expr) {
    for (const std::string& symbol : symbols_of(expr))
      if (std::find(names.begin(), names.end(), symbol) != names.end()) return true;
    return false;
  };
  return std::any_of(lower.begin(), lower.end(), names_one) || std::any_of(upper.begin(), upper.end(), names_one);
}

void BoundList::add(std::int64_t factor, const IndexExpr& rest) {
  const IndexExpr divisor = index_const(factor < 0 ? -factor : factor);
  if (factor > 0) {
    const IndexExpr raised = index_sub(index_const(factor - 1), rest);
    lower.push_back(index_floordiv(raised, divisor));
  } else {
    upper.push_back(index_floordiv(index_add(rest, divisor), divisor));
  }
}

std::vector<Region> convex_pieces(const Region& region) {
  State* state = Access::state(region);
  isl_set* set = isl_set_make_disjoint(isl_set_compute_divs(isl_set_copy(Access::get(region))));
  const std::unique_ptr<isl_basic_set_list, IslDelete> list(isl_set_get_basic_set_list(set));
  isl_set_free(set);
  std::vector<Region> out;
  if (!list) {
    state->note_failure();
    return out;
  }
  const int count = isl_basic_set_list_n_basic_set(list.get());
  for (int i = 0; i < count; ++i)
    out.push_back(Access::make(state, isl_set_from_basic_set(isl_basic_set_list_get_basic_set(list.get(), i))));
  return out;
}

}  // namespace pb
