// SPDX-License-Identifier: MIT
// What is provable about terms that are not affine, such as `n*m`, of which isl knows no more than their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/region/region.h"

namespace pb {

/// Returns the points of the region, with what is provable about its terms (`n*m >= n`) as constraints.
[[nodiscard]] Region with_term_facts(const Region& region);

/// True if the region is provably empty for all values >= `minimum` of the parameters in `names`.
[[nodiscard]] bool is_empty_for_large(const Region& region, const std::vector<std::string>& names,
                                      std::int64_t minimum = 1000);

}  // namespace pb
