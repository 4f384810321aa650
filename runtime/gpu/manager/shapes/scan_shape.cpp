// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/shapes/scan_shape.h"

#include <algorithm>
#include <array>

namespace pbrt::gpu {
namespace {

using Extents = std::array<std::size_t, 3>;

constexpr std::size_t kScanItems = 256;
constexpr std::size_t kRowItems = 128;  // where groups run whole rows
constexpr std::size_t kCpuGroupItems = 64;
constexpr std::size_t kCells = 16;          // of a work-item in a window
constexpr std::size_t kLeastCells = 4;      // of a work-item, before lines share a group
constexpr std::size_t kAcross = 32;         // lines side by side where neighbours are of different lines
constexpr std::size_t kManyGroups = 3;      // of a compute unit, which keep it busy without a group per window
constexpr std::size_t kManyLines = 256;     // of a compute unit, which keep it busy with a work-item per line
constexpr std::size_t kShortLine = 8;       // instances that one work-item runs whatever the direction
constexpr std::size_t kCpuLine = 4096;      // likewise, on devices that are CPUs
constexpr std::size_t kLocalBytes = 40960;  // of a window, so that several groups have room on a compute unit
constexpr std::size_t kClearingItems = 64;
constexpr std::size_t kFan = 32;  // windows of a part, as kernels have them
constexpr std::size_t kMaxGroupItems = 1024;

std::size_t loop_of(const LaunchPlan& plan) { return static_cast<std::size_t>(plan.kernel->scan_loop); }

std::size_t num_lines(const LaunchPlan& plan) {
  const Extents extents = extents_of(plan);
  return extents[0] * extents[1] * extents[2] / std::max<std::size_t>(1, extents[loop_of(plan)]);
}

/// The groups of all lines along each dimension, where a group runs whole lines.
Extents groups_of_lines(const LaunchPlan& plan, const WorkShape& shape) {
  Extents out = extents_of(plan);
  for (std::size_t d = 0; d < 3; ++d) out[d] = d == loop_of(plan) ? 1 : divided_up(out[d], shape.group[d]);
  return out;
}

/// How many groups stand across the lines.
std::size_t groups_across(const LaunchPlan& plan, const WorkShape& shape) {
  const Extents groups = groups_of_lines(plan, shape);
  return groups[0] * groups[1] * groups[2];
}

std::size_t num_windows(const LaunchPlan& plan, const WorkShape& shape) {
  const std::size_t scan = loop_of(plan);
  return divided_up(extents_of(plan)[scan], shape.group[scan] * shape.items[scan]);
}

/// What a group keeps: the elements of its window, padded, and parts.
std::size_t local_bytes_of(const LaunchPlan& plan, const WorkShape& shape) {
  const std::size_t scan = loop_of(plan);
  const std::size_t items = shape.group[0] * shape.group[1] * shape.group[2];
  const std::size_t lines = items / shape.group[scan];
  return static_cast<std::size_t>(plan.kernel->scan_cell_bytes) * items * (shape.items[scan] + 1) +
         static_cast<std::size_t>(plan.kernel->scan_part_bytes) * (2 * items + lines * (2 * kFan + 1)) +
         sizeof(std::int32_t) * (lines * (2 * kFan + 1) + 1);
}

/// The shape of a device's launch whose configuration says nothing.
WorkShape chosen_shape(const LaunchPlan& plan, const DeviceInfo& device) {
  const Extents extents = extents_of(plan);
  const std::size_t scan = loop_of(plan), length = extents[scan];
  const std::size_t units = compute_units_of(device);
  WorkShape out;
  if (device.type == DeviceType::Cpu) {
    if (length < kCpuLine || num_lines(plan) >= kManyGroups * units) return line_shape_of(plan, device);
    out.group[scan] = kCpuGroupItems;
    return out;
  }
  if (length <= kShortLine || (scan > 0 && num_lines(plan) >= kManyLines * units)) return line_shape_of(plan, device);
  const std::size_t across = scan == 0 ? 1 : std::min(kAcross, power_to(extents[0]));
  const bool has_long_rows = scan == 0 && length >= kRowItems * kLeastCells;
  const bool has_many = num_lines(plan) >= kManyGroups * units;
  const std::size_t most = (has_long_rows && has_many ? kRowItems : kScanItems) / across;
  out.group[scan] = std::clamp<std::size_t>(power_to(length / kLeastCells), 1, most);
  // Short lines share a group.
  out.group[scan == 0 ? 1 : 0] = scan == 0 ? std::min(most / out.group[0], power_to(extents[1])) : across;
  return out;
}

}  // namespace

WorkShape line_shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  const Extents extents = extents_of(plan);
  const std::size_t across = loop_of(plan) == 0 ? 1 : 0;
  WorkShape out;
  out.group[across] =
      std::min(device.type == DeviceType::Cpu ? kCpuGroupItems / 8 : kClearingItems, power_to(extents[across]));
  return out;
}

WorkShape scan_shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  const std::size_t scan = loop_of(plan);
  WorkShape out;
  Extents group = plan.group;
  for (std::size_t d = plan.extent.size(); d < 3; ++d) group[d] = 1;
  if (is_open(group)) {
    out = chosen_shape(plan, device);
  } else {
    for (std::size_t d = 0; d < 3; ++d) out.group[d] = power_to(group[d]);
  }
  while (out.group[0] * out.group[1] * out.group[2] > kMaxGroupItems)
    *std::max_element(out.group.begin(), out.group.end()) /= 2;
  if (out.group[scan] == 1) return out;
  out.scan_items = out.group[scan];
  out.items[scan] = plan.items[scan] == 0 ? kCells : std::min(plan.items[scan], kMaxItems);
  const std::size_t own = plan.items[scan] == 0 ? kLocalBytes : device.local_bytes;
  const std::size_t room = std::min<std::size_t>(own, device.local_bytes);
  while (local_bytes_of(plan, out) > room && out.items[scan] > 1) --out.items[scan];
  while (local_bytes_of(plan, out) > device.local_bytes && out.scan_items > 2) out.group[scan] = out.scan_items /= 2;
  return out;
}

WorkShape with_half_a_window(const LaunchPlan& plan, WorkShape shape) {
  shape.scan_items /= 2;
  shape.group[loop_of(plan)] = shape.scan_items;
  return shape;
}

bool has_group_per_window(const LaunchPlan& plan, const WorkShape& shape, const DeviceInfo& device) {
  const std::size_t units = compute_units_of(device);
  return shape.scan_items > 0 && num_windows(plan, shape) > 1 && groups_across(plan, shape) < kManyGroups * units;
}

KernelRange range_of_lines(const LaunchPlan& plan, const WorkShape& shape) {
  return range_of_groups(plan, shape, groups_of_lines(plan, shape));
}

KernelRange range_of_windows(const LaunchPlan& plan, const WorkShape& shape) {
  return range_of_groups(plan, shape, {groups_across(plan, shape) * num_windows(plan, shape), 1, 1});
}

ScanScratch scan_scratch_of(const LaunchPlan& plan, const WorkShape& shape) {
  const std::size_t lines =
      groups_across(plan, shape) * (shape.group[0] * shape.group[1] * shape.group[2]) / shape.scan_items;
  const std::size_t windows = num_windows(plan, shape);
  const std::size_t parts = divided_up(windows, kFan), starts = divided_up(parts, kFan);
  const std::size_t words =
      1 + lines * (2 * windows + parts + starts) * static_cast<std::size_t>(plan.kernel->scan_record_words);
  ScanScratch out;
  out.range.num_dims = 1;
  out.range.group = {kClearingItems, 1, 1};
  out.range.global = {divided_up(words, kClearingItems) * kClearingItems, 1, 1};
  out.bytes = out.range.global[0] * sizeof(std::uint64_t);
  return out;
}

}  // namespace pbrt::gpu

// Note [Shapes of scans]
//
// Where there are many lines, and neighbouring work-items run neighbouring lines, a work-item runs a line: on a GPU 256
// lines per compute unit are many. Where the scan runs along rows, neighbours would read cells that are far apart, and
// so work-items run windows of a line together. Groups have 256 work-items, each with 16 cells of a window; across the
// rows, 32 lines stand side by side. Short lines share a group.
//
// A group runs the windows of its lines one after the other if that makes three groups per compute unit; then 128
// work-items run a row. Else each window has a group, and groups look back (clgen/opencl/kernel_scans.cpp, Note [Scans
// on devices]). More cells need so many registers that fewer groups stand on a compute unit.
//
// CPUs run the work-items of a group one after the other. There a work-item runs a line, unless there are few, long
// ones.
