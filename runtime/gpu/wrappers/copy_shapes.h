// SPDX-License-Identifier: MIT
// Copies between two pieces of host memory of one layout, as devices of this folder stage them.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// Copies the shapes, whose offsets count from `dst` as from `src`.
inline void copy_shapes(std::byte* dst, const std::byte* src, std::span<const CopyShape> shapes) {
  for (const CopyShape& shape : shapes)
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row) {
        const std::size_t at = shape.offset + slice * shape.slice_pitch + row * shape.row_pitch;
        std::memcpy(dst + at, src + at, shape.row_bytes);
      }
}

}  // namespace pbrt::gpu
