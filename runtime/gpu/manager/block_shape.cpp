// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/block_shape.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/panel_rows.h"
#include "runtime/gpu/manager/shapes/part_shape.h"

namespace pbrt::gpu {
namespace {

using Pair = std::array<std::size_t, 2>;

/// Work-items of a group, and instances of a work-item, along the two loops.
struct Tile {
  Pair group, items;
  std::size_t least_groups = 1;  ///< for each compute unit: with fewer of them another tile is better
  std::size_t third = 1;         ///< work-items of a group along the third loop
};

/// A part of a whole.
struct Share {
  std::size_t part, whole;
};

constexpr std::size_t kGroup = 16;              // work-items of a group along each of the two loops
constexpr std::size_t kGroupOfCpu = 4;          // likewise, on devices that run work-items as loops
constexpr Pair kGroupOfUnits = {8, 16};         // likewise, where matrix units run the rounds
constexpr std::size_t kLeastRounds = 4;         // of a block that the runtime makes shorter
constexpr std::size_t kRoundsAhead = 8;         // of a block that copies ahead, where the runtime says so
constexpr std::size_t kMoreRoundsAhead = 16;    // likewise, where there are kManyBlocks of them
constexpr std::size_t kManyBlocks = 8;          // of an instance's rounds
constexpr std::size_t kLeastRoundsAhead = 2;    // likewise, of windows
constexpr std::size_t kMostCellsAhead = 24;     // that a work-item copies ahead, where the runtime says so
constexpr std::size_t kMaxBlockItems = 64;      // instances of a work-item
constexpr std::size_t kMostOfCpu = 262144;      // bytes that a group keeps between blocks there: they lie on a stack
constexpr std::size_t kMostWordsOfWindows = 2;  // that each instance keeps, in groups with three loops
constexpr std::size_t kMostIdle = 4;            // compute units per group, where there are few instances
constexpr Tile kLeastTile = {{8, 8}, {2, 2}};   // where groups divide the rounds

/// Tiles whose instances registers have room for, the largest first. `words`: registers that each instance needs
/// between blocks.
std::vector<Tile> usual_tiles(std::size_t words) {
  const Pair group = {kGroup, kGroup};
  const Tile small = {{16, 8}, {2, 4}};
  const Tile square = {{8, 8}, {4, 4}, 8};
  if (words <= 1) return {{group, {8, 8}}, {group, {8, 4}}, {group, {4, 8}}, {group, {4, 4}}, square, small};
  if (words == 2) return {{{16, 8}, {8, 8}}, {group, {4, 4}}, small};
  if (words <= 4) return {{group, {4, 4}}, {group, {2, 2}}};
  return {{group, {2, 2}}};
}

/// Whether neighbours along the third loop read the same cells, as those of windows do.
bool has_windows_along_third(const LaunchPlan& plan) {
  const auto third = static_cast<std::size_t>(3 - plan.kernel->block_loops[0] - plan.kernel->block_loops[1]);
  return std::any_of(plan.panels.begin(), plan.panels.end(), [&](const LaunchPanel& panel) {
    return std::any_of(panel.cells.dims.begin(), panel.cells.dims.end(), [&](const TileDim& dim) {
      return dim.step[third] != 0 && dim.extent > std::abs(dim.step[third]);
    });
  });
}

/// Tiles of instances whose cells are windows.
std::vector<Tile> tiles_of_windows() { return {{{4, 8}, {8, 8}, 1, 4}, {{4, 4}, {8, 8}, 1, 8}}; }

/// The same for matrix units.
std::vector<Tile> tiles_of_units() {
  return {{kGroupOfUnits, {16, 4}}, {kGroupOfUnits, {8, 4}}, {{8, 8}, {8, 4}}, {{8, 8}, {4, 4}}};
}

std::size_t groups_along(std::size_t extent, std::size_t span) { return (extent + span - 1) / span; }

struct Loops {
  std::size_t first, second;
};

Loops loops_of(const LaunchPlan& plan) {
  return {static_cast<std::size_t>(plan.kernel->block_loops[0]), static_cast<std::size_t>(plan.kernel->block_loops[1])};
}

/// Whether matrix units run the rounds, and take floats in two parts.
bool has_split_floats(const LaunchPlan& plan, const WorkShape& shape) {
  return shape.on_matrix_units && plan.kernel->products == Products::OfSplitFloats;
}

/// Cells that a work-item copies for a block, rounded up.
std::size_t cells_of_item(const LaunchPlan& plan, const WorkShape& shape) {
  std::size_t cells = 0;
  for (const std::size_t elements : panel_elements_of(plan, shape)) cells += elements;
  return groups_along(cells, shape.group[0] * shape.group[1] * shape.group[2]);
}

/// The most rounds of a block that copies ahead. With longer blocks, groups wait for each other less often.
std::size_t rounds_ahead(const LaunchPlan& plan) {
  return rounds_of(plan).value_or(0) >= kManyBlocks * kMoreRoundsAhead ? kMoreRoundsAhead : kRoundsAhead;
}

/// The shape, which matrix units may not suit. A group that the plan gives counts.
WorkShape shape_with(const LaunchPlan& plan, const DeviceInfo& device, const Tile& tile, bool on_matrix_units) {
  const Loops loops = loops_of(plan);
  WorkShape out;
  out.on_matrix_units = on_matrix_units;
  const bool is_given = !is_open(plan.group);
  out.group[loops.first] = is_given ? plan.group[loops.first] : tile.group[0];
  out.group[loops.second] = is_given ? plan.group[loops.second] : tile.group[1];
  const std::size_t third = 3 - loops.first - loops.second;
  if (third < plan.extent.size()) out.group[third] = is_given ? plan.group[third] : tile.third;
  out.items[loops.first] = tile.items[0];
  out.items[loops.second] = tile.items[1];
  out.block_rounds = plan.block_rounds;
  const bool splits = has_split_floats(plan, out);
  const bool should_copy_ahead = plan.kernel->may_copy_ahead && device.type != DeviceType::Cpu && !splits;
  out.block_stages = plan.block_stages == 0        ? (should_copy_ahead ? 2 : 1)
                     : plan.kernel->may_copy_ahead ? plan.block_stages
                                                   : 1;
  if (plan.block_stages == 0 && splits) out.block_rounds = std::min(out.block_rounds, kRoundsAhead);
  if (plan.block_stages == 0 && out.block_stages > 1) {
    const std::size_t most = std::min(out.block_rounds, rounds_ahead(plan));
    out.block_rounds = most;
    while (cells_of_item(plan, out) > kMostCellsAhead && out.block_rounds / 2 >= kLeastRoundsAhead)
      out.block_rounds /= 2;
    if (cells_of_item(plan, out) > kMostCellsAhead) {
      out.block_stages = 1;
      out.block_rounds = std::min(most, kLeastRounds);
    }
  }
  return out;
}

/// Makes blocks shorter until a group has room for them, and then no longer copies ahead, unless the plan says that it
/// does. Returns whether the group has room.
bool fit(const LaunchPlan& plan, const DeviceInfo& device, WorkShape& shape) {
  while (panel_bytes_of(plan, shape) > device.local_bytes) {
    if (shape.block_rounds > kLeastRounds) {
      shape.block_rounds /= 2;
    } else if (shape.block_stages > 1 && plan.block_stages == 0) {
      shape.block_stages = 1;
    } else {
      return false;
    }
  }
  return true;
}

/// Whether matrix units can run the rounds of the shape: warps are 4 x 8 work-items, and a unit has two instances of
/// each of them along both loops, and 8 rounds.
bool suits_matrix_units(const LaunchPlan& plan, const WorkShape& shape) {
  constexpr std::size_t kAcross = 4, kDown = 8, kRounds = 8;
  const Loops loops = loops_of(plan);
  return shape.group[loops.first] % kAcross == 0 && shape.group[loops.second] % kDown == 0 &&
         shape.items[loops.first] % 2 == 0 && shape.items[loops.second] % 2 == 0 && shape.block_rounds % kRounds == 0;
}

std::size_t num_groups(const LaunchPlan& plan, const WorkShape& shape) {
  const auto extents = extents_of(plan);
  std::size_t out = batches_of(plan);
  for (std::size_t d = 0; d < extents.size(); ++d) out *= groups_along(extents[d], shape.span(d));
  return out;
}

/// Whether at least this share of the instances of the groups exists.
bool is_filled(const LaunchPlan& plan, const WorkShape& shape, Share least) {
  const auto extents = extents_of(plan);
  std::size_t in_groups = 1, wanted = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    in_groups *= groups_along(extents[d], shape.span(d)) * shape.span(d);
    wanted *= extents[d];
  }
  return in_groups * least.part <= wanted * least.whole;
}

/// The first of the tiles that fills the device, and whose groups instances fill: most of each if there is such a tile.
std::optional<WorkShape> first_shape(const LaunchPlan& plan, const DeviceInfo& device, const std::vector<Tile>& tiles,
                                     bool on_matrix_units) {
  const std::size_t units = compute_units_of(device);
  for (const Share filled : {Share{3, 4}, Share{1, 2}})
    for (const Tile& tile : tiles) {
      WorkShape shape = shape_with(plan, device, tile, on_matrix_units);
      const std::size_t least =
          &tile == &tiles.back() ? (units + kMostIdle - 1) / kMostIdle : units * tile.least_groups;
      if (!is_filled(plan, shape, filled) || num_groups(plan, shape) < least || !fit(plan, device, shape)) continue;
      if (!on_matrix_units || suits_matrix_units(plan, shape)) return shape;
    }
  return std::nullopt;
}

/// Whether a shape with so many groups keeps most compute units busy.
bool is_busy(const DeviceInfo& device, std::size_t groups) { return 4 * groups >= 3 * compute_units_of(device); }

WorkShape cut_in_parts(const LaunchPlan& plan, const DeviceInfo& device, WorkShape shape) {
  shape.block_parts = block_parts_of(plan, device, shape, num_groups(plan, shape));
  return shape;
}

/// The first of the tiles whose groups instances fill and, divided among groups of several ranges of rounds, keep the
/// device busy; only as many ranges as the plan gives, if it gives any. `least_tile`: it may be filled by a quarter.
std::optional<WorkShape> shape_with_parts(const LaunchPlan& plan, const DeviceInfo& device,
                                          const std::vector<Tile>& tiles, const Tile* least_tile,
                                          bool on_matrix_units) {
  const auto parted = [&](const Tile& tile, Share filled) -> std::optional<WorkShape> {
    WorkShape shape = shape_with(plan, device, tile, on_matrix_units);
    if (!is_filled(plan, shape, filled) || !fit(plan, device, shape)) return std::nullopt;
    if (on_matrix_units && !suits_matrix_units(plan, shape)) return std::nullopt;
    const std::size_t groups = num_groups(plan, shape);
    shape.block_parts = block_parts_of(plan, device, shape, groups);
    if (shape.block_parts == 1 || (plan.block_parts == 0 && !is_busy(device, groups * shape.block_parts)))
      return std::nullopt;
    return shape;
  };
  for (const Share filled : {Share{3, 4}, Share{1, 2}}) {
    for (const Tile& tile : tiles)
      if (const auto shape = parted(tile, filled)) return shape;
    if (least_tile == nullptr) continue;
    if (const auto shape = parted(*least_tile, filled)) return shape;
  }
  return least_tile == nullptr ? std::nullopt : parted(*least_tile, {1, 4});
}

/// The best of the tiles: where groups with the largest tile do not fill the device, they run a range of the rounds
/// each, if these are many. Smaller tiles would read the same cells more often.
std::optional<WorkShape> best_shape(const LaunchPlan& plan, const DeviceInfo& device, const std::vector<Tile>& tiles,
                                    const Tile* least_tile, bool on_matrix_units) {
  std::optional<WorkShape> shape = first_shape(plan, device, tiles, on_matrix_units);
  if (shape && plan.block_parts > 1) shape = cut_in_parts(plan, device, *shape);
  if (shape) {
    const WorkShape largest = shape_with(plan, device, tiles.front(), on_matrix_units);
    const bool is_largest = shape->group == largest.group && shape->items == largest.items;
    const bool is_good = is_largest || !has_many_rounds(plan);
    const bool is_full = is_good && num_groups(plan, *shape) >= compute_units_of(device);
    if (plan.block_parts != 0 || is_full) return shape;
  }
  const auto with_parts = shape_with_parts(plan, device, tiles, least_tile, on_matrix_units);
  return with_parts ? with_parts : shape;
}

/// The shape of the instances that the plan gives.
std::optional<WorkShape> given_shape(const LaunchPlan& plan, const DeviceInfo& device, bool has_matrix_units) {
  const bool is_cpu = device.type == DeviceType::Cpu;
  Pair items = plan.block_items;
  while (items[0] * items[1] > kMaxBlockItems) {
    std::size_t& most = *std::max_element(items.begin(), items.end());
    most = (most + 1) / 2;
  }
  if (has_matrix_units) {
    WorkShape shape = shape_with(plan, device, {kGroupOfUnits, items}, true);
    if (fit(plan, device, shape) && suits_matrix_units(plan, shape)) return cut_in_parts(plan, device, shape);
  }
  const std::size_t along = is_cpu ? kGroupOfCpu : kGroup;
  WorkShape shape = shape_with(plan, device, {{along, along}, items}, false);
  const std::size_t kept = static_cast<std::size_t>(plan.kernel->block_bytes) * items[0] * items[1];
  while (is_cpu && shape.group[0] * shape.group[1] * shape.group[2] * kept > kMostOfCpu) {
    std::size_t& most = *std::max_element(shape.group.begin(), shape.group.end());
    if (most == 1) break;
    most = (most + 1) / 2;
  }
  if (!fit(plan, device, shape)) return std::nullopt;
  return cut_in_parts(plan, device, shape);
}

}  // namespace

bool wants_matrix_units(const LaunchPlan& plan) {
  return plan.may_use_matrix_units && plan.kernel->products != Products::None && plan.block_rounds > 0;
}

std::optional<WorkShape> block_shape_of(const LaunchPlan& plan, const DeviceInfo& device, bool has_matrix_units) {
  if (plan.kernel->block_loops[0] < 0 || plan.block_rounds == 0) return std::nullopt;
  const bool may_use_units = has_matrix_units && wants_matrix_units(plan);
  if (plan.block_items[0] != 0 && plan.block_items[1] != 0) return given_shape(plan, device, may_use_units);
  if (device.type == DeviceType::Cpu || plan.lanes != 0 || !is_open(plan.items)) return std::nullopt;
  if (may_use_units)
    if (const auto shape = best_shape(plan, device, tiles_of_units(), nullptr, true)) return shape;
  const std::size_t words = (static_cast<std::size_t>(plan.kernel->block_bytes) + 3) / 4;
  std::vector<Tile> tiles = usual_tiles(words);
  if (words <= kMostWordsOfWindows && has_windows_along_third(plan)) {
    const std::vector<Tile> first = tiles_of_windows();
    tiles.insert(tiles.begin(), first.begin(), first.end());
  }
  return best_shape(plan, device, tiles, &kLeastTile, false);
}

std::vector<std::size_t> panel_elements_of(const LaunchPlan& plan, const WorkShape& shape) {
  std::vector<std::size_t> out;
  const std::int64_t gap = has_split_floats(plan, shape) ? pb::kPanelGapOfSplitFloats : pb::kPanelGap;
  for (const LaunchPanel& panel : plan.panels) {
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < panel.cells.dims.size(); ++i) {
      const TileDim& dim = panel.cells.dims[i];
      std::int64_t length = dim.extent == kBlockExtent ? static_cast<std::int64_t>(shape.block_rounds) : dim.extent;
      for (std::size_t d = 0; d < 3; ++d)
        length += (dim.step[d] < 0 ? -dim.step[d] : dim.step[d]) * (static_cast<std::int64_t>(shape.span(d)) - 1);
      elements *= i == panel.contiguous ? pb::padded_row(length, gap) : std::max<std::int64_t>(1, length);
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
    out += (bytes * shape.block_stages + kAlignment - 1) / kAlignment * kAlignment;
  }
  return out;
}

}  // namespace pbrt::gpu

// Note [Default blocks]
//
// Where folds run in blocks, a group of 16 x 16 work-items has as many instances as registers have room for: 8 x 8 per
// work-item if each of them keeps one number of 4 bytes between blocks. If it keeps 8 bytes, the group has 16 x 8
// work-items. Work-items have fewer instances if there would be fewer groups than compute units, or if more than a
// quarter of the groups' instances would lie beyond the ends; more than half, if no tile does better. The smallest
// groups have 32 x 32 instances: 16 x 8 work-items, or 8 x 8 where there are 8 groups and more for each compute unit,
// as of many small products, since work-items with more instances read less. A block has the rounds that the
// configuration says, or fewer if its panels have no room.
//
// Along a third loop a group has the work-items that the configuration says, or one. Where neighbours along it read
// windows that overlap, as in layers, it has 4 of them, or 8, and 4 along the first loop: a square of instances reads
// fewer cells than a line of them.
//
// Blocks of GPUs copy ahead. They have 16 rounds then, or 8 where there are fewer than 8 such blocks. On an H200 the
// product of 4096^2 floats takes 0.84 of the time with 16 rounds, one of 8192^2 0.82, while distances of 64 coordinates
// take 1.1. Where a work-item would copy more than 24 cells ahead, as in layers, whose rounds read windows, blocks have
// fewer rounds, down to 2: registers for more would leave room for fewer groups. Where 2 are too many, blocks have 4
// and do not copy ahead. On an H200 a layer of 3 x 3 weights with 64 channels takes 0.95 ms with 2 rounds ahead, 1.02
// with 4, and 1.03 with 4 rounds that are not copied ahead. Where matrix units run the rounds, 128 work-items have 16 x
// 4 instances each, since a warp then has 8 columns and 8 rows of a unit for each of its 2 x 1 instances. Split floats
// need registers for their parts, so blocks do not copy ahead.
//
// Where fewer groups than compute units would have all rounds of their instances, several groups run a range of them
// each: see Note [Default parts] in shapes/part_shape.cpp. The first tile that then keeps three quarters of the units
// busy counts. There is one more, of 16 x 16 instances, which may be filled by a quarter.
//
// Other launches with few instances do not run in blocks: lanes divide their folds instead. Nor do those of which a
// configuration says how many lanes, or how many instances a work-item has. CPUs run folds in blocks only if a
// configuration gives the instances of a work-item: their caches do what panels do.
