// SPDX-License-Identifier: MIT
// The part of a matrix that the instances of a box read. A step on the CPU waits for that part, and a device gets it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "clgen/lower/accesses/part_box.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "lang/index/index_bounds.h"

namespace pb {

/// Returns the ranges of the loops' variables in the box of instances that generated code calls `box`.
[[nodiscard]] SymbolRanges ranges_in(const Step& step, const std::string& box);

/// Returns a box that holds all cells of the matrix that the instances in the box named `instances` read. It may reach
/// beyond the matrix. Returns none if the instances may read all of the matrix, or if the matrix is no input.
///
/// Pre: the step has loops
[[nodiscard]] std::optional<PartBox> read_box(const Step& step, const RuleShape& rule, MatrixId matrix,
                                              const std::string& instances);

/// A dimension along which a kernel reads a part of a matrix.
struct ReadSlab {
  std::size_t dim = 0;
  IndexRange range;

  bool operator==(const ReadSlab&) const = default;
};
/// What a kernel reads of an input: all of it, slabs of it, or, if a border maps coordinates along a slab, a box.
struct KernelInput {
  std::vector<ReadSlab> slabs;
  std::optional<PartBox> bordered = std::nullopt;

  bool operator==(const KernelInput&) const = default;
};
/// Returns what instances in `pb_box` read of an input on a device: only the versions that they read and, of a shared
/// step, only the part that the device's instances read.
[[nodiscard]] KernelInput kernel_input(const TransformPlan& plan, const Step& step, const RuleShape& rule,
                                       MatrixId matrix);

}  // namespace pb
