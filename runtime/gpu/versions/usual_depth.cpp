// SPDX-License-Identifier: MIT
#include "runtime/gpu/versions/usual_depth.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runtime/gpu/manager.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/shapes/margin_shape.h"
#include "runtime/gpu/several/manager_set.h"

namespace pbrt::gpu {
namespace {

constexpr std::int64_t kDepths[] = {5, 3};  // deeper tiles took longer on an H200
constexpr double kMostMade = 1.6;           // instances that run, of those that a launch makes
constexpr std::size_t kBuffers = 2;         // of a group: the version before and the new one

/// Bytes of local memory that a group needs.
std::size_t local_bytes_of(const VersionFacts& facts, const WorkShape& shape) {
  std::size_t out = kBuffers * facts.element_bytes;
  for (int d = 0; d < facts.num_dims; ++d)
    out *= shape.span(static_cast<std::size_t>(d)) + 2 * static_cast<std::size_t>(facts.radius[d]);
  return out;
}

/// Whether the launch has enough groups, and few of their instances are margins.
bool pays(const LaunchPlan& plan, const DeviceInfo& device, const VersionFacts& facts) {
  WorkShape shape = margin_shape_of(plan, device);
  // As a launch does.
  while (local_bytes_of(facts, shape) > device.local_bytes && shape.items[0] * shape.items[1] * shape.items[2] > 1)
    shape = with_fewer_items(shape);
  if (!has_own_spans(plan, shape)) return false;
  double made = 1;
  std::size_t groups = 1;
  for (std::size_t d = 0; d < plan.extent.size(); ++d) {
    const std::size_t own = own_span(plan, shape, d);
    made *= static_cast<double>(shape.span(d)) / static_cast<double>(own);
    groups *= divided_up(static_cast<std::size_t>(plan.extent[d]), own);
  }
  return made <= kMostMade && groups >= static_cast<std::size_t>(device.compute_units);
}

/// What a configuration says of a dimension; 0: nothing.
std::size_t given(const std::int64_t* values, int d) {
  return values == nullptr ? 0 : static_cast<std::size_t>(values[d]);
}

}  // namespace

std::int64_t usual_depth_on(const DeviceInfo& device, const VersionFacts& facts, std::int64_t rows) {
  if (device.type != DeviceType::Gpu) return 1;
  for (const std::int64_t depth : kDepths) {
    LaunchPlan plan;
    plan.group = plan.items = {1, 1, 1};
    for (int d = 0; d < facts.num_dims; ++d) {
      const auto dim = static_cast<std::size_t>(d);
      plan.extent.push_back(static_cast<std::int32_t>(d + 1 < facts.num_dims ? facts.extents[d] : rows));
      plan.margins[dim] = static_cast<std::size_t>(facts.radius[d] * depth);
      plan.group[dim] = given(facts.group, d);
      plan.items[dim] = given(facts.items, d);
    }
    if (pays(plan, device, facts)) return depth;
  }
  return 1;
}

std::int64_t depth_of(std::int64_t value, LaunchDevices devices, const VersionFacts& facts) {
  if (value != 0) return value;
  const ManagerSet alive = (devices.set == nullptr ? ManagerSet(devices.manager) : *devices.set).alive();
  if (alive.is_empty()) return 1;
  const std::vector<Indices> blocks = alive.parts_of(facts.extents[facts.num_dims - 1]);
  const auto largest = std::max_element(blocks.begin(), blocks.end(),
                                        [](const Indices& a, const Indices& b) { return a.count < b.count; });
  const Manager& manager = *alive.managers()[static_cast<std::size_t>(largest - blocks.begin())];
  return usual_depth_on(manager.info(), facts, largest->count);
}

}  // namespace pbrt::gpu
