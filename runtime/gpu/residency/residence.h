// SPDX-License-Identifier: MIT
// What one device has of one storage: its buffer there, the boxes that are current and newer there, and the operations
// in flight. A storage may be on several devices at once; StorageRecord holds its residences and says what they are to
// each other. Used by the manager thread of the device and, through StorageRecord, by others.
//
// Lock order: Registry::mutex before StorageRecord::mutex. No StorageRef is released under either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/gpu/box_set.h"
#include "runtime/gpu/device.h"
#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

class Residence;
class StorageRecord;
class TaskQueue;

/// The data that the residences of one device share. It outlives the manager as long as something refers to it.
struct Registry {
  std::mutex mutex;
  std::vector<Residence*> residences;
  /// Buffers of storages that are gone, for reuse by size; only on devices with memory of their own.
  std::vector<std::unique_ptr<Buffer>> pool;
  std::uint64_t used_bytes = 0;  ///< size of all buffers, pooled ones too
  bool shares_host_memory = false;
  /// Called once when a storage that is going has given its buffer back, with `mutex` held; empty: nobody waits for
  /// one.
  std::function<void()> when_buffer_returns;
  TaskQueue* queue = nullptr;  ///< the manager's queue; null: the manager has ended
};

using Registries = std::vector<std::shared_ptr<Registry>>;

/// The part of an operation in flight that concerns one storage. Owned by the operation; in the residence's list until
/// it ends.
struct OperationPart {
  Residence* home = nullptr;
  StorageRef storage;          ///< keeps record and memory alive
  BoxSet host_use;             ///< host memory that it reads or writes
  bool writes_host = false;    ///< else it reads that
  BoxSet host_result;          ///< boxes that are current on the host when the operation has ended; it uses them all
  BoxSet device_use;           ///< memory of the buffer that it uses, if that is not the host's memory
  bool writes_device = false;  ///< else it reads
  bool is_beside = false;      ///< see CopyOrder
};

/// All but record() and registry() is used with the mutex of the record held.
class Residence {
 public:
  Residence(StorageRecord& of, std::shared_ptr<Registry> at) : record_(of), registry_(std::move(at)) {}

  [[nodiscard]] StorageRecord& record() const { return record_; }
  [[nodiscard]] const std::shared_ptr<Registry>& registry() const { return registry_; }

  [[nodiscard]] bool host_in_use(const BoxSet& boxes) const;
  /// Whether an operation in flight uses the host's memory there, unless it only reads that and so does the caller.
  [[nodiscard]] bool host_in_way(const BoxSet& boxes, bool writes) const;
  /// Removes what host_in_way() says of a caller that writes.
  void remove_host_use(BoxSet& boxes) const;
  /// Whether an operation in flight must end before one that reads or writes these parts of the buffer. With
  /// `only_beside`, only copies beside the queue count.
  [[nodiscard]] bool device_in_use(const BoxSet& boxes, bool writes, bool only_beside) const;
  /// The part of `boxes` that no operation in flight writes.
  [[nodiscard]] BoxSet settled(BoxSet boxes) const;
  [[nodiscard]] bool is_busy() const { return pins != 0 || !parts.empty(); }
  /// The cells of `box` that are not current on the device.
  [[nodiscard]] BoxSet missing(const GridBox& box) const;
  /// Boxes of `dirty` in `box` that no copy-out in flight brings.
  [[nodiscard]] BoxSet dirty_not_under_way(const GridBox& box) const;

  std::unique_ptr<Buffer> buffer;
  bool is_host_memory = false;  ///< the buffer is the host's memory
  /// Whether there is a buffer that is not the host's memory. That does not change as long as the buffer lives.
  [[nodiscard]] bool has_own_memory() const { return buffer != nullptr && !is_host_memory; }
  BoxSet valid;  ///< current on the device
  BoxSet dirty;  ///< newer on the device than on the host and on every other device
  int pins = 0;  ///< number of launches that were prepared and have not ended
  std::uint64_t last_use = 0;
  std::vector<OperationPart*> parts;       ///< of the operations in flight
  std::vector<OperationPart*> host_parts;  ///< those that use the host's memory; kernels on memory of a device do not

 private:
  StorageRecord& record_;
  const std::shared_ptr<Registry> registry_;
};

}  // namespace pbrt::gpu
