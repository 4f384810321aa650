// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager.h"

#include <utility>

#include "runtime/gpu/manager/manager_impl.h"
#include "runtime/gpu/manager/queue/submission.h"
#include "runtime/gpu/region_ref.h"

namespace pbrt::gpu {

Manager::Manager(std::unique_ptr<Device> device, const ManagerOptions& options)
    : impl_(std::make_unique<ManagerImpl>(std::move(device), options)) {}

Manager::~Manager() = default;

const DeviceInfo& Manager::info() const { return impl_->device.info(); }

bool Manager::is_alive() const { return impl_->device.is_alive(); }

DeviceCheck* Manager::check() const { return impl_->check.get(); }

DeviceStatistics Manager::statistics() const { return impl_->statistics.since_reset(*impl_->device); }

void Manager::reset_statistics() { impl_->statistics.reset(*impl_->device); }

void Manager::count_cut_launch() {
  impl_->statistics.count([](DeviceStatistics& s) { ++s.launches_cut; });
}

std::vector<RejectedKernel> Manager::rejected_kernels() const { return impl_->statistics.rejected(); }

void Manager::drop_device_copies(Frame& frame, Storage* storage) {
  if (storage_state(storage) == 0) return;
  DropTask task;
  task.storage = share(storage);
  static_cast<void>(wait_for(frame, impl_->queue, std::move(task)));  // cannot fail
}

bool Manager::prefetch(Frame& frame, const RegionRef& region) {
  if (!is_alive() || region.storage == nullptr) return false;
  LaunchPlan plan;
  LaunchRegion& wanted = plan.regions.emplace_back();
  wanted.storage = share(region.storage);
  wanted.view = wanted.touched = own(*region.storage, region.view);
  wanted.is_read = true;
  attach(impl_->memory.registry(), wanted);
  return submit(frame, *impl_, std::move(plan), true, [this] { impl_->queue.launches().begin(); }).ok;
}

void Manager::note_unloaded_code() noexcept { KernelTable::note_unloaded_code(); }

void Manager::drain(Frame& frame) { static_cast<void>(wait_for(frame, impl_->queue, DrainTask{})); }  // cannot fail

}  // namespace pbrt::gpu
