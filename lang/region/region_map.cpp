// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <utility>

#include "lang/check.h"
#include "lang/region/isl_access.h"
#include "lang/region/region.h"

namespace pb {
namespace {

using State = RegionState;
using Access = RegionAccessor;

isl_map* name_dims(isl_map* map, isl_dim_type type, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    map = isl_map_set_dim_name(map, type, static_cast<unsigned>(i), names[i].c_str());
  return map;
}

/// Unknown results keep the context of their operands.
Region unknown_region(State* state) {
  return state != nullptr ? Access::make(state, static_cast<isl_set*>(nullptr)) : Region();
}
RegionMap unknown_map(State* state) {
  return state != nullptr ? Access::make(state, static_cast<isl_map*>(nullptr)) : RegionMap();
}

/// { in -> out : out[position] >= bound(in) }, or < for upper bounds.
isl_map* half_space(isl_space* map_space, isl_pw_aff* bound, unsigned position, bool is_upper) {
  isl_space* range = isl_space_range(isl_space_copy(map_space));
  isl_local_space* local = isl_local_space_from_space(range);
  isl_pw_aff* coordinate = isl_pw_aff_var_on_domain(local, isl_dim_set, position);
  isl_map* out = is_upper ? isl_pw_aff_gt_map(bound, coordinate) : isl_pw_aff_le_map(bound, coordinate);
  isl_space_free(map_space);
  return out;
}

}  // namespace

RegionMap::RegionMap(RegionState* state, isl_map* map) : map_(map), state_(state) {
  if (map_ == nullptr) state_->note_failure();
  state_->acquire();
}
RegionMap::RegionMap(const RegionMap& other) : map_(isl_map_copy(other.map_)), state_(other.state_) {
  if (state_ != nullptr) state_->acquire();
}
RegionMap::RegionMap(RegionMap&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), state_(std::exchange(other.state_, nullptr)) {}
RegionMap& RegionMap::operator=(RegionMap other) noexcept {
  std::swap(map_, other.map_);
  std::swap(state_, other.state_);
  return *this;
}
RegionMap::~RegionMap() {
  isl_map_free(map_);
  if (state_ != nullptr) state_->release();
}

RegionMap RegionMap::to_box(const RegionContext& context, const std::vector<std::string>& in_dims,
                            const std::vector<std::string>& out_dims, const std::vector<Interval>& box) {
  PB_CHECK(out_dims.size() == box.size(), "an interval per dimension");
  State& state = context.state();
  const Region in = Region::universe(context, in_dims);
  SpacePtr space(isl_set_get_space(Access::get(in)));
  for (const Interval& interval : box) {
    space = add_parameters(state, std::move(space), interval.lo);
    space = add_parameters(state, std::move(space), interval.hi);
  }
  const auto num_out = static_cast<unsigned>(out_dims.size());
  isl_space* range = isl_space_set_from_params(isl_space_params(isl_space_copy(space.get())));
  range = isl_space_add_dims(range, isl_dim_set, num_out);
  const SpacePtr map_space(isl_space_map_from_domain_and_range(isl_space_copy(space.get()), range));
  isl_map* map = isl_map_universe(isl_space_copy(map_space.get()));
  for (unsigned i = 0; i < num_out; ++i) {
    for (const bool is_upper : {false, true}) {
      PwAffPtr bound = to_pw_aff(state, space.get(), is_upper ? box[i].hi : box[i].lo);
      map = isl_map_intersect(map, half_space(isl_space_copy(map_space.get()), bound.release(), i, is_upper));
    }
  }
  map = name_dims(map, isl_dim_in, in_dims);
  return Access::make(&state, name_dims(map, isl_dim_out, out_dims));
}

RegionMap RegionMap::intersect_domain(const Region& domain) const {
  if (!is_known() || !domain.is_known()) return unknown_map(state_);
  return Access::make(state_, isl_map_intersect_domain(isl_map_copy(map_), isl_set_copy(Access::get(domain))));
}
RegionMap RegionMap::intersect_range(const Region& range) const {
  if (!is_known() || !range.is_known()) return unknown_map(state_);
  return Access::make(state_, isl_map_intersect_range(isl_map_copy(map_), isl_set_copy(Access::get(range))));
}
Region RegionMap::domain() const {
  if (!is_known()) return unknown_region(state_);
  return Access::make(state_, isl_map_domain(isl_map_copy(map_)));
}
Region RegionMap::range() const {
  if (!is_known()) return unknown_region(state_);
  return Access::make(state_, isl_map_range(isl_map_copy(map_)));
}
Region RegionMap::apply(const Region& points) const { return intersect_domain(points).range(); }
Region RegionMap::preimage(const Region& points) const { return intersect_range(points).domain(); }

RegionMap RegionMap::reverse() const {
  if (!is_known()) return unknown_map(state_);
  return Access::make(state_, isl_map_reverse(isl_map_copy(map_)));
}
RegionMap RegionMap::unite(const RegionMap& other) const {
  if (!is_known() || !other.is_known()) return unknown_map(state_);
  return Access::make(state_, isl_map_union(isl_map_copy(map_), isl_map_copy(other.map_)));
}
RegionMap RegionMap::then(const RegionMap& next) const {
  if (!is_known() || !next.is_known()) return unknown_map(state_);
  return Access::make(state_, isl_map_apply_range(isl_map_copy(map_), isl_map_copy(next.map_)));
}
Region RegionMap::deltas() const {
  if (!is_known()) return unknown_region(state_);
  return Access::make(state_, isl_map_deltas(isl_map_copy(map_)));
}

RegionMap RegionMap::transitive_closure() const {
  if (!is_known()) return unknown_map(state_);
  isl_map* closure = isl_map_transitive_closure(isl_map_coalesce(isl_map_copy(map_)), nullptr);
  return Access::make(state_, isl_map_coalesce(closure));
}

bool RegionMap::is_injective() const { return map_ != nullptr && is_true(*state_, isl_map_is_injective(map_)); }
bool RegionMap::is_single_valued() const { return map_ != nullptr && is_true(*state_, isl_map_is_single_valued(map_)); }

std::string RegionMap::to_string() const {
  if (map_ == nullptr) return "unknown";
  char* text = isl_map_to_str(map_);
  std::string out = text != nullptr ? text : "unknown";
  std::free(text);
  return out;
}

}  // namespace pb
