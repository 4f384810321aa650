// SPDX-License-Identifier: MIT
// A matrix handle as the device side sees it: storage and view without the element type, borrowed for the
// duration of one call. Included by generated code through launch.h.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/matrix/element_kind.h"
#include "runtime/matrix/storage.h"
#include "runtime/matrix/view.h"

namespace pbrt::gpu {

/// Bits of Storage::device_state.
enum : std::uint32_t {
  kHasRecord = 1,   ///< was on a device
  kDirty = 2,       ///< some part is newer on a device than on the host, or was lost with a device
  kInFlight = 4,    ///< a device operation uses the host's memory
  kWatched = 8,     ///< accesses of the host are watched: each announcement counts (access_shadow.h)
  kUnwritten = 16,  ///< was made in a run with devices, has no record yet, and nobody has written it (StorageRecord)
};

struct RegionRef {
  Storage* storage = nullptr;  ///< null: not in matrix storage (a number on its own)
  RawView view;

  RegionRef() = default;
  RegionRef(Storage* region_storage, const RawView& region_view) : storage(region_storage), view(region_view) {}
  /// Refers to the matrix of any handle: MatrixRegion, ConstMatrixRegion, AnyMatrix.
  template <class Region>
  requires requires(const Region& r) {
    r.storage_ref();
    r.raw();
  }
  RegionRef(const Region& region) : storage(region.storage_ref().get()), view(region.raw()) {}
};

// Acquire pairs with the release in StorageRecord::publish_state: who sees the bit cleared sees the data.
inline std::uint32_t storage_state(const Storage* storage) {
  return storage == nullptr ? 0 : storage->device_state.load(std::memory_order_acquire);
}
inline std::uint32_t device_state(const RegionRef& region) { return storage_state(region.storage); }
template <class Region>
inline std::uint32_t device_state(const Region& region) {
  return storage_state(region.storage_ref().get());
}

/// Handles of any type, whose data may be on a device; not boxes.
template <class Region>
concept Handle = std::is_same_v<Region, RegionRef> || requires(const Region& region) {
  region.storage_ref();
};

}  // namespace pbrt::gpu
