// SPDX-License-Identifier: MIT
// Regions as boxes with symbolic bounds. A box is accepted only after isl found its set
// equal to the region, so that bounds are exact for every parameter value.
#include <algorithm>
#include <utility>

#include "lang/check.h"
#include "lang/region/isl_access.h"
#include "lang/region/region.h"

namespace pb {
namespace {

using State = RegionContext::State;
using Access = RegionAccessor;

/// Smallest or greatest value of dimension `dim`, simplified by what is `known` of the parameters.
std::optional<IndexExpr> extremum(const Region& region, int dim, bool is_max, const Region& known) {
  State& state = *Access::state(region);
  isl_set* set = Access::get(region);
  const auto position = static_cast<unsigned>(dim);
  if (set == nullptr || !is_true(state, isl_set_dim_is_bounded(set, isl_dim_set, position))) return std::nullopt;
  isl_pw_aff* function = is_max ? isl_set_dim_max(isl_set_copy(set), dim) : isl_set_dim_min(isl_set_copy(set), dim);
  if (known.is_known()) {
    function = isl_pw_aff_gist_params(function, isl_set_params(isl_set_copy(Access::get(known))));
  }
  const PwAffPtr owned(function);
  if (!owned) {
    state.note_failure();
    return std::nullopt;
  }
  return from_pw_aff(state, owned.get());
}

/// expr + 1, inside of a minimum or maximum: `min(1, n)`, not `min(0, n-1)+1`.
IndexExpr plus_one(const IndexExpr& expr) {
  if (expr.op != IndexExpr::Op::Min && expr.op != IndexExpr::Op::Max) return index_add(expr, index_const(1));
  IndexExpr out = expr;
  for (IndexExpr& item : out.operands) item = index_add(std::move(item), index_const(1));
  return out;
}

std::optional<Interval> interval_of(const Region& region, int dim, const Region& known) {
  const auto lo = extremum(region, dim, false, known);
  if (!lo) return std::nullopt;
  const auto last = extremum(region, dim, true, known);
  if (!last) return std::nullopt;
  return Interval{*lo, plus_one(*last)};
}

/// The constraints of a region that is one convex piece of parameter values, each as an expression >= 0.
std::optional<std::vector<IndexExpr>> constraints_of(const Region& values) {
  State& state = *Access::state(values);
  const std::unique_ptr<isl_basic_set_list, IslDelete> pieces(isl_set_get_basic_set_list(Access::get(values)));
  if (!pieces || isl_basic_set_list_n_basic_set(pieces.get()) != 1) return std::nullopt;
  const BasicSetPtr piece(isl_basic_set_list_get_basic_set(pieces.get(), 0));
  const std::unique_ptr<isl_constraint_list, IslDelete> list(isl_basic_set_get_constraint_list(piece.get()));
  std::vector<IndexExpr> out;
  const int count = isl_constraint_list_n_constraint(list.get());
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<isl_constraint, IslDelete> constraint(isl_constraint_list_get_constraint(list.get(), i));
    if (is_true(state, isl_constraint_is_div_constraint(constraint.get()))) continue;
    const AffPtr aff(isl_constraint_get_aff(constraint.get()));
    auto expr = aff ? from_aff(state, aff.get()) : std::nullopt;
    if (!expr) return std::nullopt;
    if (is_true(state, isl_constraint_is_equality(constraint.get())))
      out.push_back(index_sub(index_const(0), *expr));
    out.push_back(std::move(*expr));
  }
  return out;
}

Region to_region(const Region& like, const RegionBox& box, const Region& known) {
  return Region::from_box(like.context(), like.dims(), box).intersect_parameters(known);
}

/// A number, or a sum that grows with its one symbol: what makes bounds that are easy to read.
bool is_readable_clamp(const IndexExpr& expr, bool is_number) {
  const std::vector<std::string> symbols = symbols_of(expr);
  if (is_number || symbols.size() != 1) return is_number && symbols.empty();
  const auto at_zero = evaluate(expr, {{symbols.front(), 0}});
  const auto at_one = evaluate(expr, {{symbols.front(), 1}});
  return at_zero && at_one && *at_zero < *at_one;
}

/// Says guard `at` of `box` by a bound instead, where that makes the box empty exactly when the guard fails:
/// `n-1 <= x < n` with n >= 2 is `max(1, n-1) <= x < n`.
bool absorb_guard(RegionBox& box, std::size_t at, const Region& exact, const Region& known) {
  const IndexExpr guard = box.guards[at];
  for (const bool is_number : {true, false}) {
    for (std::size_t side = 0; side < 2 * box.dims.size(); ++side) {
      RegionBox trial = box;
      trial.guards.erase(trial.guards.begin() + static_cast<std::ptrdiff_t>(at));
      Interval& interval = trial.dims[side / 2];
      const bool at_lo = side % 2 == 0;
      const IndexExpr clamp = at_lo ? index_sub(interval.lo, guard) : index_add(interval.hi, guard);
      if (!is_readable_clamp(clamp, is_number)) continue;
      if (at_lo) {
        interval.lo = is_number ? index_max({clamp, interval.lo}) : index_max({interval.lo, clamp});
      } else {
        interval.hi = is_number ? index_min({clamp, interval.hi}) : index_min({interval.hi, clamp});
      }
      if (!to_region(exact, trial, known).is_equal(exact)) continue;
      box = std::move(trial);
      return true;
    }
  }
  return false;
}

/// Adds to `box` the guards that make it equal to `exact`; false if none do.
bool add_guards(RegionBox& box, const Region& exact, const Region& known) {
  const Region unguarded = to_region(exact, box, known);
  const Region values = exact.parameter_values();
  if (!unguarded.intersect_parameters(values).is_equal(exact)) return false;
  const Region needed = values.simplify_given(unguarded.parameter_values()).coalesce();
  if (!needed.is_known()) return false;
  auto guards = constraints_of(needed);
  if (!guards) return false;
  box.guards = std::move(*guards);
  for (std::size_t i = 0; i < box.guards.size();)
    if (!absorb_guard(box, i, exact, known)) ++i;
  return true;
}

std::vector<Region> disjoint_pieces(const Region& region) {
  State* state = Access::state(region);
  isl_set* set = isl_set_make_disjoint(isl_set_copy(Access::get(region)));
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

/// Joins pairs of pieces whose union is a box; fewer loops come out of it.
void merge_boxes(std::vector<std::pair<Region, RegionBox>>& pieces, const Region& known) {
  constexpr std::size_t kMaxPieces = 12;
  if (pieces.size() > kMaxPieces) return;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = i + 1; j < pieces.size(); ++j) {
      const Region both = pieces[i].first.unite(pieces[j].first).coalesce();
      auto box = both.as_box(known);
      if (!box) continue;
      pieces[i] = {both, std::move(*box)};
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(j));
      i = static_cast<std::size_t>(-1);
      break;
    }
  }
}

}  // namespace

std::optional<Interval> Region::bounds(int dim) const { return interval_of(*this, dim, Region()); }

std::optional<RegionBox> Region::as_box(const Region& known) const {
  const Region exact = intersect_parameters(known).coalesce();
  if (!exact.is_known()) return std::nullopt;
  RegionBox box;
  for (int d = 0; d < num_dims(); ++d) {
    auto interval = interval_of(exact, d, known);
    if (!interval) return std::nullopt;
    box.dims.push_back(std::move(*interval));
  }
  if (to_region(exact, box, known).is_equal(exact)) return box;
  if (!add_guards(box, exact, known)) return std::nullopt;
  return box;
}

std::optional<std::vector<RegionBox>> Region::disjoint_boxes(const Region& known) const {
  const Region exact = intersect_parameters(known).coalesce();
  if (!exact.is_known()) return std::nullopt;
  if (exact.is_empty()) return std::vector<RegionBox>{};
  if (auto whole = exact.as_box(known)) return std::vector<RegionBox>{std::move(*whole)};
  std::vector<std::pair<Region, RegionBox>> pieces;
  for (const Region& piece : disjoint_pieces(exact)) {
    if (piece.is_empty()) continue;
    auto box = piece.as_box(known);
    if (!box) return std::nullopt;
    pieces.emplace_back(piece, std::move(*box));
  }
  merge_boxes(pieces, known);
  std::vector<RegionBox> out;
  for (auto& [region, box] : pieces) out.push_back(std::move(box));
  return out;
}

}  // namespace pb
