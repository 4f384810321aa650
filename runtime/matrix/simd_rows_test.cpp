// SPDX-License-Identifier: MIT
#include "runtime/matrix/simd_rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace pbrt::simd {
namespace {

/// Expects that packs of shape `S` have the cells of rows of `size` cells, `cell_stride` elements apart.
template <class T, class S, bool kUnit>
void expect_rows(IndexT size, std::int64_t cell_stride) {
  const std::int64_t row_stride = size * cell_stride + 3;
  std::vector<T> elements(static_cast<std::size_t>(row_stride) * S::kWidth);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(i % 125);
  const BasicView<const T, 1, kUnit> first(elements.data(), &size, &cell_stride);
  const auto rows = rows_of_pack<S>(first, row_stride);
  EXPECT_EQ(rows.size(0), size);
  for (IndexT c = 0; c < size; ++c)
    for (int i = 0; i < S::kWidth; ++i)
      ASSERT_EQ(rows.cell(c).v[i / S::kLanes][i % S::kLanes],
                elements[static_cast<std::size_t>(i * row_stride + c * cell_stride)])
          << "cell " << c << " of row " << i << ", " << size << " cells of " << sizeof(T) << " bytes";
}

template <class T, class S>
void expect_rows_of_all_sizes() {
  for (const IndexT size : {0, 1, 3, 4, 8, 13, 16, 37, pb::kMostRowCells}) {
    expect_rows<T, S, true>(size, 1);
    expect_rows<T, S, false>(size, 2);
  }
}

template <class T>
void expect_rows_of_all_shapes() {
  expect_rows_of_all_sizes<T, Shape<4, 4, 1>>();
  expect_rows_of_all_sizes<T, Shape<8, 2, 1>>();
  expect_rows_of_all_sizes<T, Shape<16, 1, 1>>();
}

TEST(RowsOfPack, HaveTheCellsOfEachRow) {
  expect_rows_of_all_shapes<double>();
  expect_rows_of_all_shapes<float>();
  expect_rows_of_all_shapes<int>();
  expect_rows_of_all_shapes<std::int8_t>();
  expect_rows_of_all_sizes<double, One>();
}

}  // namespace
}  // namespace pbrt::simd
