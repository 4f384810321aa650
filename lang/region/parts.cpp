// SPDX-License-Identifier: MIT
#include "lang/region/parts.h"

#include <algorithm>

#include "lang/region/isl_access.h"

namespace pb {

std::size_t num_parts(const Region& region) {
  return static_cast<std::size_t>(std::max<int>(0, isl_set_n_basic_set(RegionAccessor::get(region))));
}

}  // namespace pb
