// SPDX-License-Identifier: MIT
// One kernel for the instances of several steps, each of which has a kernel of its own (KernelTree::parts).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "choicegraph/plan/launches/step_cells.h"
#include "choicegraph/plan/plan.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/loops/kernel_tree.h"

namespace pb {

struct SharedStep {
  const KernelTree* kernel = nullptr;  ///< the step's own, which outlives the call
  CellDims cells;                      ///< what its instances make
};

/// Whether each work-item of the kernel runs instances by itself, wherever they lie.
[[nodiscard]] bool runs_single_instances(const KernelTree& kernel);

/// Adds what the kernel of another step gets, but for its outputs.
void add_parameters(KernelTree& to, const KernelTree& kernel);

/// Adds the bounds of a box as scalars (box_bound_name).
void add_bounds(KernelTree& to, std::size_t box, const BoxBounds& bounds);

/// Returns the kernel of the step number `main` with the parameters of all, and a part for each rule, its own first.
/// Steps of one rule have the same kernel; if all have, there are no parts. None if a launch would have too many boxes.
///
/// Pre: the step number `main` has a loop along each dimension
[[nodiscard]] std::optional<KernelTree> shared_kernel(const std::vector<SharedStep>& steps, std::size_t main);

}  // namespace pb
