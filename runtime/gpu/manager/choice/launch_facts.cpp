// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/choice/launch_facts.h"

#include <cstddef>

#include "runtime/gpu/manager/kernel_table.h"

namespace pbrt::gpu {
namespace {

/// No vector is wider: whether a place is a multiple of its width follows from the rest of this division.
constexpr std::int64_t kWidest = 64;

template <class Numbers>
void append(LaunchFacts& facts, const Numbers& numbers) {
  for (const auto number : numbers) facts.push_back(static_cast<std::int64_t>(number));
}

void append_shape(LaunchFacts& facts, const OwnedView& view) {
  facts.push_back(view.num_dims);
  for (int d = 0; d < view.num_dims; ++d) facts.push_back(view.sizes[d]);
}

void append_region(LaunchFacts& facts, const LaunchRegion& region) {
  const std::int64_t flags = (region.is_argument ? 1 : 0) | (region.has_versions ? 2 : 0) | (region.is_read ? 4 : 0) |
                             (region.is_written ? 8 : 0) | (fits_32_bits(region) ? 16 : 0);
  facts.push_back(flags);
  facts.push_back(region.view.element_bytes);
  facts.push_back(region.view.offset % kWidest);
  append_shape(facts, region.view);
  for (int d = 0; d < region.view.num_dims; ++d) facts.push_back(region.view.strides[d]);
  append_shape(facts, region.touched);
}

void append_tile(LaunchFacts& facts, const LaunchTile& tile) {
  facts.push_back(tile.element_bytes);
  facts.push_back(static_cast<std::int64_t>(tile.dims.size()));
  for (const TileDim& dim : tile.dims) {
    append(facts, dim.step);
    facts.push_back(dim.extent);
  }
}

void append_scalar(LaunchFacts& facts, const LaunchPlan& plan, int scalar) {
  if (scalar >= 0) facts.push_back(plan.scalars[static_cast<std::size_t>(scalar)].integer());
}

}  // namespace

void find_facts(const LaunchPlan& plan, LaunchFacts& facts) {
  const KernelDesc& kernel = *plan.kernel;
  facts.clear();
  facts.push_back(static_cast<std::int64_t>(plan.extent.size()));
  append(facts, plan.extent);
  if (!plan.lo.empty()) facts.push_back(plan.lo[0] % kWidest);
  append(facts, plan.group);
  append(facts, plan.items);
  append(facts, plan.margins);
  append(facts, plan.block_items);
  append(facts, std::array{plan.lanes, plan.kept_rounds, plan.block_rounds, plan.block_stages, plan.block_parts,
                           std::size_t{plan.may_use_matrix_units}});
  for (int i = 0; i < kernel.num_specialized; ++i) append_scalar(facts, plan, kernel.specialized[i].scalar);
  for (const int scalar : {kernel.fold_length, kernel.inner_length, kernel.kept_length, kernel.block_length})
    append_scalar(facts, plan, scalar);
  facts.push_back(static_cast<std::int64_t>(plan.regions.size()));
  for (const LaunchRegion& region : plan.regions) append_region(facts, region);
  for (const LaunchTile& tile : plan.tiles) append_tile(facts, tile);
  for (const LaunchPanel& panel : plan.panels) {
    append_tile(facts, panel.cells);
    facts.push_back(static_cast<std::int64_t>(panel.contiguous));
  }
}

}  // namespace pbrt::gpu
