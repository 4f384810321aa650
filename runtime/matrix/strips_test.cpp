// SPDX-License-Identifier: MIT
#include "runtime/matrix/strips.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace pbrt {
namespace {

using Asked = std::map<std::pair<IndexT, IndexT>, int>;

/// What is asked for while all strips of `columns` x rows run, by (column, row): along the rows and across them.
std::pair<Asked, Asked> asked_for(std::int64_t lo, std::int64_t hi, StripRows rows) {
  std::pair<Asked, Asked> asked;
  const auto along = [&](const IndexT x, const IndexT y) { ++asked.first[{x, y}]; };
  const auto across = [&](const IndexT x, const IndexT y) { ++asked.second[{x, y}]; };
  for (std::int64_t strip = lo; strip < hi; strip += kStrip)
    for (rows.row = rows.lo; rows.row < rows.hi; ++rows.row) prefetch_for_strip({strip, hi}, rows, along, across);
  return asked;
}

TEST(Strips, EveryLineIsAskedForOnceAheadOfItsRow) {
  const auto [along, across] = asked_for(5, 5 + 3 * kStrip, {0, 10, 74});
  for (std::int64_t x = 5; x < 5 + 3 * kStrip; ++x) {
    for (std::int64_t y = 10; y < 74; ++y) {
      const std::pair<IndexT, IndexT> at{static_cast<IndexT>(x), static_cast<IndexT>(y)};
      const bool is_in_first_strip = x < 5 + kStrip;
      const bool begins_line_along = (x - 5) % 8 == 0 && !(is_in_first_strip && y < 18);
      const bool begins_line_across = (y - 10) % 8 == 0 && !(is_in_first_strip && y < 26);
      EXPECT_EQ(along.contains(at), begins_line_along) << x << ", " << y;
      EXPECT_EQ(across.contains(at), begins_line_across) << x << ", " << y;
    }
  }
  for (const auto& [at, count] : along) EXPECT_EQ(count, 1);
  for (const auto& [at, count] : across) EXPECT_EQ(count, 1);
}

TEST(Strips, NothingOutsideIsAskedFor) {
  for (const std::int64_t num_rows : {1, 7, 8, 9, 15, 16, 17, 40}) {
    const auto [along, across] = asked_for(3, 3 + 2 * kStrip + 5, {0, -2, -2 + num_rows});
    for (const Asked* asked : {&along, &across}) {
      for (const auto& [at, count] : *asked) {
        EXPECT_GE(at.first, 3);
        EXPECT_LT(at.first, 3 + 2 * kStrip);
        EXPECT_GE(at.second, -2);
        EXPECT_LT(at.second, -2 + num_rows);
      }
    }
  }
}

}  // namespace
}  // namespace pbrt
