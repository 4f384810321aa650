// SPDX-License-Identifier: MIT
// The residency table: per storage its buffer on the device and which boxes are current there, newer there, or in
// use by operations in flight; per device the registry of such records. Used by the manager thread and, through
// launch.cpp, by workers.
//
// A storage is on one device at a time. Boxes are exact. Versions are kept as set differences: what is
// written anew leaves the sets of older operations, so that an older copy-out cannot make newer data count as copied.
//
// Lock order: Registry::mutex before StorageRecord::mutex. No StorageRef is released under either.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/gpu/access_shadow.h"
#include "runtime/gpu/box_set.h"
#include "runtime/gpu/device.h"
#include "runtime/gpu/layout.h"
#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

class StorageRecord;
class TaskQueue;

/// The data that the records of one device share. It outlives the manager as long as a record refers to it.
struct Registry {
  std::mutex mutex;
  std::vector<StorageRecord*> records;
  /// Buffers of storages that are gone, for reuse by size; only on devices with memory of their own.
  std::vector<std::unique_ptr<Buffer>> pool;
  std::uint64_t used_bytes = 0;  ///< size of all buffers, pooled ones too
  bool shares_host_memory = false;
  /// Called once when a storage that is going has given its buffer back, with `mutex` held; empty: nobody waits for
  /// one.
  std::function<void()> when_buffer_returns;
  TaskQueue* queue = nullptr;  ///< the manager's queue; null: the manager has ended
};

/// The part of an operation in flight that concerns one storage. Owned by the operation; in the record's list until it
/// ends.
struct OperationPart {
  StorageRecord* record = nullptr;
  StorageRef storage;          ///< keeps record and memory alive
  BoxSet host_use;             ///< host memory that it reads or writes
  BoxSet host_result;          ///< boxes that are current on the host when the operation has ended
  BoxSet device_use;           ///< memory of the buffer that it uses, if that is not the host's memory
  bool writes_device = false;  ///< else it reads
  bool is_beside = false;      ///< see CopyOrder
};

class StorageRecord final : public DeviceRecord {
 public:
  /// Finds or makes the record of `storage`. Threads: any.
  [[nodiscard]] static StorageRecord& of(Storage& storage, int element_bytes);
  /// The record, or null if the storage never was on a device.
  [[nodiscard]] static StorageRecord* find(const Storage& storage);
  ~StorageRecord() override;

  /// Registers with `registry` if the record belongs to no running manager or holds nothing there.
  ///
  /// Post: the result is false if another manager has a buffer of it
  [[nodiscard]] bool attach(const std::shared_ptr<Registry>& registry);
  /// The task queue of the manager that has this storage's device copy; null if none.
  [[nodiscard]] TaskQueue* queue();

  std::mutex mutex;

  // All functions below are called with `mutex` held.

  /// Refines the grid for the view; false if the view is not of the storage's shape.
  [[nodiscard]] bool adopt(const OwnedView& view);
  /// The cells of the view; the whole storage if it is not of the storage's shape.
  [[nodiscard]] GridBox box_of(const OwnedView& view);

  /// The cells of the view that are newer on the device, or were on one that failed.
  [[nodiscard]] BoxSet newer_than_host(const OwnedView& view);

  /// Notes that a kernel writes `box` on the device: it is newer there than on the host.
  void wrote_on_device(const GridBox& box);
  /// Notes that the host wrote the view, except for what is newer on the device, because another task wrote that
  /// meanwhile.
  void wrote_on_host(const OwnedView& view);
  /// Notes that the host is going to write all of the view. Kernels that work on the host's memory still have to end.
  void forget(const OwnedView& view);
  void begin(OperationPart& part);
  void end(OperationPart& part, bool ok);
  /// Forgets the device. Data that was only there is lost.
  void lose_device();
  [[nodiscard]] bool host_in_use(const GridBox& box) const;
  /// Whether an operation in flight must end before one that reads or writes these parts of the buffer. With
  /// `only_beside`, only copies beside the queue count.
  [[nodiscard]] bool device_in_use(const BoxSet& boxes, bool writes, bool only_beside) const;
  /// The part of `boxes` that no operation in flight writes.
  [[nodiscard]] BoxSet settled(BoxSet boxes) const;
  [[nodiscard]] bool is_busy() const { return pins != 0 || !parts_.empty(); }
  /// Boxes of `dirty` in `box` that no copy-out in flight brings.
  [[nodiscard]] BoxSet dirty_not_under_way(const GridBox& box) const;
  void publish_state();

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] Storage& storage() const { return *storage_; }
  [[nodiscard]] GridBox whole() const;

  std::unique_ptr<Buffer> buffer;
  bool is_host_memory = false;           ///< the buffer is the host's memory
  BoxSet valid;                          ///< current on the device
  BoxSet dirty;                          ///< newer on the device than on the host
  BoxSet lost;                           ///< was newer on a device that failed
  std::unique_ptr<AccessShadow> shadow;  ///< null: accesses of the host are not watched
  int pins = 0;                          ///< number of launches that were prepared and have not ended
  std::uint64_t last_use = 0;

 private:
  StorageRecord(Storage& storage, int element_bytes);
  void detach();

  Storage* storage_;
  Layout layout_;
  std::vector<OperationPart*> parts_;
  std::mutex attach_mutex_;  // guards registry_; before Registry::mutex
  std::shared_ptr<Registry> registry_;
};

}  // namespace pbrt::gpu
