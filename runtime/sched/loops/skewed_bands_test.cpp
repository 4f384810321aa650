// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/skewed_bands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

VersionRows versions_of(std::int64_t count, std::int64_t rows, std::int64_t skew, std::int64_t lag = 0) {
  return {1, 1 + count, rows, 1, 8, 1 << 20, skew, lag};
}

/// Whether the first row comes behind the last one.
enum class Rows : std::uint8_t { EndThere, AreARing };

/// Rows of two versions, each made from rows up to `reach` away of the version before.
class TwoVersions {
 public:
  TwoVersions(std::int64_t rows, std::int64_t reach, Rows kind = Rows::EndThere)
      : rows_(rows), reach_(reach), kind_(kind), cells_(at(2 * rows)) {
    for (std::int64_t y = 0; y < rows; ++y) cells_[at(y)] = at(y) * 7919 + 1;
  }
  void make(std::int64_t version, std::int64_t from, std::int64_t to) {
    for (std::int64_t y = std::max<std::int64_t>(from, 0); y < std::min(to, rows_); ++y) {
      std::uint64_t sum = 1;
      for (std::int64_t d = -reach_; d <= reach_; ++d) {
        const std::int64_t row = kind_ == Rows::AreARing ? (y + d + reach_ * rows_) % rows_ : y + d;
        if (row >= 0 && row < rows_) sum = sum * 31 + cells_[at((version - 1) % 2 * rows_ + row)];
      }
      cells_[at(version % 2 * rows_ + y)] = sum;
    }
  }
  const std::vector<std::uint64_t>& cells() const { return cells_; }

 private:
  std::int64_t rows_, reach_;
  Rows kind_;
  std::vector<std::uint64_t> cells_;
};

class SkewedBandsOf : public ::testing::TestWithParam<int> {};

TEST_P(SkewedBandsOf, ReadAndOverwriteOnlyWhatIsComplete) {
  Scheduler scheduler(GetParam());
  for (const auto& [rows, count, reach, band] :
       std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>{{64, 9, 1, 8},
                                                                                       {64, 150, 1, 3},
                                                                                       {33, 20, 5, 2},
                                                                                       {7, 40, 3, 1},
                                                                                       {100, 5, 0, 10},
                                                                                       {3, 200, 2, 100},
                                                                                       {1, 3, 1, 1}}) {
    TwoVersions expected(rows, reach), got(rows, reach);
    for (std::int64_t version = 1; version <= count; ++version) expected.make(version, 0, rows);
    scheduler.run([&, rows = rows, count = count, reach = reach, band = band](Frame& root) {
      run_skewed_bands(
          root, versions_of(count, rows, reach), band,
          [&](Frame&, std::int64_t version, std::int64_t from, std::int64_t to) { got.make(version, from, to); });
    });
    ASSERT_EQ(got.cells(), expected.cells()) << rows << " rows, " << count << " versions, reach " << reach;
  }
}

TEST_P(SkewedBandsOf, LagsReachTheLastRow) {
  Scheduler scheduler(GetParam());
  constexpr std::int64_t kRows = 21, kVersions = 10, kLag = 4;
  std::vector<std::atomic<int>> first(at(kRows * kVersions)), second(at(kRows * kVersions));
  scheduler.run([&](Frame& root) {
    run_skewed_bands(root, versions_of(kVersions, kRows, 6, kLag), 5,
                     [&](Frame&, std::int64_t version, std::int64_t from, std::int64_t to) {
                       for (std::int64_t y = std::max<std::int64_t>(from, 0); y < std::min(to, kRows); ++y)
                         ++first[at((version - 1) * kRows + y)];
                       for (std::int64_t y = std::max<std::int64_t>(from - kLag, 0); y < std::min(to - kLag, kRows);
                            ++y) {
                         const std::int64_t needed = std::min(y + kLag, kRows - 1);
                         EXPECT_EQ(first[at((version - 1) * kRows + needed)], 1) << version << ", row " << y;
                         ++second[at((version - 1) * kRows + y)];
                       }
                     });
  });
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first[i], 1) << i;
    ASSERT_EQ(second[i], 1) << i;
  }
}

TEST_P(SkewedBandsOf, FoldedRowsReadAcrossTheEdges) {
  Scheduler scheduler(GetParam());
  for (const auto& [rows, count, reach, band] :
       std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>>{
           {64, 9, 1, 8}, {65, 150, 1, 3}, {33, 20, 5, 2}, {7, 40, 3, 1}, {2, 200, 2, 100}, {1, 3, 1, 1}}) {
    TwoVersions expected(rows, reach, Rows::AreARing), got(rows, reach, Rows::AreARing);
    for (std::int64_t version = 1; version <= count; ++version) expected.make(version, 0, rows);
    scheduler.run([&, rows = rows, count = count, reach = reach, band = band](Frame& root) {
      run_skewed_bands(root, folded(versions_of(count, rows, reach)), band,
                       [&](Frame&, std::int64_t version, std::int64_t from, std::int64_t to) {
                         for (const RowRange& half : folded_rows(from, to, rows)) got.make(version, half.from, half.to);
                       });
    });
    ASSERT_EQ(got.cells(), expected.cells()) << rows << " rows, " << count << " versions, reach " << reach;
  }
}

TEST_P(SkewedBandsOf, ErrorsReachTheCaller) {
  Scheduler scheduler(GetParam());
  const auto fails = [](Frame&, std::int64_t version, std::int64_t from, std::int64_t) {
    if (version == 3 && from > 10) throw std::runtime_error("row");
  };
  EXPECT_THROW(scheduler.run([&](Frame& root) { run_skewed_bands(root, versions_of(8, 40, 1), 4, fails); }),
               std::runtime_error);
}

TEST_P(SkewedBandsOf, EndWithTheRun) {
  Scheduler scheduler(GetParam());
  std::atomic<int> num_bands{0};
  const auto aborts = [&](Frame&, std::int64_t, std::int64_t, std::int64_t) {
    if (++num_bands == 3) scheduler.abort();
  };
  EXPECT_THROW(scheduler.run([&](Frame& root) { run_skewed_bands(root, versions_of(1000, 400, 1), 4, aborts); }),
               RunAborted);
  EXPECT_LT(num_bands, 100) << "each worker ends with the band that it runs";
}

INSTANTIATE_TEST_SUITE_P(Workers, SkewedBandsOf, ::testing::Values(1, 2, 4));

/// Rows of doubles, a thousand versions, and a cache of a MiB.
std::int64_t band_of(std::int64_t rows, std::int64_t cells, int workers, std::int64_t wanted = 0) {
  return rows_of_band({1, 1001, rows, cells, 8, 1 << 20, 1, 0}, wanted, workers);
}

TEST(SkewedBands, BandsFitHalfOfTheCache) {
  EXPECT_EQ(band_of(4096, 4096, 2), 8);
  EXPECT_EQ(band_of(1024, 1024, 2), 32);
  EXPECT_EQ(band_of(std::int64_t{1} << 26, 1, 2), 32768);
}

TEST(SkewedBands, EachWorkerHasSeveralBands) {
  EXPECT_EQ(band_of(256, 256, 2), 32);
  EXPECT_EQ(band_of(256, 256, 8), 8);
}

TEST(SkewedBands, BandsAreNotShorterThanTheirStartButEachWorkerHasOne) {
  EXPECT_EQ(band_of(64, 64, 1), 32);
  EXPECT_EQ(band_of(64, 64, 8), 8);
}

TEST(SkewedBands, NoneAreForSmallMatricesAndLongRows) {
  EXPECT_EQ(band_of(32, 32, 2), 0);
  EXPECT_EQ(band_of(1, 1 << 20, 2), 0);
  EXPECT_EQ(band_of(1 << 10, 1 << 18, 2), 0) << "four rows take 16 MiB";
  EXPECT_EQ(band_of(100, 0, 2), 0);
  EXPECT_EQ(rows_of_band({1, 2, 1024, 1024, 8, 1 << 20, 1, 0}, 0, 2), 0) << "one version";
}

TEST(SkewedBands, NoneAreWhereWorkersWouldWait) {
  EXPECT_EQ(band_of(2, 30000, 2), 0);
  EXPECT_EQ(band_of(8, 100000, 8), 0);
  EXPECT_EQ(band_of(64, 64, 64), 0);
  EXPECT_EQ(rows_of_band({1, 100, 512, 512, 8, 1 << 20, 64, 0}, 0, 16), 0) << "a skew of 64 rows";
  EXPECT_GT(rows_of_band({1, 100, 512, 512, 8, 1 << 20, 64, 0}, 0, 2), 0);
  EXPECT_EQ(band_of(2, 30000, 2, 2), 2) << "a configuration says so";
}

TEST(SkewedBands, EachRowIsInOneHalf) {
  for (const std::int64_t rows : {1, 2, 3, 8, 9})
    for (const std::int64_t band : {1, 2, 3, 20}) {
      std::vector<int> times(at(rows));
      for (std::int64_t from = -3; from <= folded({0, 0, rows}).rows; from += band)
        for (const RowRange& half : folded_rows(from, from + band, rows))
          for (std::int64_t y = std::max<std::int64_t>(half.from, 0); y < std::min(half.to, rows); ++y) {
            ++times[at(y)];
            const std::int64_t place = std::min(y, rows - 1 - y);
            EXPECT_TRUE(place >= from && place < from + band) << "row " << y << " of " << rows;
          }
      EXPECT_EQ(times, std::vector<int>(at(rows), 1)) << rows << " rows in bands of " << band;
    }
}

TEST(SkewedBands, FoldedBandsHaveRowsAtBothEdges) {
  const auto band = [](std::int64_t rows) {
    return rows_of_band(folded({1, 1001, rows, 1024, 8, 1 << 20, 1, 0}), 0, 2);
  };
  EXPECT_EQ(band(1024), 16) << "as many cells as a band of 32 rows";
  EXPECT_EQ(band(1), 0);
}

TEST(SkewedBands, AConfigurationSaysMore) {
  EXPECT_EQ(band_of(1024, 1024, 2, 1), 0);
  EXPECT_EQ(band_of(1024, 1024, 2, 5), 5);
  EXPECT_EQ(band_of(16, 16, 2, 5000), 16);
}

}  // namespace
}  // namespace pbrt
