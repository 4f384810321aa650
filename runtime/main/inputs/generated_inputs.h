// SPDX-License-Identifier: MIT
// The contents of inputs that nobody gives: numbers of the range that the header says, else any. Used by the engine
// where a transform has no generator.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/main/inputs/problem.h"

namespace pbrt {

/// Fills the inputs of `transform`, each from a stream of its own: the same seed, the same numbers.
///
/// Errors:  NoSuchSizes if an input with elements has a range that is empty, not finite or larger than its type at these
///          sizes; it names input, range and sizes
void fill_inputs(const RunContext& ctx, const TransformDesc& transform, const std::vector<std::int64_t>& sizes,
                 const std::vector<AnyMatrix>& inputs, std::uint64_t seed);

}  // namespace pbrt
