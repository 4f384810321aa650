// SPDX-License-Identifier: MIT
// The shape of a launch: work-items per group, and instances per work-item. What a configuration leaves open is chosen
// here, from the kind of the device and the extents of the launch. Private to runtime/gpu.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {

struct WorkShape {
  std::array<std::size_t, 3> group = {1, 1, 1};  ///< work-items of a group, the fastest loop first
  std::array<std::size_t, 3> items = {1, 1, 1};  ///< instances of a work-item
  /// Work-items of a group that run one instance together. If they or their groups are several, they divide group[0];
  /// groups then stand along dimension 0, and items are 1.
  std::size_t lanes = 1;
  std::size_t fold_groups = 1;   ///< groups that run one instance together; all but the last stage have that many
  std::size_t kept_rounds = 0;   ///< rounds that a lane has, or more, and whose cells it keeps; 0: it keeps none
  std::size_t block_rounds = 0;  ///< rounds of a block of folds (block_shape.h); 0: there are no blocks
  std::size_t block_stages = 1;  ///< panels of an input: with 2, blocks copy ahead
  std::size_t block_parts = 1;   ///< ranges of rounds (shapes/part_shape.h), each of which has groups of its own
  std::size_t part_lanes = 1;    ///< work-items that combine the ranges of an instance, in the launch that does so
  /// Work-items of a group that run each line of a scan together, along the scan's loop (shapes/scan_shape.h); 0: each
  /// line has one.
  std::size_t scan_items = 0;
  bool on_matrix_units = false;  ///< matrix units run the rounds of blocks
  std::size_t vector_width = 0;  ///< neighbouring instances that run in a vector, which divide items[0]; 0: none do
  std::size_t bin_cells = 0;     ///< words of 4 bytes for the bins that a group has of an instance's; 0: it has none
  /// Of each of these bins, so that neighbours seldom wait for one another: a power of two. 0: the bins lie in the
  /// records of the groups.
  std::size_t bin_copies = 1;

  /// Whether several work-items run one instance.
  [[nodiscard]] bool has_lanes() const { return lanes > 1 || fold_groups > 1; }

  /// Returns the number of instances of a group along dimension `d`.
  [[nodiscard]] std::size_t span(std::size_t d) const {
    return d == 0 ? group[0] / lanes * items[0] : group[d] * items[d];
  }
  bool operator==(const WorkShape&) const = default;
};

/// Returns the quotient, rounded up.
[[nodiscard]] inline std::size_t divided_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
/// Returns the largest power of two that is not greater than `value`, or 1.
[[nodiscard]] inline std::size_t power_to(std::size_t value) {
  std::size_t out = 1;
  while (2 * out <= value) out *= 2;
  return out;
}

/// Returns how many compute units the device has, at least one.
[[nodiscard]] std::size_t compute_units_of(const DeviceInfo& device);

/// Returns the extents of the launch along its first three loops.
[[nodiscard]] std::array<std::size_t, 3> extents_of(const LaunchPlan& plan);
/// Returns how many batches the launch has: the values of its other loops. Each has groups of its own, which stand
/// behind those of the batch before along dimension 2.
[[nodiscard]] std::size_t batches_of(const LaunchPlan& plan);
/// Returns the number of instances of the launch.
[[nodiscard]] std::size_t instances_of(const LaunchPlan& plan);

/// Returns the instances of a group along dimension `d` that no other group has; 0: margins take all of them.
[[nodiscard]] std::size_t own_span(const LaunchPlan& plan, const WorkShape& shape, std::size_t d);

/// Returns the work-items of so many groups along each dimension.
[[nodiscard]] KernelRange range_of_groups(const LaunchPlan& plan, const WorkShape& shape,
                                          const std::array<std::size_t, 3>& num_groups);
/// Returns the work-items of whole groups that have all instances.
[[nodiscard]] KernelRange range_of(const LaunchPlan& plan, const WorkShape& shape);

/// Whether a configuration leaves the values to the manager: one of them is 0.
[[nodiscard]] bool is_open(const std::array<std::size_t, 3>& values);

/// Returns the shape that the plan gives, where a 0 in the group or in the items has all of them chosen: see Note
/// [Default shapes] in work_shape.cpp. Its folds do not run in blocks.
[[nodiscard]] WorkShape shape_of(const LaunchPlan& plan, const DeviceInfo& device);

/// Returns the shape whose groups have no bins of their own in local memory. Where several groups run an instance whose
/// bins are updated in order, they have them in their records then.
[[nodiscard]] WorkShape without_local_bins(const LaunchPlan& plan, WorkShape shape);

/// Returns the shape with a group that a device allows, and as many lanes as it has room for. If these are fewer, none
/// keeps cells. Matrix units only run shapes whose group is allowed as it is.
[[nodiscard]] WorkShape with_group(WorkShape shape, const std::array<std::size_t, 3>& group);

/// Returns the shape with fewer instances per work-item; the same shape if there is one.
[[nodiscard]] WorkShape with_fewer_items(WorkShape shape);

}  // namespace pbrt::gpu
