// SPDX-License-Identifier: MIT
// Describes regions that are no boxes: as boxes with conditions, and as loop nests whose bounds name the loops outside.
// See Note [Exact by construction].
#include "lang/region/nest.h"

#include <algorithm>
#include <utility>

#include "lang/region/bounds.h"
#include "lang/region/isl_access.h"
#include "lang/region/region_box.h"

namespace pb {
namespace {

using State = RegionState;
using Access = RegionAccessor;

constexpr std::int64_t kMaxStride = 1 << 20;

bool names_any(const IndexExpr& expr, const std::vector<std::string>& names) {
  const std::vector<std::string> symbols = symbols_of(expr);
  return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
    return std::find(names.begin(), names.end(), symbol) != names.end();
  });
}

/// `set` without the constraints on those of its dimensions `dims` that are neither `dim` nor in `kept`.
SetPtr eliminate_others(SetPtr set, const std::vector<std::string>& dims, std::size_t dim,
                        const std::vector<std::string>& kept) {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const bool stays = d == dim || std::find(kept.begin(), kept.end(), dims[d]) != kept.end();
    if (!stays) set.reset(isl_set_eliminate(set.release(), isl_dim_set, static_cast<unsigned>(d), 1));
  }
  return set;
}

std::optional<std::int64_t> small_integer(isl_val* value) {
  const ValPtr owned(value);
  if (!owned || isl_val_is_int(owned.get()) != isl_bool_true) return std::nullopt;
  if (isl_val_cmp_si(owned.get(), kMaxStride) > 0 || isl_val_cmp_si(owned.get(), -kMaxStride) < 0) return std::nullopt;
  return isl_val_get_num_si(owned.get());
}

/// Bounds of dimension `dim` over parameters and the dimensions in `kept`, at most as tight as they are.
BoundList bounds_given(const Region& region, std::size_t dim, const std::vector<std::string>& kept) {
  State& state = *Access::state(region);
  BoundList out;
  const auto without_divs = [&](SetPtr set) {
    const auto num_dims = static_cast<unsigned>(region.num_dims());
    return SetPtr(isl_set_remove_divs_involving_dims(set.release(), isl_dim_set, 0, num_dims));
  };
  // The divisions are removed first, so that their constraints on the other dimensions are kept. Projecting makes new
  // divisions.
  SetPtr open = without_divs(SetPtr(isl_set_copy(Access::get(region))));
  open = without_divs(eliminate_others(std::move(open), region.dims(), dim, kept));
  const BasicSetPtr hull(isl_basic_set_remove_redundancies(isl_set_simple_hull(open.release())));
  const std::unique_ptr<isl_constraint_list, IslDelete> list(isl_basic_set_get_constraint_list(hull.get()));
  const int count = isl_constraint_list_n_constraint(list.get());
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<isl_constraint, IslDelete> constraint(isl_constraint_list_get_constraint(list.get(), i));
    if (is_true(state, isl_constraint_is_div_constraint(constraint.get()))) continue;
    const AffPtr aff(isl_constraint_get_aff(constraint.get()));
    if (!aff) continue;
    const auto factor = small_integer(isl_aff_get_coefficient_val(aff.get(), isl_dim_in, static_cast<int>(dim)));
    if (!factor || *factor == 0) continue;
    const AffPtr without(isl_aff_set_coefficient_si(isl_aff_copy(aff.get()), isl_dim_in, static_cast<int>(dim), 0));
    const auto rest = from_aff(state, without.get());
    if (!rest) continue;
    out.add(*factor, *rest);
    if (is_true(state, isl_constraint_is_equality(constraint.get())))
      out.add(-*factor, index_sub(index_const(0), *rest));
  }
  return out;
}

/// A range of dimension `dim`, over parameters only, that holds all points.
std::optional<Interval> range_of(const Region& region, std::size_t dim, const Region& known) {
  BoundList bounds = bounds_given(region, dim, {});
  if (bounds.lower.empty() || bounds.upper.empty()) {
    auto exact = interval_of(region, static_cast<int>(dim), known);
    return exact ? exact : loose_interval_of(region, static_cast<int>(dim));
  }
  return Interval{without_needless(index_max(constants_first(std::move(bounds.lower))), known),
                  without_needless(index_min(constants_first(std::move(bounds.upper))), known)};
}

/// Drops conditions that the rest of `box` implies.
void drop_needless(RegionBox& box, const Region& exact, const Region& known) {
  for (auto* list : {&box.conditions, &box.guards}) {
    for (std::size_t i = list->size(); i-- > 0;) {
      const IndexExpr dropped = (*list)[i];
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
      if (!to_region(exact, box, known).is_equal(exact))
        list->insert(list->begin() + static_cast<std::ptrdiff_t>(i), dropped);
    }
  }
}

/// Drops operands of minima and maxima that the conditions imply.
void shorten_bounds(RegionBox& box, const Region& exact, const Region& known) {
  for (Interval& dim : box.dims) {
    for (IndexExpr* bound : {&dim.lo, &dim.hi}) {
      const bool is_max = bound->op == IndexExpr::Op::Max;
      if (!is_max && bound->op != IndexExpr::Op::Min) continue;
      std::vector<IndexExpr> items = bound->operands;
      for (std::size_t i = items.size(); items.size() > 1 && i-- > 0;) {
        std::vector<IndexExpr> fewer = items;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        const IndexExpr before = std::exchange(*bound, is_max ? index_max(fewer) : index_min(fewer));
        if (to_region(exact, box, known).is_equal(exact)) {
          items = std::move(fewer);
        } else {
          *bound = before;
        }
      }
    }
  }
}

/// A convex piece as a box with conditions.
std::optional<RegionBox> box_with_conditions(const Region& piece, const Region& known) {
  auto constraints = constraints_of(piece.simplify_given(known));
  if (!constraints) constraints = constraints_of(piece);
  if (!constraints) return std::nullopt;
  RegionBox out;
  for (int d = 0; d < piece.num_dims(); ++d) {
    auto range = range_of(piece, static_cast<std::size_t>(d), known);
    if (!range) return std::nullopt;
    out.dims.push_back(std::move(*range));
  }
  const std::vector<std::string> dims = piece.dims();
  for (IndexExpr& constraint : *constraints)
    (names_any(constraint, dims) ? out.conditions : out.guards).push_back(std::move(constraint));
  drop_needless(out, piece, known);
  shorten_bounds(out, piece, known);
  return out;
}

Region constrained(Region region, const NestLevel& level) {
  const IndexExpr var = index_symbol(level.var);
  const auto at_least = [&](const IndexExpr& bound) { region = region.where_nonnegative(index_sub(var, bound)); };
  const auto below = [&](const IndexExpr& bound) {
    region = region.where_nonnegative(index_sub(index_sub(bound, index_const(1)), var));
  };
  at_least(level.range.lo);
  below(level.range.hi);
  for (const IndexExpr& bound : level.lower) at_least(bound);
  for (const IndexExpr& bound : level.upper) below(bound);
  if (level.stride == 1) return region;
  const IndexExpr distance = index_sub(var, level.offset);
  const IndexExpr stride = index_const(level.stride);
  return region.where_zero(index_sub(distance, index_mul(stride, index_floordiv(distance, stride))));
}

/// The stride of the level's dimension for fixed values of `outer`, if there is one.
void find_stride(const Region& region, std::size_t dim, const std::vector<std::string>& outer, NestLevel& level) {
  const SetPtr set = eliminate_others(SetPtr(isl_set_copy(Access::get(region))), region.dims(), dim, outer);
  const StrideInfoPtr info(isl_set_get_stride_info(set.get(), static_cast<int>(dim)));
  if (!info) return;
  const auto stride = small_integer(isl_stride_info_get_stride(info.get()));
  if (!stride || *stride < 2) return;
  const AffPtr offset(isl_stride_info_get_offset(info.get()));
  auto expr = offset ? from_aff(*Access::state(region), offset.get()) : std::nullopt;
  if (!expr) return;
  level.stride = *stride;
  level.offset = std::move(*expr);
  if (level.offset.op == IndexExpr::Op::Const)
    level.offset.value = ((level.offset.value % *stride) + *stride) % *stride;
}

/// Drops the bounds of `level` that change nothing within `prefix`, the levels outside of it.
void drop_needless(NestLevel& level, const Region& prefix) {
  const Region all = constrained(prefix, level);
  for (auto* list : {&level.lower, &level.upper}) {
    for (std::size_t i = list->size(); i-- > 0;) {
      const IndexExpr dropped = (*list)[i];
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
      if (!constrained(prefix, level).is_equal(all))
        list->insert(list->begin() + static_cast<std::ptrdiff_t>(i), dropped);
    }
  }
}

/// The conditions in `items` without which `region` and the other conditions give more than `exact`.
std::vector<IndexExpr> needed_conditions(std::vector<IndexExpr> items, const Region& region, const Region& exact) {
  const auto is_exact = [&] {
    Region out = region;
    for (const IndexExpr& item : items) out = out.where_nonnegative(item);
    return out.is_equal(exact);
  };
  for (std::size_t i = items.size(); i-- > 0;) {
    const IndexExpr dropped = items[i];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
    if (!is_exact()) items.insert(items.begin() + static_cast<std::ptrdiff_t>(i), dropped);
  }
  return items;
}

std::vector<IndexExpr> naming(std::vector<IndexExpr> items, const std::vector<std::string>& names) {
  std::erase_if(items, [&](const IndexExpr& item) { return !names_any(item, names); });
  return items;
}

/// The loop over dimension `dim` inside of those over `outer`, whose points are `prefix`.
NestLevel level_of(const Region& exact, const Region& prefix, std::size_t dim, const Interval& range,
                   const std::vector<std::string>& outer) {
  NestLevel level{exact.dims()[dim], range, {}, {}, 1, index_const(0)};
  BoundList bounds = bounds_given(exact, dim, outer);
  level.lower = naming(std::move(bounds.lower), outer);
  level.upper = naming(std::move(bounds.upper), outer);
  find_stride(exact, dim, outer, level);
  if (!exact.is_subset(constrained(prefix, level))) level.stride = 1;
  if (level.stride == 1) level.offset = index_const(0);
  drop_needless(level, prefix);
  return level;
}

}  // namespace

std::optional<std::vector<RegionBox>> disjoint_pieces(const Region& region, const Region& known) {
  if (auto boxes = disjoint_boxes(region, known)) return boxes;
  const Region exact = region.intersect_parameters(known).coalesce();
  if (!exact.is_known()) return std::nullopt;
  std::vector<RegionBox> out;
  for (const Region& piece : convex_pieces(exact)) {
    if (piece.is_empty()) continue;
    auto box = may_be_boxes(piece, known) ? as_box(piece, known) : std::nullopt;
    if (!box) box = box_with_conditions(piece, known);
    if (!box) return std::nullopt;
    out.push_back(std::move(*box));
  }
  return out;
}

RegionNest loop_nest(const Region& region, const RegionBox& box, const std::vector<std::string>& vars,
                     const Region& known) {
  const Region exact = region.intersect_parameters(known).coalesce();
  const std::vector<std::string> dims = exact.dims();
  RegionNest out;
  out.guards = box.guards;
  Region prefix = Region::universe(region.context(), dims).intersect_parameters(known);
  for (const IndexExpr& guard : out.guards) prefix = prefix.where_nonnegative(guard);
  std::vector<std::string> outer;
  for (const std::string& var : vars) {
    const auto dim = static_cast<std::size_t>(std::find(dims.begin(), dims.end(), var) - dims.begin());
    if (dim == dims.size()) return out;  // the result is unknown, because a limit was exceeded
    out.levels.push_back(level_of(exact, prefix, dim, box.dims[dim], outer));
    prefix = constrained(prefix, out.levels.back());
    outer.push_back(var);
  }
  out.conditions = needed_conditions(box.conditions, prefix, exact);
  return out;
}

// Note [Exact by construction]
// A convex piece is the conjunction of its constraints. Said all of them, as conditions tested per point, the piece is
// exact whatever the bounds are, as long as these hold all of its points; so bounds may be rational hulls that are easy
// to read and cheap to evaluate. A condition is dropped only after isl found the sets with and without it equal, which
// for most triangles, diagonals and lattices leaves loops without any test.

}  // namespace pb
