// SPDX-License-Identifier: MIT
// The body's own matrices that its spawned calls were given. Parts that a device made come back when the body syncs,
// because its text may read and write them then. Used by generated code.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/gpu/launch.h"

namespace pbrt {

/// The matrices that a body's spawned calls were given. Threads: the body's fiber.
class SpawnedRegions {
 public:
  /// `has_device`: whether there is anything to remember.
  explicit SpawnedRegions(bool has_device) : has_device_(has_device) {}

  template <class Region>
  void add(const Region& region) {
    if (has_device_ && region.storage_ref().get() != nullptr) regions_.emplace_back(region.storage_ref(), region.raw());
  }

  /// Brings all matrices that were added back to the host, and forgets them.
  ///
  /// Pre:     the calls are complete
  /// Errors:  DeviceLost if something existed only on a device that failed
  void back_on_host(Frame& frame) {
    for (const Kept& region : regions_) pbrt::back_on_host(frame, region);
    regions_.clear();
  }

 private:
  /// A handle of any type.
  class Kept {
   public:
    Kept(const StorageRef& storage, const RawView& view) : storage_(storage), view_(view) {
      for (int d = 0; d < view.num_dims; ++d) {
        sizes_[d] = view.sizes[d];
        strides_[d] = view.strides[d];
      }
    }
    [[nodiscard]] const StorageRef& storage_ref() const { return storage_; }
    [[nodiscard]] RawView raw() const { return {view_.kind, view_.num_dims, view_.base, sizes_, strides_}; }

   private:
    StorageRef storage_;
    RawView view_;
    IndexT sizes_[kMaxDims] = {};
    std::int64_t strides_[kMaxDims] = {};
  };

  bool has_device_;
  std::vector<Kept> regions_;
};

}  // namespace pbrt
