// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>

#include "runtime/gpu/copies/copy_kernel.h"
#include "runtime/gpu/launch.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/gpu/storage_record.h"

namespace pbrt::gpu {
namespace {

/// Whether one device has all of the region, in memory of its own.
bool is_on_device(const RegionRef& region) {
  if ((device_state(region) & kHasRecord) == 0) return false;
  StorageRecord* const record = StorageRecord::find(*region.storage);
  if (record == nullptr) return false;
  const OwnedView view = own(*region.storage, region.view);
  const std::lock_guard lock(record->mutex);
  const GridBox box = record->box_of(view);
  const auto& homes = record->residences();
  return std::any_of(homes.begin(), homes.end(), [&](const auto& home) {
    BoxSet missing(box);
    missing.remove(home->valid);
    return !home->is_host_memory && home->buffer != nullptr && missing.is_empty();
  });
}

}  // namespace

bool copy_on_device(Frame& frame, const ManagerSet* devices, const RegionRef& from, const RegionRef& to) {
  if (devices == nullptr || devices->are_verified() || from.storage == nullptr || to.storage == nullptr ||
      from.storage == to.storage || !is_on_device(from))
    return false;
  const int num_dims = to.view.num_dims;
  const int bytes = own(*to.storage, to.view).element_bytes;
  const KernelDesc* const kernel = copy_kernel_of(num_dims, bytes);
  if (kernel == nullptr || from.view.num_dims != num_dims || from.view.kind != to.view.kind) return false;
  std::int32_t lo[3] = {}, extent[3] = {};
  for (int d = 0; d < num_dims; ++d) {
    if (from.view.sizes[d] != to.view.sizes[d]) return false;
    extent[d] = static_cast<std::int32_t>(to.view.sizes[d]);
  }
  Launch launch(*kernel, frame, devices);
  launch.output(to, CopyOut::May).input(from).range(num_dims, lo, extent).group(nullptr, num_dims);
  return launch.run();
}

}  // namespace pbrt::gpu
