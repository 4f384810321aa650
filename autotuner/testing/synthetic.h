// SPDX-License-Identifier: MIT
// A synthetic program with a known optimum, for the tests of the search and for the fake program: a
// separable convolution of width 7 with a cost formula in place of the work.
#pragma once

#include <cstdint>
#include <vector>

#include "autotuner/space/search_space.h"
#include "runtime/config/info.h"

namespace pbtune::testing {

[[nodiscard]] pbrt::TrainingInfo synthetic_program();

/// The numbers of the program's sites.
inline constexpr int kMainSite = 0, kSite2D = 1, kSiteRows = 2, kSiteColumns = 3;

/// The choices that run for size `n`.
[[nodiscard]] std::vector<RanChoice> synthetic_ran(const Configuration& configuration, std::int64_t n);

/// The time for size `n`, in nanoseconds, on a machine with two CPUs and a device that pays from about n = 300 on. It
/// is smooth in every value, with interactions only through sums.
[[nodiscard]] double synthetic_ns(const InfoIndex& index, const Configuration& configuration, std::int64_t n);

/// A configuration that takes the least of all times for size `n`.
[[nodiscard]] Configuration synthetic_optimum(const InfoIndex& index, std::int64_t n);
/// The least of all synthetic_ns for size `n`.
[[nodiscard]] double synthetic_optimum_ns(const InfoIndex& index, std::int64_t n);

}  // namespace pbtune::testing
