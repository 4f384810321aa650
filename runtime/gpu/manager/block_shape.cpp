// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/block_shape.h"

#include <algorithm>
#include <array>

#include "base/panel_rows.h"

namespace pbrt::gpu {
namespace {

using Pair = std::array<std::size_t, 2>;

constexpr std::size_t kGroup = 16;          // work-items of a group along each of the two loops
constexpr std::size_t kGroupOfCpu = 4;      // likewise, on devices that run work-items as loops
constexpr std::size_t kLeastRounds = 4;     // of a block that the runtime makes shorter
constexpr std::size_t kMaxBlockItems = 64;  // instances of a work-item
constexpr std::size_t kMostOfCpu = 262144;  // bytes that a group keeps between blocks there: they lie on a stack
constexpr std::size_t kMostIdle = 4;        // compute units per group, where there are few instances

/// Instances of a work-item that registers have room for, the most first. `words`: registers that each of them needs
/// between blocks.
std::vector<Pair> usual_items(std::size_t words) {
  if (words <= 1) return {{8, 8}, {4, 8}, {4, 4}, {2, 2}};
  if (words == 2) return {{4, 8}, {4, 4}, {2, 2}};
  if (words <= 4) return {{4, 4}, {2, 2}};
  return {{2, 2}};
}

std::size_t groups_along(std::size_t extent, std::size_t span) { return (extent + span - 1) / span; }

struct Loops {
  std::size_t first, second;
};

Loops loops_of(const LaunchPlan& plan) {
  return {static_cast<std::size_t>(plan.kernel->block_loops[0]), static_cast<std::size_t>(plan.kernel->block_loops[1])};
}

WorkShape shape_with(const LaunchPlan& plan, const Pair& items, std::size_t group) {
  const Loops loops = loops_of(plan);
  WorkShape out;
  const bool is_given = !is_open(plan.group);
  out.group[loops.first] = is_given ? plan.group[loops.first] : group;
  out.group[loops.second] = is_given ? plan.group[loops.second] : group;
  out.items[loops.first] = items[0];
  out.items[loops.second] = items[1];
  out.block_rounds = plan.block_rounds;
  return out;
}

/// Makes blocks shorter until a group has room for them. Returns whether it has.
bool fit(const LaunchPlan& plan, const DeviceInfo& device, WorkShape& shape) {
  while (panel_bytes_of(plan, shape) > device.local_bytes) {
    if (shape.block_rounds <= kLeastRounds) return false;
    shape.block_rounds /= 2;
  }
  return true;
}

std::size_t num_groups(const LaunchPlan& plan, const WorkShape& shape) {
  const auto extents = extents_of(plan);
  std::size_t out = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) out *= groups_along(extents[d], shape.span(d));
  return out;
}

/// Whether at least half of the instances of the groups along each loop exist.
bool is_filled(const LaunchPlan& plan, const WorkShape& shape) {
  const auto extents = extents_of(plan);
  const Loops loops = loops_of(plan);
  return std::all_of(&loops.first, &loops.second + 1, [&](const std::size_t& d) {
    return groups_along(extents[d], shape.span(d)) * shape.span(d) <= 2 * extents[d];
  });
}

std::optional<WorkShape> default_shape(const LaunchPlan& plan, const DeviceInfo& device) {
  const auto units = static_cast<std::size_t>(std::max(1, device.compute_units));
  const std::vector<Pair> usual = usual_items((static_cast<std::size_t>(plan.kernel->block_bytes) + 3) / 4);
  for (const Pair& items : usual) {
    WorkShape shape = shape_with(plan, items, kGroup);
    const std::size_t least = items == usual.back() ? (units + kMostIdle - 1) / kMostIdle : units;
    if (is_filled(plan, shape) && num_groups(plan, shape) >= least && fit(plan, device, shape)) return shape;
  }
  return std::nullopt;
}

}  // namespace

std::optional<WorkShape> block_shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  if (plan.kernel->block_loops[0] < 0 || plan.block_rounds == 0) return std::nullopt;
  const bool is_cpu = device.type == DeviceType::Cpu;
  if (plan.block_items[0] == 0 || plan.block_items[1] == 0) {
    if (is_cpu || plan.lanes != 0 || !is_open(plan.items)) return std::nullopt;
    return default_shape(plan, device);
  }
  Pair items = plan.block_items;
  while (items[0] * items[1] > kMaxBlockItems) {
    std::size_t& most = *std::max_element(items.begin(), items.end());
    most = (most + 1) / 2;
  }
  WorkShape shape = shape_with(plan, items, is_cpu ? kGroupOfCpu : kGroup);
  const std::size_t kept = static_cast<std::size_t>(plan.kernel->block_bytes) * items[0] * items[1];
  while (is_cpu && shape.group[0] * shape.group[1] * shape.group[2] * kept > kMostOfCpu) {
    std::size_t& most = *std::max_element(shape.group.begin(), shape.group.end());
    if (most == 1) break;
    most = (most + 1) / 2;
  }
  if (!fit(plan, device, shape)) return std::nullopt;
  return shape;
}

std::vector<std::size_t> panel_elements_of(const LaunchPlan& plan, const WorkShape& shape) {
  std::vector<std::size_t> out;
  for (const LaunchPanel& panel : plan.panels) {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < panel.cells.dims.size(); ++i) {
      const TileDim& dim = panel.cells.dims[i];
      std::int64_t length = dim.extent == kBlockExtent ? static_cast<std::int64_t>(shape.block_rounds) : dim.extent;
      for (std::size_t d = 0; d < 3; ++d)
        length += (dim.step[d] < 0 ? -dim.step[d] : dim.step[d]) * (static_cast<std::int64_t>(shape.span(d)) - 1);
      elements *= i == panel.contiguous ? pb::padded_row(length) : std::max<std::int64_t>(1, length);
    }
    out.push_back(static_cast<std::size_t>(elements));
  }
  return out;
}

std::size_t panel_bytes_of(const LaunchPlan& plan, const WorkShape& shape) {
  const std::vector<std::size_t> elements = panel_elements_of(plan, shape);
  std::size_t out = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    constexpr std::size_t kAlignment = 16;
    const std::size_t bytes = elements[i] * static_cast<std::size_t>(plan.panels[i].cells.element_bytes);
    out += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return out;
}

}  // namespace pbrt::gpu

// Note [Default blocks]
//
// Where folds run in blocks, a group of 16 x 16 work-items has as many instances as registers have room for: 8 x 8 per
// work-item if each of them keeps one number of 4 bytes between blocks, 4 x 8 if it keeps 8 bytes. Work-items have
// fewer if there would be fewer groups than compute units, or if more than half of a group's instances along a loop
// would lie beyond the end. A block has the rounds that the configuration says, or fewer if its panels have no room.
//
// Launches with few instances do not run in blocks: lanes divide their folds instead. Nor do those of which a
// configuration says how many lanes, or how many instances a work-item has. CPUs run folds in blocks only if a
// configuration gives the instances of a work-item: their caches do what panels do.
