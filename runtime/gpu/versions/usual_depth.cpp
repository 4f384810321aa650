// SPDX-License-Identifier: MIT
#include "runtime/gpu/versions/usual_depth.h"

#include <cstddef>

#include "runtime/gpu/manager.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/shapes/margin_shape.h"
#include "runtime/gpu/several/manager_set.h"

namespace pbrt::gpu {
namespace {

constexpr std::int64_t kDepths[] = {5, 3};  // deeper tiles took longer on an H200
constexpr double kMostMade = 1.6;           // instances that run, of those that a launch makes

/// Whether the launch has enough groups, and few of their instances are margins.
bool pays(const LaunchPlan& plan, const DeviceInfo& device) {
  const WorkShape shape = margin_shape_of(plan, device);
  if (!has_own_spans(plan, shape)) return false;
  double made = 1;
  std::size_t groups = 1;
  for (std::size_t d = 0; d < plan.extent.size(); ++d) {
    const std::size_t own = own_span(plan, shape, d);
    made *= static_cast<double>(shape.span(d)) / static_cast<double>(own);
    groups *= (static_cast<std::size_t>(plan.extent[d]) + own - 1) / own;
  }
  return made <= kMostMade && groups >= static_cast<std::size_t>(device.compute_units);
}

}  // namespace

std::int64_t usual_depth_on(const DeviceInfo& device, int num_dims, const std::int64_t* extents,
                            const std::int64_t* radius) {
  if (device.type != DeviceType::Gpu) return 1;
  for (const std::int64_t depth : kDepths) {
    LaunchPlan plan;
    plan.group = plan.items = {0, 0, 0};
    for (int d = 0; d < num_dims; ++d) {
      plan.extent.push_back(static_cast<std::int32_t>(extents[d]));
      plan.margins[static_cast<std::size_t>(d)] = static_cast<std::size_t>(radius[d] * depth);
    }
    if (pays(plan, device)) return depth;
  }
  return 1;
}

std::int64_t depth_of(std::int64_t value, LaunchDevices devices, int num_dims, const std::int64_t* extents,
                      const std::int64_t* radius) {
  if (value != 0) return value;
  const Manager* manager = devices.manager;
  if (devices.set != nullptr && !devices.set->is_empty()) manager = devices.set->managers().front();
  return manager == nullptr ? 1 : usual_depth_on(manager->info(), num_dims, extents, radius);
}

}  // namespace pbrt::gpu
