// SPDX-License-Identifier: MIT
// A part of a storage that one launch uses in a buffer of its own, because the device has no room for the storage as a
// whole. Private to runtime/gpu. See Note [Windows] in find_windows.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/gpu/device.h"
#include "runtime/matrix/element_kind.h"

namespace pbrt::gpu {

class StorageRecord;

/// Cells beside those that a launch touches, per dimension of its matrices, that kernels may read and do not use.
using Halo = std::array<std::int64_t, kMaxDims>;

struct LaunchWindow {
  const StorageRecord* record = nullptr;
  std::size_t first_byte = 0;  ///< in the storage
  std::size_t num_bytes = 0;
  std::unique_ptr<Buffer> buffer;  ///< null unless the job holds its memory

  /// The shapes of copies between the storage and its buffer, for copies from `first_byte` on.
  [[nodiscard]] std::vector<CopyShape> moved(std::vector<CopyShape> shapes) const {
    for (CopyShape& shape : shapes) shape.offset -= first_byte;
    return shapes;
  }
};

}  // namespace pbrt::gpu
