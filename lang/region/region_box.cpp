// SPDX-License-Identifier: MIT
// Regions as boxes with symbolic bounds. A box is accepted only after isl found its set
// equal to the region, so that bounds are exact for every parameter value.
#include "lang/region/region_box.h"

#include <algorithm>
#include <utility>

#include "lang/check.h"
#include "lang/region/bounds.h"
#include "lang/region/isl_access.h"

namespace pb {
namespace {

using State = RegionState;
using Access = RegionAccessor;

/// Whether `expr` makes a bound that is easy to read: a number if `is_number`, else a sum that grows with its one
/// symbol.
bool is_readable_clamp(const IndexExpr& expr, bool is_number) {
  const std::vector<std::string> symbols = symbols_of(expr);
  if (is_number || symbols.size() != 1) return is_number && symbols.empty();
  const auto at_zero = evaluate(expr, {{symbols.front(), 0}});
  const auto at_one = evaluate(expr, {{symbols.front(), 1}});
  return at_zero && at_one && *at_zero < *at_one;
}

/// Replaces guard `at` of `box` by a bound, if the bound makes the box empty exactly when the guard fails: `n-1 <= x <
/// n` with n >= 2 is `max(1, n-1) <= x < n`.
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

/// Adds the guards to `box` that make it equal to `exact`. Returns false if no guards do.
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

/// Adds `constraint`, an expression over dimensions and parameters that is >= 0, to the bounds of the one dimension
/// that it names.
bool sort_constraint(State& state, isl_aff* aff, bool is_equality, std::vector<BoundList>& bounds) {
  int dim = -1;
  for (std::size_t d = 0; d < bounds.size(); ++d) {
    const ValPtr factor(isl_aff_get_coefficient_val(aff, isl_dim_in, static_cast<int>(d)));
    if (is_true(state, isl_val_is_zero(factor.get()))) continue;
    if (dim >= 0) return false;
    dim = static_cast<int>(d);
  }
  if (dim < 0) return true;  // it names only parameters and becomes a guard later
  const ValPtr factor(isl_aff_get_coefficient_val(aff, isl_dim_in, dim));
  if (isl_val_is_int(factor.get()) != isl_bool_true || isl_val_cmp_si(factor.get(), 1'000'000) > 0 ||
      isl_val_cmp_si(factor.get(), -1'000'000) < 0) {
    return false;
  }
  const std::int64_t number = isl_val_get_num_si(factor.get());
  const AffPtr without(isl_aff_set_coefficient_si(isl_aff_copy(aff), isl_dim_in, dim, 0));
  const auto expr = from_aff(state, without.get());
  if (!expr) return false;
  bounds[static_cast<std::size_t>(dim)].add(number, *expr);
  if (is_equality) bounds[static_cast<std::size_t>(dim)].add(-number, index_sub(index_const(0), *expr));
  return true;
}

/// The bounds of a convex region if each of its constraints names one dimension. They read as the program was written.
std::optional<RegionBox> box_from_constraints(const Region& exact, const Region& known) {
  State& state = *Access::state(exact);
  const Region simple = exact.simplify_given(known);
  if (!simple.is_known()) return std::nullopt;
  const std::unique_ptr<isl_basic_set_list, IslDelete> pieces(isl_set_get_basic_set_list(Access::get(simple)));
  if (!pieces || isl_basic_set_list_n_basic_set(pieces.get()) != 1) return std::nullopt;
  const BasicSetPtr piece(isl_basic_set_remove_redundancies(isl_basic_set_list_get_basic_set(pieces.get(), 0)));
  const std::unique_ptr<isl_constraint_list, IslDelete> list(isl_basic_set_get_constraint_list(piece.get()));
  std::vector<BoundList> bounds(static_cast<std::size_t>(exact.num_dims()));
  const int count = isl_constraint_list_n_constraint(list.get());
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<isl_constraint, IslDelete> constraint(isl_constraint_list_get_constraint(list.get(), i));
    if (is_true(state, isl_constraint_is_div_constraint(constraint.get()))) return std::nullopt;
    const bool is_equality = is_true(state, isl_constraint_is_equality(constraint.get()));
    const AffPtr aff(isl_constraint_get_aff(constraint.get()));
    if (!aff || !sort_constraint(state, aff.get(), is_equality, bounds)) return std::nullopt;
  }
  RegionBox out;
  const std::vector<std::string> dims = exact.dims();
  for (BoundList& list_of_dim : bounds) {
    if (list_of_dim.lower.empty() || list_of_dim.upper.empty()) return std::nullopt;
    if (list_of_dim.names_any(dims)) return std::nullopt;  // a lattice: divisions of the dimension itself
    out.dims.push_back({without_needless(index_max(constants_first(std::move(list_of_dim.lower))), known),
                        without_needless(index_min(constants_first(std::move(list_of_dim.upper))), known)});
  }
  return out;
}

/// Whether `box`, perhaps with guards that this adds, is equal to `exact`.
bool fits(RegionBox& box, const Region& exact, const Region& known) {
  return to_region(exact, box, known).is_equal(exact) || add_guards(box, exact, known);
}

struct Piece {
  Region region;
  RegionBox box;
};

constexpr int kMaxSlices = 2;

bool names_any(const IndexExpr& expr, const std::vector<std::string>& names, bool in_division) {
  if (expr.op == IndexExpr::Op::Symbol)
    return !in_division && std::find(names.begin(), names.end(), expr.symbol) != names.end();
  const bool still = in_division && expr.op != IndexExpr::Op::FloorDiv;
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](const IndexExpr& operand) { return names_any(operand, names, still); });
}

/// Appends the boxes of one convex piece, cutting off at most `max_slices` slices. See Note [Slices].
bool append_boxes(const Region& part, const Region& known, int max_slices, std::vector<Piece>& out) {
  if (auto box = as_box(part, known)) {
    out.push_back({part, std::move(*box)});
    return true;
  }
  const std::vector<std::string> dims = part.dims();
  for (int d = 0; max_slices > 0 && d < part.num_dims(); ++d) {
    const auto interval = interval_of(part, d, known);
    if (!interval) return false;
    for (const IndexExpr& at : {interval->lo, index_sub(interval->hi, index_const(1))}) {
      const Region slice = part.where_zero(index_sub(index_symbol(dims[static_cast<std::size_t>(d)]), at)).coalesce();
      const Region rest = part.subtract(slice).coalesce();
      const std::size_t num_before = out.size();
      auto slice_box = as_box(slice, known);
      if (!slice_box || slice.is_empty() || rest.is_empty()) continue;
      out.push_back({slice, std::move(*slice_box)});
      bool ok = true;
      for (const Region& piece : convex_pieces(rest)) ok = ok && append_boxes(piece, known, max_slices - 1, out);
      if (ok) return true;
      out.resize(num_before);
    }
  }
  return false;
}

/// Joins pairs of pieces whose union is a box, so that there are fewer loops.
void merge_boxes(std::vector<Piece>& pieces, const Region& known) {
  constexpr std::size_t kMaxPieces = 12;
  if (pieces.size() > kMaxPieces) return;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t j = i + 1; j < pieces.size(); ++j) {
      const Region both = pieces[i].region.unite(pieces[j].region).coalesce();
      auto box = as_box(both, known);
      if (!box) continue;
      pieces[i] = {both, std::move(*box)};
      pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(j));
      i = static_cast<std::size_t>(-1);
      break;
    }
  }
}

}  // namespace

bool may_be_boxes(const Region& piece, const Region& known) {
  constexpr std::int64_t kFewCells = 3;
  const auto constraints = constraints_of(piece.simplify_given(known));
  if (!constraints) return true;
  const std::vector<std::string> dims = piece.dims();
  bool is_slanted = false;
  for (const IndexExpr& constraint : *constraints) {
    if (names_any(constraint, dims, true)) return false;
    const auto is_named = [&](const std::string& dim) { return names_any(constraint, {dim}, false); };
    is_slanted = is_slanted || std::count_if(dims.begin(), dims.end(), is_named) > 1;
  }
  if (!is_slanted) return true;
  for (int d = 0; d < piece.num_dims(); ++d) {
    const auto range = interval_of(piece, d, known);
    if (!range) continue;
    const IndexExpr beyond = index_add(range->lo, index_const(kFewCells));
    if (piece.where_nonnegative(index_sub(index_symbol(dims[static_cast<std::size_t>(d)]), beyond)).is_empty())
      return true;
  }
  return false;
}

Region region_of_box(const RegionContext& context, const std::vector<std::string>& dims, const RegionBox& box) {
  PB_CHECK(dims.size() == box.dims.size(), "a name per dimension of the box");
  Region out = Region::universe(context, dims);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const IndexExpr x = index_symbol(dims[i]);
    out = out.where_nonnegative(index_sub(x, box.dims[i].lo));
    out = out.where_nonnegative(index_sub(index_sub(box.dims[i].hi, x), index_const(1)));
  }
  for (const IndexExpr& guard : box.guards) out = out.where_nonnegative(guard);
  for (const IndexExpr& condition : box.conditions) out = out.where_nonnegative(condition);
  return out;
}

Region to_region(const Region& like, const RegionBox& box, const Region& known) {
  return region_of_box(like.context(), like.dims(), box).intersect_parameters(known);
}

std::optional<RegionBox> as_box(const Region& region, const Region& known) {
  const Region exact = region.intersect_parameters(known).coalesce();
  if (!exact.is_known()) return std::nullopt;
  if (auto read = box_from_constraints(exact, known); read && fits(*read, exact, known)) return read;
  RegionBox box;
  for (int d = 0; d < region.num_dims(); ++d) {
    auto interval = interval_of(exact, d, known);
    if (!interval) return std::nullopt;
    box.dims.push_back(std::move(*interval));
  }
  if (!fits(box, exact, known)) return std::nullopt;
  return box;
}

std::optional<std::vector<RegionBox>> disjoint_boxes(const Region& region, const Region& known) {
  const Region exact = region.intersect_parameters(known).coalesce();
  if (!exact.is_known()) return std::nullopt;
  if (exact.is_empty()) return std::vector<RegionBox>{};
  const std::vector<Region> parts = convex_pieces(exact);
  if (parts.size() == 1 && !may_be_boxes(parts.front(), known)) return std::nullopt;
  if (auto whole = as_box(exact, known)) return std::vector<RegionBox>{std::move(*whole)};
  std::vector<Piece> pieces;
  for (const Region& part : parts)
    if (!part.is_empty() && !(may_be_boxes(part, known) && append_boxes(part, known, kMaxSlices, pieces)))
      return std::nullopt;
  merge_boxes(pieces, known);
  std::vector<RegionBox> out;
  for (Piece& piece : pieces) out.push_back(std::move(piece.box));
  return out;
}

// Note [Slices]
// isl joins {(0, y) : y >= 1} and {(1, y) : y >= 0} to the one convex set 0 <= x <= 1, y >= 0, x + y >= 1, which has
// the same integer points and is no box. Cutting off the first or last slice of a dimension gives the boxes back.

}  // namespace pb
