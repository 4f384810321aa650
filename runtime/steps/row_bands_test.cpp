// SPDX-License-Identifier: MIT
#include "runtime/steps/row_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

using Matrix = BasicRegion<double, 2>;

constexpr BandRows needs_of(std::int64_t lo, std::int64_t hi, std::int64_t row_bytes) { return {lo, hi, row_bytes}; }

TEST(Bands, FillTheirPartOfACache) {
  constexpr std::int64_t kCache = std::int64_t{1} << 20;
  const BandRows seven = needs_of(-3, 4, 8192);
  EXPECT_EQ(band_height(&seven, 1, kCache), 56);  // 64 rows fit, of which six are shared
  const BandRows two[] = {needs_of(0, 1, 4096), needs_of(0, 9, 4096)};
  EXPECT_EQ(band_height(two, 2, kCache), 56);
  const BandRows wide = needs_of(0, 21, std::int64_t{1} << 30);
  EXPECT_EQ(band_height(&wide, 1, kCache), 40) << "twice the rows that are shared";
  const BandRows few = needs_of(0, 7, std::int64_t{1} << 30);
  EXPECT_EQ(band_height(&few, 1, kCache), 16) << "not fewer than twice the six rows";
  const BandRows none = needs_of(0, 1, 0);
  EXPECT_GE(band_height(&none, 1, kCache), 8);
}

TEST(Bands, TasksAreEnoughAndLong) {
  const BandRows seven = needs_of(-3, 4, 8192);
  EXPECT_EQ(rows_of_task(&seven, 1, 8000, 2), 1001);
  EXPECT_EQ(rows_of_task(&seven, 1, 8000, 1000), 24);
  EXPECT_EQ(rows_of_task(&seven, 1, 1, 4), 24);
}

TEST(Bands, RunBySize) {
  for (const int num_workers : {1, 8}) {
    Scheduler scheduler(num_workers);
    scheduler.run([&](Frame& root) {
      CallFrame frame(root, 5000);
      const auto runs = [&](pb::SizeRule rule, std::int64_t bytes, std::int64_t num_rows) {
        return runs_in_bands(frame, static_cast<std::int64_t>(rule), {num_rows, 6, bytes});
      };
      EXPECT_TRUE(runs(pb::SizeRule::Always, 0, 1));
      EXPECT_TRUE(runs(pb::SizeRule::BySize, kMinBandedBytes, 384));
      EXPECT_EQ(runs(pb::SizeRule::BySize, kMinBandedBytes, 383), num_workers == 1) << "two tasks of 24 rows for each";
      EXPECT_FALSE(runs(pb::SizeRule::BySize, kMinBandedBytes - 1, 384));
      EXPECT_FALSE(runs(pb::SizeRule::Never, kMinBandedBytes, 384));
    });
  }
}

TEST(Bands, HandlesWithoutMemoryHaveSizes) {
  const auto matrix = without_memory<BasicRegion<float, 3>>(5, std::int64_t{3}, 7);
  EXPECT_EQ(matrix.size(2), 7);
  EXPECT_EQ(matrix.view().stride(2), 15);
  EXPECT_EQ(matrix.storage_ref().get(), nullptr);
  EXPECT_EQ(band_rows(matrix, -1, 2).row_bytes, 60);
}

/// Out(x, y) is the sum of the `hi - lo` cells of T that lie from `lo` on beside (x, y), where T(x, y) is In + y. T has
/// a row for each that some row of Out needs.
struct Sums {
  std::int64_t width, height, lo, hi;
  std::vector<std::int64_t> made;  ///< per row of T, how often
  std::vector<double> out;

  [[nodiscard]] double cell(std::int64_t x, std::int64_t y) const { return static_cast<double>(x * 1000 + y); }

  void run(Band<1>& band, const Matrix& whole) {
    const Box<2> box = {{0, -lo}, {width, height - lo}};
    while (band.next()) {
      const Matrix rows = band.matrix(0, whole);
      const Box<2> todo = band.made(0, 1, Box<2>{{0, 0}, {width, height + hi - lo - 1}});
      for (std::int64_t y = todo.lo[1]; y < todo.hi[1]; ++y) {
        ++made[static_cast<std::size_t>(y)];
        for (std::int64_t x = 0; x < width; ++x) rows.cell(x, y) = cell(x, y);
      }
      const Box<2> part = band.part(1, box);
      for (std::int64_t y = part.lo[1]; y < part.hi[1]; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
          double sum = 0;
          for (std::int64_t k = lo; k < hi; ++k) sum += rows.cell(x, y + k);
          out[static_cast<std::size_t>((y + lo) * width + x)] = sum;
        }
    }
  }
};

TEST(Bands, KeepTheRowsThatTheyShare) {
  for (const auto& [lo, hi] : {std::pair{0, 1}, {0, 7}, {-3, 2}, {-5, -1}, {4, 6}})
    for (const std::int64_t rows_of_band : {1, 2, 3, 8, 100})
      for (const std::int64_t height : {1, 2, 9, 31}) {
        Sums sums{5, height, lo, hi, {}, {}};
        const std::int64_t num_rows = height + hi - lo - 1;
        sums.made.resize(static_cast<std::size_t>(num_rows));
        sums.out.resize(static_cast<std::size_t>(5 * height), -1);
        const auto whole = without_memory<Matrix>(5, num_rows);
        Band<1> band({band_rows(whole, lo, hi)}, Box<1>{{-lo}, {height - lo}}, rows_of_band);
        sums.run(band, whole);
        EXPECT_EQ(sums.made, std::vector<std::int64_t>(static_cast<std::size_t>(num_rows), 1)) << "each row once";
        for (std::int64_t y = 0; y < height; ++y)
          for (std::int64_t x = 0; x < 5; ++x) {
            double want = 0;
            for (std::int64_t k = 0; k < hi - lo; ++k) want += sums.cell(x, y + k);
            ASSERT_EQ(sums.out[static_cast<std::size_t>(y * 5 + x)], want)
                << x << ", " << y << " of " << height << " in bands of " << rows_of_band << ", near " << lo << ", "
                << hi;
          }
      }
}

TEST(Bands, OfTasksMakeUpAllRows) {
  const auto whole = without_memory<Matrix>(3, 5000);
  for (const int num_workers : {1, 2, 5}) {
    Scheduler scheduler(num_workers);
    std::vector<std::atomic<int>> count(5000);
    scheduler.run([&](Frame& root) {
      CallFrame frame(root, 5000);
      run_bands<1>(frame, {{7}, {4990}}, {band_rows(whole, 0, 3)}, [&](Frame&, const Band<1>& band) {
        const Box<1> rows = band.part(0, Box<1>{});
        for (std::int64_t y = rows.lo[0]; y < rows.hi[0]; ++y) ++count[static_cast<std::size_t>(y)];
      });
    });
    for (std::size_t y = 0; y < count.size(); ++y) EXPECT_EQ(count[y], y >= 7 && y < 4990 ? 1 : 0) << y;
  }
}

TEST(Bands, PassExceptionsOn) {
  const auto whole = without_memory<Matrix>(3, 5000);
  Scheduler scheduler(2);
  const auto run = [&] {
    scheduler.run([&](Frame& root) {
      CallFrame frame(root, 5000);
      run_bands<1>(frame, {{0}, {4000}}, {band_rows(whole, 0, 1)}, [&](Frame&, const Band<1>& band) {
        if (band.part(0, Box<1>{}).hi[0] == 4000) throw std::runtime_error("a band");
      });
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
}

}  // namespace
}  // namespace pbrt
