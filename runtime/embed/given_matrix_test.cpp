// SPDX-License-Identifier: MIT
#include "runtime/embed/given_matrix.h"

#include <gtest/gtest.h>

#include <array>

namespace pbrt {
namespace {

std::array<double, 4096> memory;

/// A matrix of three dimensions.
GivenMatrix matrix_of(const std::array<std::int64_t, 3>& extents, const std::array<std::int64_t, 3>& strides) {
  pb_matrix of{memory.data() + memory.size() / 2, PB_DOUBLE, 3, {}, {}};
  for (std::size_t d = 0; d < 3; ++d) of.extents[d] = extents[d], of.strides[d] = strides[d];
  return GivenMatrix(of);
}

TEST(GivenMatrix, HasOwnCellsWhereStridesLeadBeyondSmallerOnes) {
  EXPECT_TRUE(matrix_of({4, 3, 5}, {2, 7, 21}).has_own_cells());
  EXPECT_TRUE(matrix_of({4, 3, 5}, {21, -2, 100}).has_own_cells());
  EXPECT_FALSE(matrix_of({4, 3, 5}, {2, 6, 21}).has_own_cells());
  EXPECT_FALSE(matrix_of({4, 3, 5}, {2, 0, 21}).has_own_cells());
  EXPECT_TRUE(matrix_of({4, 1, 5}, {2, 0, 21}).has_own_cells()) << "nobody goes along it";
  EXPECT_TRUE(matrix_of({4, 0, 5}, {2, 3, 4}).has_own_cells()) << "there are no cells";
}

TEST(GivenMatrix, HasNestedRowsWhereStridesDivideLargerOnes) {
  EXPECT_TRUE(matrix_of({4, 3, 5}, {1, 4, 12}).has_nested_rows());
  EXPECT_TRUE(matrix_of({4, 3, 5}, {48, 2, 8}).has_nested_rows());
  EXPECT_FALSE(matrix_of({4, 3, 5}, {2, 9, 90}).has_nested_rows());
  EXPECT_FALSE(matrix_of({4, 3, 5}, {2, 8, 90}).has_nested_rows());
  EXPECT_TRUE(matrix_of({4, 1, 5}, {2, 9, 90}).has_nested_rows()) << "nobody goes along it";
  EXPECT_TRUE(matrix_of({4, 0, 5}, {2, 9, 90}).has_nested_rows()) << "there are no cells";
}

}  // namespace
}  // namespace pbrt
