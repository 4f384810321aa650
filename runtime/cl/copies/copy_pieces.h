// SPDX-License-Identifier: MIT
// Copies in pieces of at most a given size. Private to runtime/cl.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/gpu/device.h"

namespace pbrt::cl {

/// A part of a copy: rows at equal distances, which lie one behind the other in a chunk.
struct CopyPiece {
  std::size_t offset = 0;  ///< of the first row, in the host's memory and in the buffer
  std::size_t row_bytes = 0;
  std::size_t num_rows = 1;
  std::size_t row_pitch = 0;  ///< 0 if there is one row
  [[nodiscard]] std::size_t bytes() const { return row_bytes * num_rows; }
  bool operator==(const CopyPiece&) const = default;
};

/// The pieces of all shapes, in their order. Rows that follow one another without a gap are one row. A row is cut only
/// if it is longer than a piece.
///
/// Pre: max_bytes > 0
[[nodiscard]] std::vector<CopyPiece> pieces_of(std::span<const gpu::CopyShape> shapes, std::size_t max_bytes);

/// Copies the piece's rows from the host's memory, which begins at `host`, into the chunk.
void pack(const CopyPiece& piece, const std::byte* host, std::byte* chunk);
/// Copies them from the chunk into the host's memory.
void unpack(const CopyPiece& piece, const std::byte* chunk, std::byte* host);

}  // namespace pbrt::cl
