// SPDX-License-Identifier: MIT
// Makes the contents of inputs that the user does not give: numbers from the range in the header, or any numbers if it
// has no range. Used by the engine if a transform has no generator.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/main/inputs/problem.h"

namespace pbrt {

/// Fills the inputs of `transform` that have at most `most_cells`, each from a random stream of its own. The same seed
/// gives the same numbers.
///
/// Errors:  NoSuchSizes if an input with elements has a range that is empty, not finite or larger than its type at these
///          sizes; it names input, range and sizes
void fill_inputs(const RunContext& ctx, const TransformDesc& transform, const std::vector<std::int64_t>& sizes,
                 const std::vector<AnyMatrix>& inputs, std::uint64_t seed, std::int64_t most_cells = INT64_MAX);

}  // namespace pbrt
