// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_pieces.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace pbrt::cl {
namespace {

using Pieces = std::vector<CopyPiece>;

TEST(CopyPieces, CutsALongRow) {
  const gpu::CopyShape row{100, 25};
  EXPECT_EQ(pieces_of({&row, 1}, 10), (Pieces{{100, 10, 1, 0}, {110, 10, 1, 0}, {120, 5, 1, 0}}));
  EXPECT_EQ(pieces_of({&row, 1}, 25), (Pieces{{100, 25, 1, 0}}));
}

TEST(CopyPieces, KeepsShortRowsTogether) {
  const gpu::CopyShape rows{8, 4, 5, 16};
  EXPECT_EQ(pieces_of({&rows, 1}, 9), (Pieces{{8, 4, 2, 16}, {40, 4, 2, 16}, {72, 4, 1, 0}}));
  EXPECT_EQ(pieces_of({&rows, 1}, 3), (Pieces{{8, 3, 1, 0},
                                              {11, 1, 1, 0},
                                              {24, 3, 1, 0},
                                              {27, 1, 1, 0},
                                              {40, 3, 1, 0},
                                              {43, 1, 1, 0},
                                              {56, 3, 1, 0},
                                              {59, 1, 1, 0},
                                              {72, 3, 1, 0},
                                              {75, 1, 1, 0}}));
}

TEST(CopyPieces, JoinsRowsWithoutGaps) {
  const gpu::CopyShape rows{0, 6, 4, 6};
  EXPECT_EQ(pieces_of({&rows, 1}, 20), (Pieces{{0, 20, 1, 0}, {20, 4, 1, 0}}));
}

// Every byte of random shapes is in one piece, and packing and unpacking brings it where it was.
TEST(CopyPieces, HoldsEachByteOnce) {
  std::uint32_t seed = 1;
  const auto draw = [&](std::uint32_t below) { return (seed = seed * 1664525U + 1013904223U) / 65536U % below; };
  for (int round = 0; round < 500; ++round) {
    gpu::CopyShape shape;
    shape.row_bytes = 1 + draw(9);
    shape.rows = 1 + draw(5);
    shape.row_pitch = shape.row_bytes + draw(4);
    shape.slices = 1 + draw(3);
    shape.slice_pitch = shape.row_pitch * shape.rows + draw(5);
    shape.offset = draw(7);
    std::vector<std::byte> host(shape.offset + shape.slice_pitch * shape.slices + 16), copy(host.size());
    std::vector<int> times(host.size());
    for (std::byte& each : host) each = static_cast<std::byte>(1 + draw(255));
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t i = 0; i < shape.row_bytes; ++i)
          ++times[shape.offset + slice * shape.slice_pitch + row * shape.row_pitch + i];
    const std::size_t max_bytes = 1 + draw(30);
    for (const CopyPiece& piece : pieces_of({&shape, 1}, max_bytes)) {
      ASSERT_LE(piece.bytes(), max_bytes);
      for (std::size_t row = 0; row < piece.num_rows; ++row)
        for (std::size_t i = 0; i < piece.row_bytes; ++i) --times[piece.offset + row * piece.row_pitch + i];
      std::vector<std::byte> chunk(piece.bytes());
      pack(piece, host.data(), chunk.data());
      unpack(piece, chunk.data(), copy.data());
    }
    for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(times[i], 0) << i;
    for (std::size_t slice = 0; slice < shape.slices; ++slice)
      for (std::size_t row = 0; row < shape.rows; ++row) {
        const std::size_t at = shape.offset + slice * shape.slice_pitch + row * shape.row_pitch;
        for (std::size_t i = at; i < at + shape.row_bytes; ++i) ASSERT_EQ(copy[i], host[i]);
      }
  }
}

}  // namespace
}  // namespace pbrt::cl
