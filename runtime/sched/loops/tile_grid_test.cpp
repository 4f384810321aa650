// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/tile_grid.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// Number of paths from the corner to (x, y), modulo 2^64: wrong as soon as one cell is read too early.
std::vector<std::uint64_t> paths(std::int64_t width, std::int64_t height) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(width * height), 1);
  for (std::int64_t y = 1; y < height; ++y)
    for (std::int64_t x = 1; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      out[i] = out[i - 1] + out[i - static_cast<std::size_t>(width)] + 1;
    }
  return out;
}

TEST(TileGrid, WavefrontReadsOnlyWhatIsComplete) {
  const std::int64_t width = 150;
  const std::int64_t height = 90;
  const std::vector<std::uint64_t> expected = paths(width, height);
  for (const int workers : {1, 2, 4}) {
    Scheduler scheduler(workers);
    for (const auto& extent : {Box<2>{{1, 1}, {}}, Box<2>{{7, 3}, {}}, Box<2>{{64, 64}, {}}, Box<2>{{1000, 1}, {}}}) {
      std::vector<std::uint64_t> got(expected.size(), 1);
      scheduler.run([&](Frame& root) {
        run_tiles<2>(root, {{1, 1}, {width, height}}, extent.lo, 3U, [&](Frame&, const Box<2>& tile) {
          for (std::int64_t y = tile.lo[1]; y < tile.hi[1]; ++y)
            for (std::int64_t x = tile.lo[0]; x < tile.hi[0]; ++x) {
              const auto i = static_cast<std::size_t>(y * width + x);
              got[i] = got[i - 1] + got[i - static_cast<std::size_t>(width)] + 1;
            }
        });
      });
      ASSERT_EQ(got, expected) << workers << " workers, tiles of " << extent.lo[0] << " x " << extent.lo[1];
    }
  }
}

TEST(TileGrid, DimensionsThatCarryNothingDoNotWait) {
  Scheduler scheduler(4);
  constexpr std::int64_t kColumns = 40;
  constexpr std::int64_t kRows = 30;
  std::vector<std::vector<std::int64_t>> seen(kColumns);
  scheduler.run([&](Frame& root) {
    const std::int64_t extent[] = {1, 4, 1};
    run_tiles<3>(root, {{0, 0, 0}, {kColumns, kRows, 1}}, extent, 2U, [&](Frame&, const Box<3>& tile) {
      for (std::int64_t y = tile.lo[1]; y < tile.hi[1]; ++y)
        seen[static_cast<std::size_t>(tile.lo[0])].push_back(y);  // one tile of a column at a time
    });
  });
  for (const auto& column : seen) {
    ASSERT_EQ(column.size(), static_cast<std::size_t>(kRows));
    for (std::size_t y = 0; y < column.size(); ++y) EXPECT_EQ(column[y], static_cast<std::int64_t>(y));
  }
}

TEST(TileGrid, SequentialFramesGetTheWholeBoxAndEmptyOnesNothing) {
  Scheduler scheduler(2);
  int num_calls = 0;
  scheduler.run([&](Frame& root) {
    const std::int64_t extent[] = {4, 4};
    CallFrame small(root, 1, 64);
    run_tiles<2>(small, {{0, 0}, {100, 100}}, extent, 3U, [&](Frame& f, const Box<2>& tile) {
      ++num_calls;
      EXPECT_TRUE(f.is_sequential());
      EXPECT_EQ(tile.volume(), 10000);
    });
    run_tiles<2>(root, {{0, 5}, {10, 5}}, extent, 3U, [&](Frame&, const Box<2>&) { ++num_calls; });
  });
  EXPECT_EQ(num_calls, 1);
}

TEST(TileGrid, HugeGridsGetLargerTiles) {
  Scheduler scheduler(2);
  std::atomic<std::int64_t> volume{0};
  std::atomic<std::int64_t> num_tiles{0};
  scheduler.run([&](Frame& root) {
    const std::int64_t extent[] = {1, 1};
    run_tiles<2>(root, {{0, 0}, {3000, 5000}}, extent, 3U, [&](Frame&, const Box<2>& tile) {
      volume += tile.volume();
      ++num_tiles;
    });
  });
  EXPECT_EQ(volume, 15000000);
  EXPECT_LE(num_tiles, kMaxTiles);
}

TEST(TileGrid, RethrowsAndDropsWhatDepends) {
  Scheduler scheduler(2);
  std::atomic<int> num_after{0};
  const auto run = [&] {
    scheduler.run([&](Frame& root) {
      const std::int64_t extent[] = {1};
      run_tiles<1>(root, {{0}, {100}}, extent, 1U, [&](Frame&, const Box<1>& tile) {
        if (tile.lo[0] == 50) throw std::runtime_error("tile");
        if (tile.lo[0] > 50) ++num_after;
      });
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(num_after, 0);
}

}  // namespace
}  // namespace pbrt
