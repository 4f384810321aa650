// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_pieces.h"

#include <algorithm>
#include <cstring>

namespace pbrt::cl {
namespace {

/// Adds the pieces of `num_rows` rows.
void add_rows(std::vector<CopyPiece>& pieces, CopyPiece rows, std::size_t max_bytes) {
  if (rows.row_bytes == rows.row_pitch) rows = {rows.offset, rows.bytes(), 1, 0};
  if (rows.row_bytes > max_bytes) {
    for (std::size_t row = 0; row < rows.num_rows; ++row)
      for (std::size_t done = 0; done < rows.row_bytes; done += max_bytes)
        pieces.push_back({rows.offset + row * rows.row_pitch + done, std::min(max_bytes, rows.row_bytes - done), 1, 0});
    return;
  }
  const std::size_t rows_of_piece = max_bytes / rows.row_bytes;
  for (std::size_t row = 0; row < rows.num_rows; row += rows_of_piece) {
    const std::size_t count = std::min(rows_of_piece, rows.num_rows - row);
    pieces.push_back({rows.offset + row * rows.row_pitch, rows.row_bytes, count, count == 1 ? 0 : rows.row_pitch});
  }
}

}  // namespace

std::vector<CopyPiece> pieces_of(std::span<const gpu::CopyShape> shapes, std::size_t max_bytes) {
  std::vector<CopyPiece> pieces;
  for (const gpu::CopyShape& shape : shapes)
    for (std::size_t slice = 0; slice < shape.slices && shape.row_bytes != 0; ++slice)
      add_rows(pieces, {shape.offset + slice * shape.slice_pitch, shape.row_bytes, shape.rows, shape.row_pitch},
               max_bytes);
  return pieces;
}

void pack(const CopyPiece& piece, const std::byte* host, std::byte* chunk) {
  for (std::size_t row = 0; row < piece.num_rows; ++row)
    std::memcpy(chunk + row * piece.row_bytes, host + piece.offset + row * piece.row_pitch, piece.row_bytes);
}

void unpack(const CopyPiece& piece, const std::byte* chunk, std::byte* host) {
  for (std::size_t row = 0; row < piece.num_rows; ++row)
    std::memcpy(host + piece.offset + row * piece.row_pitch, chunk + row * piece.row_bytes, piece.row_bytes);
}

}  // namespace pbrt::cl
