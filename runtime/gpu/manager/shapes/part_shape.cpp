// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/shapes/part_shape.h"

#include <algorithm>

namespace pbrt::gpu {
namespace {

constexpr std::size_t kLeastBlocks = 32;                         // of a range that the manager chooses
constexpr std::size_t kMostBlockRounds = 8;                      // that count of a block, in such a range
constexpr std::size_t kManyRounds = 4096;                        // small tiles would read the same cells too often
constexpr std::size_t kUnitItems = 1024;                         // work-items for each compute unit
constexpr std::size_t kUnitItemsOfMany = 512;                    // likewise, if each has many instances
constexpr std::size_t kManyInstances = 32;                       // of a work-item
constexpr std::size_t kMostPartBytes = std::size_t{256} << 20U;  // of what all ranges keep
constexpr std::size_t kMostLanes = 32;                           // that combine the ranges of an instance
constexpr std::size_t kLeastRecords = 4;                         // that each of them combines
constexpr std::size_t kNeighbours = 32;                          // neighbours that read records at once
constexpr std::size_t kItemsAtOnce = 2048;                       // work-items that a compute unit holds at once
constexpr std::size_t kWordBytes = 4;

/// The most ranges that are of use, and have room.
std::size_t most_parts_of(const LaunchPlan& plan, const WorkShape& shape) {
  std::size_t most = std::max<std::size_t>(1, kMostPartBytes / std::max<std::size_t>(1, part_bytes_of(plan, 1)));
  if (const auto rounds = rounds_of(plan))
    most = std::min(most, std::max<std::size_t>(1, divided_up(*rounds, shape.block_rounds)));
  return most;
}

/// Whether the plan leaves the ranges to the manager, and says how many rounds there are.
bool may_choose_parts(const LaunchPlan& plan, const DeviceInfo& device) {
  return plan.kernel->has_block_parts && plan.block_parts == 0 && device.type != DeviceType::Cpu &&
         rounds_of(plan).has_value();
}

}  // namespace

std::optional<std::size_t> rounds_of(const LaunchPlan& plan) {
  if (plan.kernel->block_length < 0) return std::nullopt;
  const std::int64_t rounds = plan.scalars[static_cast<std::size_t>(plan.kernel->block_length)].integer();
  return static_cast<std::size_t>(std::max<std::int64_t>(0, rounds));
}

std::size_t block_parts_of(const LaunchPlan& plan, const DeviceInfo& device, const WorkShape& shape,
                           std::size_t num_groups) {
  if (!plan.kernel->has_block_parts || plan.block_parts == 1) return 1;
  const std::size_t most = most_parts_of(plan, shape);
  if (plan.block_parts > 1) return std::min(plan.block_parts, most);
  if (!may_choose_parts(plan, device) || num_groups >= compute_units_of(device)) return 1;
  const std::size_t instances = shape.items[0] * shape.items[1] * shape.items[2];
  const std::size_t in_group = shape.group[0] * shape.group[1] * shape.group[2];
  const std::size_t of_unit = instances >= kManyInstances ? kUnitItemsOfMany : kUnitItems;
  const std::size_t wanted = compute_units_of(device) * std::max<std::size_t>(1, of_unit / in_group) / num_groups;
  const std::size_t long_enough = *rounds_of(plan) / (std::min(shape.block_rounds, kMostBlockRounds) * kLeastBlocks);
  return power_to(std::min({wanted, long_enough, most}));
}

bool has_many_rounds(const LaunchPlan& plan) { return rounds_of(plan).value_or(0) >= kManyRounds; }

std::size_t part_bytes_of(const LaunchPlan& plan, std::size_t parts) {
  constexpr std::size_t kSlotWords = 2;  // planes begin at multiples of 8 bytes
  const std::size_t words = static_cast<std::size_t>(plan.kernel->block_bytes) / kWordBytes;
  return divided_up(instances_of(plan) * parts, kSlotWords) * kSlotWords * kWordBytes * words;
}

WorkShape combining_shape_of(const LaunchPlan& plan, const DeviceInfo& device, std::size_t parts) {
  WorkShape out;
  const std::size_t extent = extents_of(plan)[0];
  while (out.group[0] < std::min(extent, kNeighbours)) out.group[0] *= 2;
  out.block_rounds = 1;
  out.block_parts = parts;
  if (device.type == DeviceType::Cpu) return out;
  out.part_lanes = std::min(kMostLanes, power_to(parts / kLeastRecords));
  const std::size_t most_items = kItemsAtOnce * compute_units_of(device);
  while (out.part_lanes > 1 &&
         (instances_of(plan) * out.part_lanes > most_items || out.group[0] * out.part_lanes > device.max_group_size))
    out = with_fewer_part_lanes(out);
  return out;
}

WorkShape with_fewer_part_lanes(WorkShape shape) {
  std::size_t& most = shape.part_lanes > 1 ? shape.part_lanes : shape.group[0];
  most = (most + 1) / 2;
  return shape;
}

KernelRange combining_range_of(const LaunchPlan& plan, const WorkShape& shape) {
  KernelRange out = range_of(plan, shape);
  out.global[0] *= shape.part_lanes;
  out.group[0] *= shape.part_lanes;
  return out;
}

}  // namespace pbrt::gpu

// Note [Default parts]
//
// Where the largest tiles of instances are fewer than compute units, as in a product of 256 x 256 cells with 65536
// rounds each, the rounds are cut into ranges of whole blocks, which groups of their own run. There are as many as give
// each unit 1024 work-items, or 512 if these have 32 instances or more and so need many registers; a power of two, so
// that there are few builds. A range has 32 blocks of up to 8 rounds at least: what the groups keep of their instances,
// and what the second launch reads, is then little beside what they read of the inputs. All ranges together keep at
// most 256 MB. If the device's memory has room for the matrices and not for that, a group runs all rounds of its
// instances (LaunchTasks::acquire_without_parts).
//
// The second launch has a work-item for each instance, or several that combine four records or more each, if so many
// are on the device at once: one work-item would wait for one record after the other.
//
// CPUs cut rounds into ranges only where a configuration says so, as they run blocks only there.
