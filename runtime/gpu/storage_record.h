// SPDX-License-Identifier: MIT
// The residency table: per storage what each device has of it (residency/residence.h). Used by the manager threads and,
// through launch.cpp, by workers.
//
// A storage may be on several devices at once. A cell may be current on all of them, but it is newer than on the host
// on at most one, and then current on no other: so what another device needs of it comes through the host's memory
// (docs/decisions/0051-a-storage-may-be-on-several-devices.md).
//
// Boxes are exact. Versions are kept as set differences: what is written anew leaves the sets of older operations, so
// that an older copy-out cannot make newer data count as copied.
//
// Lock order: Registry::mutex before StorageRecord::mutex. No StorageRef is released under either.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/gpu/access_shadow.h"
#include "runtime/gpu/box_set.h"
#include "runtime/gpu/layout.h"
#include "runtime/gpu/residency/residence.h"
#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

class StorageRecord final : public DeviceRecord {
 public:
  /// Finds or makes the record of `storage`. Threads: any.
  [[nodiscard]] static StorageRecord& of(Storage& storage, int element_bytes);
  /// The record, or null if the storage never was on a device.
  [[nodiscard]] static StorageRecord* find(const Storage& storage);
  /// As find(). A storage without a record is not unwritten any more.
  [[nodiscard]] static StorageRecord* find_or_forget_new(Storage& storage);
  ~StorageRecord() override;

  /// Finds or makes what the device of `registry` has of the storage. It lives as long as the record or the device's
  /// manager, whichever ends first.
  Residence& attach(const std::shared_ptr<Registry>& registry);

  std::mutex mutex;

  // All functions below are called with `mutex` held.

  /// What a device has of the storage; null if it was never there.
  [[nodiscard]] Residence* at(const Registry& registry) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Residence>>& residences() const { return residences_; }
  /// The devices but `home` that the storage is on.
  [[nodiscard]] Registries others_than(const Residence& home) const;
  /// Called when the manager ends: the device has no part of the storage any more.
  void remove(Residence& home);

  /// Refines the grid for the view; false if the view is not of the storage's shape.
  [[nodiscard]] bool adopt(const OwnedView& view);
  /// The cells of the view; the whole storage if it is not of the storage's shape.
  [[nodiscard]] GridBox box_of(const OwnedView& view);

  /// The cells of the view that are newer on a device, or were on one that failed.
  [[nodiscard]] BoxSet newer_than_host(const OwnedView& view);
  /// Whether a device has newer cells than the host in the box.
  [[nodiscard]] bool is_newer(const GridBox& box) const;
  /// The devices with cells in the box that are newer than the host's, or, with `or_in_use`, with operations in flight
  /// that use the host's memory there.
  [[nodiscard]] Registries owners_of(const GridBox& box, bool or_in_use) const;

  /// Notes that a kernel writes `box` at `home`: it is newer there than anywhere else.
  void wrote_on_device(Residence& home, const GridBox& box);
  /// Notes that the host wrote the view, except for what is newer on a device, because another task wrote that
  /// meanwhile.
  void wrote_on_host(const OwnedView& view);
  /// Notes that the host is going to write all of the view. Kernels that work on the host's memory still have to end.
  void forget(const OwnedView& view);
  void begin(OperationPart& part);
  void end(OperationPart& part, bool ok);
  /// Notes that the device failed. Data that was only there is lost.
  void lose(Residence& home);
  [[nodiscard]] bool host_in_use(const GridBox& box) const;
  void publish_state();

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] Storage& storage() const { return *storage_; }
  [[nodiscard]] GridBox whole() const;

  BoxSet lost;       ///< was newer on a device that failed
  BoxSet unwritten;  ///< has no value: nobody has written it since the storage was made or it was void
  std::unique_ptr<AccessShadow> shadow;  ///< null: accesses of the host are not watched

 private:
  StorageRecord(Storage& storage, int element_bytes);
  /// Gives up what the device of `registry` has, while the storage goes.
  void leave(Registry& registry);

  Storage* storage_;
  Layout layout_;
  KnownBoxes known_;  ///< of views that were adopted
  /// Inserted and removed under the mutex of the residence's registry, too.
  std::vector<std::unique_ptr<Residence>> residences_;
};

}  // namespace pbrt::gpu
