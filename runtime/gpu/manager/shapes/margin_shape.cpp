// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/shapes/margin_shape.h"

#include <algorithm>
#include <limits>

namespace pbrt::gpu {
namespace {

using Extents = std::array<std::size_t, 3>;

std::size_t cells_in(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }

/// How many groups the launch has.
std::size_t groups_of(const LaunchPlan& plan, const WorkShape& shape) {
  const Extents extents = extents_of(plan);
  std::size_t out = 1;
  for (std::size_t d = 0; d < 3; ++d) out *= divided_up(extents[d], std::max<std::size_t>(1, own_span(plan, shape, d)));
  return out;
}

/// Whether margins are at most half of the group along a dimension.
bool is_long(const LaunchPlan& plan, const WorkShape& shape, std::size_t d) {
  return 2 * own_span(plan, shape, d) >= shape.span(d);
}

constexpr std::size_t kMostInGroup = 4096;  // instances of a group that the runtime chooses

Extents group_for(std::size_t num_dims, bool is_cpu) {
  if (num_dims <= 1) return {is_cpu ? std::size_t{64} : std::size_t{256}, 1, 1};
  if (num_dims == 2) return is_cpu ? Extents{16, 16, 1} : Extents{64, 8, 1};
  return is_cpu ? Extents{8, 8, 4} : Extents{32, 4, 2};
}

/// The dimension along which margins take the largest part of a group.
std::size_t worst_dim(const LaunchPlan& plan, const WorkShape& shape) {
  std::size_t out = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (own_span(plan, shape, d) * shape.span(out) <= own_span(plan, shape, out) * shape.span(d) && plan.margins[d] > 0)
      out = d;
  return out;
}

/// Gives work-items more instances, where margins are long and as long as there are enough groups.
void add_items(WorkShape& shape, const LaunchPlan& plan, std::size_t least_groups) {
  while (2 * cells_in(shape.items) <= kMaxItems && 2 * cells_in(shape.items) * cells_in(shape.group) <= kMostInGroup) {
    const std::size_t d = worst_dim(plan, shape);
    WorkShape more = shape;
    more.items[d] *= 2;
    if (is_long(plan, shape, d) && groups_of(plan, more) < least_groups) return;
    shape = more;
  }
}

/// Makes the group longer where margins take all of it, and narrower elsewhere, as long as instances are left there. So
/// no loop gets into that state again, and this ends.
void balance(WorkShape& shape, const LaunchPlan& plan) {
  for (std::size_t d = worst_dim(plan, shape); own_span(plan, shape, d) == 0; d = worst_dim(plan, shape)) {
    const auto widest =
        static_cast<std::size_t>(std::max_element(shape.group.begin(), shape.group.end()) - shape.group.begin());
    WorkShape next = shape;
    next.group[widest] /= 2;
    next.group[d] *= 2;
    if (widest == d || next.group[widest] == 0 || own_span(plan, next, widest) == 0) return;
    shape = next;
  }
}

}  // namespace

bool has_margins(const LaunchPlan& plan) {
  return cells_in({plan.margins[0] + 1, plan.margins[1] + 1, plan.margins[2] + 1}) > 1;
}

bool has_own_spans(const LaunchPlan& plan, const WorkShape& shape) {
  return own_span(plan, shape, 0) > 0 && own_span(plan, shape, 1) > 0 && own_span(plan, shape, 2) > 0;
}

WorkShape margin_shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  const std::size_t num_dims = std::min<std::size_t>(3, plan.extent.size());
  const bool is_cpu = device.type == DeviceType::Cpu;
  WorkShape out{plan.group, plan.items};
  for (std::size_t d = num_dims; d < 3; ++d) out.group[d] = out.items[d] = 1;
  const bool has_group = !is_open(out.group);
  if (!has_group) out.group = group_for(num_dims, is_cpu);
  while (!has_group && cells_in(out.group) > device.max_group_size && cells_in(out.group) > 1)
    *std::max_element(out.group.begin(), out.group.end()) /= 2;
  if (!is_open(out.items)) {
    while (cells_in(out.items) > kMaxItems) out = with_fewer_items(out);
    return out;
  }
  out.items = {1, 1, 1};
  // On a CPU instances of a work-item gain nothing.
  const std::size_t units = compute_units_of(device);
  add_items(out, plan, is_cpu ? std::numeric_limits<std::size_t>::max() : units);
  if (!has_group) balance(out, plan);
  return out;
}

}  // namespace pbrt::gpu

// Note [Shapes with margins]
//
// Instances in the margins of a group run twice or more often, and work-items have registers for theirs. So groups have
// as many instances as they can, most along the loops where margins take most of them: 64 x 64 for a group of 64 x 8
// work-items. Instances of a work-item are neighbours along the second loop, and share what they read of rows. Of such
// shapes, this one was the fastest on an H200. Where there would be fewer groups than compute units, work-items have
// fewer instances, as long as half of those of a group are its own. Where margins take all of a group along a loop, it
// is longer there, and narrower elsewhere.
