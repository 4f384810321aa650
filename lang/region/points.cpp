// SPDX-License-Identifier: MIT
#include "lang/region/points.h"

#include <optional>
#include <string>

#include "lang/check.h"
#include "lang/region/isl_access.h"

namespace pb {

bool contains_point(const Region& region, const SymbolValues& parameters, const std::vector<std::int64_t>& point) {
  if (!region.is_known()) return false;
  RegionState& state = *RegionAccessor::state(region);
  PB_CHECK(static_cast<int>(point.size()) == region.num_dims(), "a coordinate per dimension");
  isl_set* set = isl_set_copy(RegionAccessor::get(region));
  const auto fix = [&](isl_dim_type type, std::size_t at, std::int64_t value) {
    set = isl_set_fix_val(set, type, static_cast<unsigned>(at), isl_val_int_from_si(state.ctx, value));
  };
  const int num_parameters = isl_set_dim(set, isl_dim_param);
  for (int i = 0; i < num_parameters; ++i) {
    const std::string name = isl_set_get_dim_name(set, isl_dim_param, static_cast<unsigned>(i));
    const auto term = state.terms.find(name);
    const auto value = evaluate(term != state.terms.end() ? term->second : index_symbol(name), parameters);
    if (value) fix(isl_dim_param, static_cast<std::size_t>(i), *value);
  }
  for (std::size_t i = 0; i < point.size(); ++i) fix(isl_dim_set, i, point[i]);
  return !RegionAccessor::make(&state, set).is_empty();
}

bool is_bounded(const Region& region) {
  if (!region.is_known()) return false;
  RegionState& state = *RegionAccessor::state(region);
  for (int d = 0; d < region.num_dims(); ++d)
    if (!is_true(state, isl_set_dim_is_bounded(RegionAccessor::get(region), isl_dim_set, static_cast<unsigned>(d))))
      return false;
  return true;
}

}  // namespace pb
