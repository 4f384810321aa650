// SPDX-License-Identifier: MIT
// Executes lowered kernels as a device may: groups one after the other in any order, the work-items of a group
// interleaved at random between barriers. A missing barrier is found in this way. The value of a cell is its own place,
// so each read shows whether it saw the cell that the rule means. Not part of the compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/loops/kernel_tree.h"

namespace pb::testing {

/// The values that a launch chooses, per loop, the fastest first.
struct LaunchShape {
  Point lo;          ///< begin of the box
  Point extent;      ///< size of the box
  Point group_size;  ///< work-items of a group; at least 1
  Point items;       ///< instances of a work-item; at least 1
  bool device_is_cpu = false;
  /// Work-items of a group that run an instance together; 1: none do. More are a power of two that divides
  /// group_size[0], and items are 1.
  std::int64_t lanes = 1;
  std::int64_t fold_groups = 1;   ///< groups that run an instance together; likewise
  bool keeps = false;             ///< lanes keep cells, if the kernel has such an instance; there is one group then
  std::int64_t block_rounds = 0;  ///< rounds of a block, if folds run in blocks, without lanes; 0: they do not
  std::int64_t block_parts = 1;   ///< ranges of rounds that groups of their own run, if blocks have parts
  bool copies_ahead = false;      ///< blocks copy what the next one reads
  bool on_matrix_units = false;   ///< matrix units run the rounds of blocks, where the kernel has these

  [[nodiscard]] bool has_lanes() const { return lanes > 1 || fold_groups > 1; }
};

/// Runs the kernel. Returns what is wrong, or an empty text: an instance that runs twice, not at all or outside of the
/// box, a read of another cell than the rule means, or an access outside of a buffer. `sizes` has values for all size
/// variables and tunables.
[[nodiscard]] std::string run_kernel(const Transform& transform, const KernelTree& kernel, const Values& sizes,
                                     const LaunchShape& launch, std::uint64_t seed);

}  // namespace pb::testing
