// SPDX-License-Identifier: MIT
// Device memory: one buffer per storage, evicted when memory is short: clean ones first, then dirty ones after a
// copy-out.
#include <algorithm>
#include <utility>

#include "base/seeded_fault.h"
#include "runtime/gpu/manager_impl.h"

namespace pbrt::gpu {

void Manager::Impl::pin(LaunchJob& job, StorageRecord& record) {
  const std::lock_guard lock(record.mutex);
  ++record.pins;
  record.last_use = ++clock;
  job.pinned.push_back(&record);
}

void Manager::Impl::unpin(LaunchJob& job) {
  for (StorageRecord* record : job.pinned) {
    const std::lock_guard lock(record->mutex);
    --record->pins;
  }
  job.pinned.clear();
}

/// All or nothing: a job that has to wait pins nothing, so that jobs never wait for each other.
Manager::Impl::Acquired Manager::Impl::acquire_buffers(LaunchJob& job) {
  for (LaunchRegion& region : job.plan.regions) pin(job, *region.record);
  for (LaunchRegion& region : job.plan.regions) {
    if (region.record->buffer != nullptr) continue;
    const Acquired acquired = acquire_buffer(*region.record);
    if (acquired == Acquired::Yes) continue;
    unpin(job);
    return acquired;
  }
  return Acquired::Yes;
}

Manager::Impl::Acquired Manager::Impl::acquire_buffer(StorageRecord& record) {
  const std::size_t size_bytes = std::max<std::size_t>(record.storage().bytes(), 1);
  if (size_bytes > memory_limit || (info.max_alloc_bytes != 0 && size_bytes > info.max_alloc_bytes))
    return Acquired::No;
  for (;;) {
    std::unique_ptr<Buffer> buffer = take_pooled(size_bytes);
    bool fits = true;
    if (buffer == nullptr) {
      {
        const std::lock_guard lock(registry->mutex);
        fits = registry->used_bytes + size_bytes <= memory_limit;
      }
      if (fits) buffer = device->allocate(size_bytes, record.storage().data());
      if (buffer != nullptr) {
        count([](DeviceStatistics& s) { ++s.buffers_allocated; });
        const std::lock_guard lock(registry->mutex);
        registry->used_bytes += size_bytes;
      }
    }
    if (buffer != nullptr) {
      const std::lock_guard lock(record.mutex);
      record.buffer = std::move(buffer);
      record.is_host_memory = info.shares_host_memory;
      return Acquired::Yes;
    }
    if (empty_pool() || evict_clean()) continue;
    if (evict_dirty() || !operations.empty() || num_pinning_jobs != 0) return Acquired::Later;
    if (fits || !has_room(size_bytes)) return Acquired::No;
    // A storage that was looked for in the pool and then among the living has gone between the two.
  }
}

bool Manager::Impl::has_room(std::size_t size_bytes) const {
  const std::lock_guard lock(registry->mutex);
  return !registry->pool.empty() || registry->used_bytes + size_bytes <= memory_limit;
}

std::unique_ptr<Buffer> Manager::Impl::take_pooled(std::size_t size_bytes) {
  const std::lock_guard lock(registry->mutex);
  const auto found =
      std::find_if(registry->pool.begin(), registry->pool.end(),
                   [&](const std::unique_ptr<Buffer>& buffer) { return buffer->size_bytes() == size_bytes; });
  if (found == registry->pool.end()) return nullptr;
  std::unique_ptr<Buffer> buffer = std::move(*found);
  registry->pool.erase(found);
  return buffer;
}

bool Manager::Impl::empty_pool() {
  const std::lock_guard lock(registry->mutex);
  if (registry->pool.empty()) return false;
  for (const auto& buffer : registry->pool) registry->used_bytes -= buffer->size_bytes();
  registry->pool.clear();
  return true;
}

void Manager::Impl::recycle_buffer(StorageRecord& record) {
  if (info.shares_host_memory || record.buffer == nullptr) return release_buffer(record);
  record.valid.clear();
  registry->pool.push_back(std::move(record.buffer));
}

void Manager::Impl::release_buffer(StorageRecord& record) {
  record.valid.clear();
  if (record.buffer == nullptr) return;
  registry->used_bytes -= record.buffer->size_bytes();
  record.buffer.reset();
}

bool Manager::Impl::evict_clean() {
  const std::lock_guard registry_lock(registry->mutex);
  StorageRecord* oldest = nullptr;
  std::uint64_t oldest_use = UINT64_MAX;
  for (StorageRecord* record : registry->records) {
    const std::lock_guard lock(record->mutex);
    const bool is_dirty = !record->dirty.is_empty() && !PB_FAULT(dirty_buffer_evicted);
    const bool is_clean = record->buffer != nullptr && !is_dirty && !record->is_busy();
    if (!is_clean || record->last_use >= oldest_use) continue;
    oldest = record;
    oldest_use = record->last_use;
  }
  if (oldest == nullptr) return false;
  // Only this thread makes a record dirty or busy, so it still is clean.
  const std::lock_guard lock(oldest->mutex);
  release_buffer(*oldest);
  count([](DeviceStatistics& s) { ++s.evictions; });
  return true;
}

/// Starts the copy-out of the least recently used dirty buffer; true if one is under way.
bool Manager::Impl::evict_dirty() {
  StorageRef storage;
  {
    const std::lock_guard registry_lock(registry->mutex);
    std::uint64_t oldest_use = UINT64_MAX;
    StorageRecord* oldest = nullptr;
    for (StorageRecord* record : registry->records) {
      const std::lock_guard lock(record->mutex);
      if (record->buffer == nullptr || record->pins != 0 || record->dirty.is_empty()) continue;
      if (record->is_busy()) return true;  // its copy-out is in flight
      if (record->last_use >= oldest_use) continue;
      oldest = record;
      oldest_use = record->last_use;
    }
    if (oldest == nullptr) return false;
    // Its storage is going: the buffer comes to the pool, and the record pokes this thread.
    if (!oldest->storage().try_retain()) return registry->is_short = true;
    storage = StorageRef::adopt(&oldest->storage());
  }
  StorageRecord& record = *StorageRecord::find(*storage.get());
  if (std::shared_ptr<Operation> operation = copy_out_all(record, storage)) push(EvictionTask{std::move(operation)});
  return true;
}

}  // namespace pbrt::gpu
