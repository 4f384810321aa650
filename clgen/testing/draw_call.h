// SPDX-License-Identifier: MIT
// Sizes and choices of calls, drawn at random. Not part of the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>

#include "choicegraph/plan/plan.h"
#include "choicegraph/testing/oracle.h"
#include "lang/program.h"

namespace pb::testing {

/// Sizes from 0 to before `max_size`, and tunables at their smallest values; none if no call has the sizes drawn.
[[nodiscard]] std::optional<Values> draw_sizes(const Transform& transform, std::int64_t max_size,
                                               std::mt19937_64& random);

/// Per site the number of a choice among its flattened alternatives; none if those drawn are not allowed together.
[[nodiscard]] std::optional<std::map<SiteId, int>> draw_choices(const TransformPlan& plan, std::mt19937_64& random);

}  // namespace pb::testing
