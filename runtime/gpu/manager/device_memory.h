// SPDX-License-Identifier: MIT
// The memory of a device: one buffer per storage that is on it, evicted when memory is short: clean ones first, then
// dirty ones after a copy-out. Private to runtime/gpu.
//
// Registry::mutex guards the list of residences, the pool and the bytes in use; each record's mutex buffer and pins.
// Both are taken in this order (storage_record.h). The rest is the manager thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/gpu/manager/device_copies.h"
#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/gpu/manager/operations_in_flight.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/queue/task_queue.h"
#include "runtime/gpu/storage_record.h"

namespace pbrt::gpu {

/// Threads: manager thread only, but for registry()
class DeviceMemory {
 public:
  enum class Acquired : std::uint8_t { Yes, Later, No };

  DeviceMemory(ManagedDevice& device, TaskQueue& queue, OperationsInFlight& operations, DeviceCopies& copies,
               ManagerStatistics& statistics);

  /// What the residences of this device share.
  [[nodiscard]] const std::shared_ptr<Registry>& registry() const { return registry_; }

  /// Pins the job's storages and gets a buffer for each, and memory for the records of its stages: all or none, so that
  /// jobs never wait for each other. Later: an event that may free memory is to come.
  ///
  /// Errors: throws what Device::allocate and Device::read throw, and then nothing is pinned
  [[nodiscard]] Acquired acquire(LaunchJob& job);
  /// Pre: acquire(job) was Yes, and it was not released since
  void release(LaunchJob& job);

  /// Gives up the storage's buffer. Returns false if something in it is newer or in use.
  [[nodiscard]] bool drop(Residence& home);
  /// The storages of this device that are not about to be destroyed.
  [[nodiscard]] std::vector<StorageRef> living_storages();
  /// Called after the device failed. Data that was only there is lost.
  void lose_all();
  /// Called before the manager ends: does the same as lose_all, and removes the residences.
  void close();

 private:
  void pin(LaunchJob& job, Residence& home);
  void unpin(LaunchJob& job);
  /// Gets buffers for what the job has pinned, for its windows and its records.
  [[nodiscard]] Acquired acquire_buffers(LaunchJob& job);
  [[nodiscard]] Acquired acquire_buffer(Residence& home);
  [[nodiscard]] Acquired acquire_scratch(LaunchJob& job);
  /// Gets a buffer of this size; `host` as in Device::allocate. Others are evicted for it.
  [[nodiscard]] Acquired make_buffer(std::size_t size_bytes, void* host, std::unique_ptr<Buffer>& buffer);
  /// Allocates a buffer; null if the limit or the device leaves no room. `is_within_limit` tells which of the two.
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host, bool& is_within_limit);
  /// Whether the limit leaves room for a buffer, or would if the pool were emptied of some.
  [[nodiscard]] bool has_room(std::size_t size_bytes) const;
  [[nodiscard]] std::unique_ptr<Buffer> take_pooled(std::size_t size_bytes);
  [[nodiscard]] bool empty_pool();
  /// Frees the memory for records if no job uses it; false if there is none to free.
  [[nodiscard]] bool free_idle_scratch();
  [[nodiscard]] bool evict_clean();
  /// Starts the copy-out of the least recently used dirty buffer. True if one is under way.
  [[nodiscard]] bool evict_dirty();
  /// Pre: the registry's mutex and the record's are held
  void release_buffer(Residence& home);
  /// Keeps the buffer for the next matrix of its size, where it is not the host's own memory. Pre: as release_buffer
  void recycle_buffer(Residence& home);

  ManagedDevice& device_;
  TaskQueue& queue_;
  OperationsInFlight& operations_;
  DeviceCopies& copies_;
  ManagerStatistics& statistics_;
  const std::shared_ptr<Registry> registry_;
  /// Memory for the records of stages, one for all jobs, since their launches run one after the other. Those that began
  /// with a smaller one keep it.
  std::shared_ptr<Buffer> scratch_;
  int num_pinning_jobs_ = 0;  ///< acquired and not released
  std::uint64_t clock_ = 0;   ///< counts pins
};

/// Whether the job's storages have buffers on the device of `registry`, or get them at once: from the pool, or small
/// ones. Threads: manager thread
[[nodiscard]] bool has_buffers_for(const LaunchJob& job, Registry& registry);

}  // namespace pbrt::gpu
