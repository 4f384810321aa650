// SPDX-License-Identifier: MIT
#include "runtime/matrix/strips.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "base/loop_forms.h"
#include "runtime/matrix/row_blocks.h"

namespace pbrt {
namespace {

using Asked = std::map<std::pair<IndexT, IndexT>, int>;

/// The requests, by (column, row), while all strips of `columns` x rows run: along the rows and across them.
std::pair<Asked, Asked> asked_for(std::int64_t lo, std::int64_t hi, StripRows rows, std::int64_t length = kStrip) {
  std::pair<Asked, Asked> asked;
  const auto along = [&](const IndexT x, const IndexT y) { ++asked.first[{x, y}]; };
  const auto across = [&](const IndexT x, const IndexT y) { ++asked.second[{x, y}]; };
  for (std::int64_t strip = lo; strip < hi; strip += length)
    for (rows.row = rows.lo; rows.row < rows.hi; ++rows.row)
      prefetch_for_strip({strip, hi, length}, rows, along, across);
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

TEST(Strips, OfAnyLengthAskForTheirOwnLines) {
  for (const std::int64_t length : {1, 8, 13, 64}) {
    const auto [along, across] = asked_for(0, 3 * length, {0, 0, 40}, length);
    for (const Asked* asked : {&along, &across})
      for (const auto& [at, count] : *asked) {
        EXPECT_LT(at.first, 3 * length);
        EXPECT_EQ(count, 1);
      }
    EXPECT_EQ(across.size(), static_cast<std::size_t>(3 * length * 5 - 2 * length)) << length;
  }
}

TEST(Strips, AreStreamedAsARuleSays) {
  const auto is_streamed_by = [](pb::SizeRule rule, IndexT size) {
    const std::int64_t stride = 1;
    const UnitView<double, 1> view(nullptr, &size, &stride);
    return is_streamed(view, static_cast<std::int64_t>(rule));
  };
  constexpr IndexT kSmall = 100, kLarge = kMinStreamedBytes / sizeof(double);
#ifdef __x86_64__
  EXPECT_TRUE(is_streamed_by(pb::SizeRule::Always, kSmall));
  EXPECT_TRUE(is_streamed_by(pb::SizeRule::BySize, kLarge));
#endif
  EXPECT_FALSE(is_streamed_by(pb::SizeRule::BySize, kSmall));
  EXPECT_FALSE(is_streamed_by(pb::SizeRule::Never, kLarge));
}

TEST(RowBlocks, AreUsedAsARuleSaysWhereRowsAreContiguous) {
  constexpr IndexT kSmall = 100, kLarge = 1 << 20;
  const std::int64_t stride = 1;
  const UnitView<double, 1> small(nullptr, &kSmall, &stride);
  const UnitView<double, 1> large(nullptr, &kLarge, &stride);
  const View<double, 1> apart(nullptr, &kLarge, &stride);
  const auto number = [](pb::SizeRule rule) { return static_cast<std::int64_t>(rule); };
  EXPECT_TRUE(has_row_blocks(number(pb::SizeRule::Always), small));
  EXPECT_TRUE(has_row_blocks(number(pb::SizeRule::BySize), small, large));
  EXPECT_FALSE(has_row_blocks(number(pb::SizeRule::BySize), small, apart));
  EXPECT_FALSE(has_row_blocks(number(pb::SizeRule::Never), large));
  EXPECT_FALSE(has_row_blocks(number(pb::SizeRule::Always), apart));
}

TEST(Strips, StreamedOnesCoverARowAndBeginWithLines) {
  alignas(64) static double elements[200];
  IndexT size = 200;
  const std::int64_t stride = 1;
  const UnitView<double, 1> view(elements, &size, &stride);
  constexpr std::int64_t kLength = kStreamedStrip<UnitView<double, 1>>;
  for (const std::int64_t lo : {0, 3, 8, 15}) {
    for (const std::int64_t hi : {lo, lo + 1, lo + 15, lo + 16, lo + 17, std::int64_t{90}}) {
      const auto begin = [&](std::int64_t x) { return line_start<UnitView<double, 1>>({x, hi}, lo, view.line_of(x)); };
      std::int64_t next = lo;
      for (std::int64_t strip = lo; strip < hi; strip += kLength) {
        EXPECT_EQ(begin(strip), next);
        EXPECT_TRUE(next == lo || next == hi || next % 8 == 0) << next;
        next = begin(strip + kLength);
      }
      EXPECT_EQ(next, hi) << lo;
    }
  }
}

TEST(Strips, StreamedElementsHoldTheirValues) {
  double a = 1;
  float b = 1;
  unsigned char c = 1;
  stream(a, 2.5);
  stream(b, 3.5F);
  stream(c, static_cast<unsigned char>(7));
  end_streams();
  EXPECT_EQ(a, 2.5);
  EXPECT_EQ(b, 3.5F);
  EXPECT_EQ(c, 7);
}

TEST(Strips, StreamedLinesHoldTheirValuesAndTouchNothingElse) {
  alignas(64) float cells[64] = {};
  alignas(64) float lines[32];
  for (int i = 0; i < 32; ++i) lines[i] = static_cast<float>(i + 1);
  stream_lines(cells + 16, lines);
  end_streams();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(cells[i], i < 16 || i >= 48 ? 0 : static_cast<float>(i - 15)) << i;
}

TEST(Strips, FirstLinesBeginCacheLinesWithinTheirRange) {
  alignas(64) static const double cells[64] = {};
  EXPECT_EQ(first_line(cells, 0, 64), 0);
  EXPECT_EQ(first_line(cells + 1, 1, 64), 8);
  EXPECT_EQ(first_line(cells + 9, 3, 64), 10);  // cell 3 of a region that begins 6 cells behind the line
  EXPECT_EQ(first_line(cells + 9, 3, 9), 9);
  EXPECT_EQ(first_line(cells + 1, 5, 5), 5);
}

}  // namespace
}  // namespace pbrt
