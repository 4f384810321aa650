// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/device_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/manager/windows/memory_need.h"

namespace pbrt::gpu {
namespace {

/// Drivers take so little from memory that they have already.
constexpr std::size_t kMostBriefBuffer = std::size_t{1} << 16;

/// Notes that what only this device has is lost. Returns the devices that may wait for it. Pre: its mutex is held
Registries lose_data_of(const Registry& registry) {
  Registries others;
  for (Residence* home : registry.residences) {
    StorageRecord& record = home->record();
    const std::lock_guard lock(record.mutex);
    if (!home->dirty.is_empty()) {
      const Registries more = record.others_than(*home);
      others.insert(others.end(), more.begin(), more.end());
    }
    record.lose(*home);
  }
  return others;
}

}  // namespace

DeviceMemory::DeviceMemory(ManagedDevice& device, TaskQueue& queue, OperationsInFlight& operations,
                           DeviceCopies& copies, ManagerStatistics& statistics)
    : device_(device),
      queue_(queue),
      operations_(operations),
      copies_(copies),
      statistics_(statistics),
      registry_(std::make_shared<Registry>()) {
  registry_->queue = &queue;
  registry_->shares_host_memory = device.info().shares_host_memory;
}

void DeviceMemory::pin(LaunchJob& job, Residence& home) {
  const std::lock_guard lock(home.record().mutex);
  ++home.pins;
  home.last_use = ++clock_;
  job.pinned.push_back(&home);
}

void DeviceMemory::unpin(LaunchJob& job) {
  job.scratch.reset();
  // A job that was refused in its midst may have copies under way. The device keeps their buffers until they end; who
  // took one from the pool would not wait for them.
  const bool is_over = std::all_of(job.operations.begin(), job.operations.end(),
                                   [](const std::shared_ptr<Operation>& each) { return each->is_applied; });
  for (LaunchWindow& window : job.windows) {
    if (window.buffer == nullptr) continue;
    const std::lock_guard lock(registry_->mutex);
    if (is_over) {
      registry_->pool.push_back(std::move(window.buffer));
    } else {
      registry_->used_bytes -= window.buffer->size_bytes();
      window.buffer.reset();
    }
  }
  for (Residence* home : job.pinned) {
    const std::lock_guard lock(home->record().mutex);
    --home->pins;
  }
  job.pinned.clear();
}

DeviceMemory::Acquired DeviceMemory::acquire(LaunchJob& job) {
  // Nothing is evicted in vain.
  if (!fits_memory(job, device_)) return Acquired::No;
  for (LaunchRegion& region : job.plan.regions)
    if (job.window_of(*region.record) == nullptr) pin(job, *region.home);
  Acquired acquired = Acquired::No;
  try {
    acquired = acquire_buffers(job);
  } catch (...) {
    unpin(job);
    throw;
  }
  if (acquired == Acquired::Yes)
    ++num_pinning_jobs_;
  else
    unpin(job);
  return acquired;
}

DeviceMemory::Acquired DeviceMemory::acquire_buffers(LaunchJob& job) {
  Acquired acquired = Acquired::Yes;
  for (Residence* home : job.pinned)
    if (acquired == Acquired::Yes && home->buffer == nullptr) acquired = acquire_buffer(*home);
  for (LaunchWindow& window : job.windows)
    if (acquired == Acquired::Yes) acquired = make_buffer(window.num_bytes, nullptr, window.buffer);
  if (acquired == Acquired::Yes && scratch_bytes_of(job) != 0) acquired = acquire_scratch(job);
  return acquired;
}

void DeviceMemory::release(LaunchJob& job) {
  --num_pinning_jobs_;
  unpin(job);
}

std::unique_ptr<Buffer> DeviceMemory::allocate(std::size_t size_bytes, void* host, bool& is_within_limit) {
  {
    const std::lock_guard lock(registry_->mutex);
    is_within_limit = registry_->used_bytes + size_bytes <= device_.memory_limit();
  }
  if (!is_within_limit) return nullptr;
  std::unique_ptr<Buffer> buffer = device_->allocate(size_bytes, host);
  if (buffer == nullptr) return nullptr;
  statistics_.count([](DeviceStatistics& s) { ++s.buffers_allocated; });
  const std::lock_guard lock(registry_->mutex);
  registry_->used_bytes += size_bytes;
  return buffer;
}

DeviceMemory::Acquired DeviceMemory::acquire_buffer(Residence& home) {
  StorageRecord& record = home.record();
  std::unique_ptr<Buffer> buffer;
  const Acquired acquired = make_buffer(buffer_bytes_of(record), record.storage().data(), buffer);
  if (acquired != Acquired::Yes) return acquired;
  const std::lock_guard lock(record.mutex);
  home.buffer = std::move(buffer);
  home.is_host_memory = device_.info().shares_host_memory;
  return acquired;
}

DeviceMemory::Acquired DeviceMemory::acquire_scratch(LaunchJob& job) {
  const std::size_t bytes = scratch_bytes_of(job);
  if (scratch_ == nullptr || scratch_->size_bytes() < bytes) {
    scratch_.reset();
    std::unique_ptr<Buffer> buffer;
    const Acquired acquired = make_buffer(bytes, nullptr, buffer);
    if (acquired != Acquired::Yes) return acquired;
    scratch_ = std::shared_ptr<Buffer>(buffer.release(), [registry = registry_](Buffer* each) {
      const std::unique_ptr<Buffer> owned(each);
      const std::lock_guard lock(registry->mutex);
      registry->used_bytes -= owned->size_bytes();
    });
  }
  job.scratch = scratch_;
  return Acquired::Yes;
}

bool DeviceMemory::free_idle_scratch() {
  if (scratch_ == nullptr || scratch_.use_count() != 1) return false;
  scratch_.reset();
  return true;
}

DeviceMemory::Acquired DeviceMemory::make_buffer(std::size_t size_bytes, void* host, std::unique_ptr<Buffer>& buffer) {
  const DeviceInfo& info = device_.info();
  if (size_bytes > device_.memory_limit() || (info.max_alloc_bytes != 0 && size_bytes > info.max_alloc_bytes))
    return Acquired::No;
  for (;;) {
    buffer = take_pooled(size_bytes);
    bool fits = true;
    if (buffer == nullptr) buffer = allocate(size_bytes, host, fits);
    if (buffer != nullptr) return Acquired::Yes;
    if (empty_pool() || free_idle_scratch() || evict_clean()) continue;
    if (evict_dirty() || !operations_.is_empty() || num_pinning_jobs_ != 0) return Acquired::Later;
    if (fits || !has_room(size_bytes)) return Acquired::No;
    // A storage was destroyed after the pool and before the living storages were searched, so both searches missed its
    // buffer. They are repeated.
  }
}

bool DeviceMemory::has_room(std::size_t size_bytes) const {
  const std::lock_guard lock(registry_->mutex);
  return !registry_->pool.empty() || registry_->used_bytes + size_bytes <= device_.memory_limit();
}

std::unique_ptr<Buffer> DeviceMemory::take_pooled(std::size_t size_bytes) {
  const std::lock_guard lock(registry_->mutex);
  const auto found =
      std::find_if(registry_->pool.begin(), registry_->pool.end(),
                   [&](const std::unique_ptr<Buffer>& buffer) { return buffer->size_bytes() == size_bytes; });
  if (found == registry_->pool.end()) return nullptr;
  std::unique_ptr<Buffer> buffer = std::move(*found);
  registry_->pool.erase(found);
  return buffer;
}

bool DeviceMemory::empty_pool() {
  const std::lock_guard lock(registry_->mutex);
  if (registry_->pool.empty()) return false;
  for (const auto& buffer : registry_->pool) registry_->used_bytes -= buffer->size_bytes();
  registry_->pool.clear();
  return true;
}

void DeviceMemory::recycle_buffer(Residence& home) {
  if (device_.info().shares_host_memory || home.buffer == nullptr) return release_buffer(home);
  home.valid.clear();
  registry_->pool.push_back(std::move(home.buffer));
}

void DeviceMemory::release_buffer(Residence& home) {
  home.valid.clear();
  if (home.buffer == nullptr) return;
  registry_->used_bytes -= home.buffer->size_bytes();
  home.buffer.reset();
}

bool DeviceMemory::evict_clean() {
  const std::lock_guard registry_lock(registry_->mutex);
  Residence* oldest = nullptr;
  std::uint64_t oldest_use = UINT64_MAX;
  for (Residence* home : registry_->residences) {
    const std::lock_guard lock(home->record().mutex);
    const bool is_dirty = !home->dirty.is_empty() && !PB_FAULT(dirty_buffer_evicted);
    const bool is_clean = home->buffer != nullptr && !is_dirty && !home->is_busy();
    if (!is_clean || home->last_use >= oldest_use) continue;
    oldest = home;
    oldest_use = home->last_use;
  }
  if (oldest == nullptr) return false;
  // Only this thread makes it dirty or busy, so it still is clean.
  const std::lock_guard lock(oldest->record().mutex);
  const auto size_bytes = static_cast<std::int64_t>(oldest->buffer->size_bytes());
  release_buffer(*oldest);
  statistics_.count([&](DeviceStatistics& s) {
    ++s.evictions;
    s.bytes_evicted += size_bytes;
  });
  return true;
}

bool DeviceMemory::evict_dirty() {
  StorageRef storage;
  Residence* oldest = nullptr;
  {
    const std::lock_guard registry_lock(registry_->mutex);
    std::uint64_t oldest_use = UINT64_MAX;
    for (Residence* home : registry_->residences) {
      const std::lock_guard lock(home->record().mutex);
      if (home->buffer == nullptr || home->pins != 0 || home->dirty.is_empty()) continue;
      if (home->is_busy()) return true;  // its copy-out is in flight
      if (home->last_use >= oldest_use) continue;
      oldest = home;
      oldest_use = home->last_use;
    }
    if (oldest == nullptr) return false;
    // Its storage is being destroyed: the buffer comes to the pool, and the record then wakes this thread.
    if (!oldest->record().storage().try_retain()) {
      registry_->when_buffer_returns = [this] { queue_.poke(); };
      return true;
    }
    storage = StorageRef::adopt(&oldest->record().storage());
  }
  if (std::shared_ptr<Operation> operation = copies_.copy_out_all(*oldest, storage, "its place is needed")) {
    statistics_.count([](DeviceStatistics& s) { ++s.copies_before_eviction; });
    queue_.push(EvictionTask{std::move(operation)});
  }
  return true;
}

bool DeviceMemory::drop(Residence& home) {
  const std::lock_guard registry_lock(registry_->mutex);
  const std::lock_guard lock(home.record().mutex);
  if (!home.dirty.is_empty() || home.is_busy()) return false;
  recycle_buffer(home);
  return true;
}

std::vector<StorageRef> DeviceMemory::living_storages() {
  std::vector<StorageRef> living;
  const std::lock_guard registry_lock(registry_->mutex);
  for (Residence* home : registry_->residences)
    if (Storage& storage = home->record().storage(); storage.try_retain())
      living.push_back(StorageRef::adopt(&storage));
  return living;
}

void DeviceMemory::lose_all() {
  Registries waiting;
  {
    const std::lock_guard registry_lock(registry_->mutex);
    waiting = lose_data_of(*registry_);
  }
  poke_all(waiting);
}

void DeviceMemory::close() {
  scratch_.reset();
  Registries waiting;
  {
    const std::lock_guard registry_lock(registry_->mutex);
    waiting = lose_data_of(*registry_);
    for (Residence* home : std::exchange(registry_->residences, {})) {
      StorageRecord& record = home->record();
      const std::lock_guard lock(record.mutex);
      release_buffer(*home);
      record.remove(*home);
    }
    registry_->pool.clear();
    registry_->queue = nullptr;
  }
  poke_all(waiting);
}

bool has_buffers_for(const LaunchJob& job, Registry& registry) {
  std::map<const StorageRecord*, std::size_t> lacking;
  for (const LaunchRegion& region : job.plan.regions) {
    const std::lock_guard lock(region.record->mutex);
    const std::size_t bytes = buffer_bytes_of(*region.record);
    if (region.home->buffer == nullptr && bytes > kMostBriefBuffer) lacking.emplace(region.record, bytes);
  }
  if (lacking.empty()) return true;
  std::multiset<std::size_t> pooled;
  {
    const std::lock_guard lock(registry.mutex);
    for (const std::unique_ptr<Buffer>& buffer : registry.pool) pooled.insert(buffer->size_bytes());
  }
  return std::all_of(lacking.begin(), lacking.end(), [&](const auto& each) {
    const auto found = pooled.find(each.second);
    if (found == pooled.end()) return false;
    pooled.erase(found);
    return true;
  });
}

}  // namespace pbrt::gpu
