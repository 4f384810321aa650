// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/divided_bins.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// Bins that count.
class Counts {
 public:
  explicit Counts(std::vector<int>& whole) : whole_(&whole) {}

  [[nodiscard]] int* whole() const { return whole_->data(); }
  [[nodiscard]] std::int64_t num_cells() const { return std::ssize(*whole_); }
  [[nodiscard]] std::int64_t num_bytes() const { return num_cells() * 4; }
  void allocate(std::int64_t num_chunks) {
    for (std::int64_t i = 0; i < num_chunks; ++i) parts_.push_back(std::make_unique<int[]>(whole_->size()));
  }
  [[nodiscard]] int* begin_chunk(std::int64_t number) const { return parts_[static_cast<std::size_t>(number)].get(); }
  void combine(std::int64_t lo, std::int64_t hi) const {
    for (const std::unique_ptr<int[]>& part : parts_)
      for (auto i = static_cast<std::size_t>(lo); i < static_cast<std::size_t>(hi); ++i) (*whole_)[i] += part[i];
  }

 private:
  std::vector<int>* whole_;
  std::vector<std::unique_ptr<int[]>> parts_;
};

TEST(DividedBins, HaveAllUpdatesOfAllChunks) {
  for (const int num_workers : {1, 2, 5}) {
    for (const std::int64_t num_bins : {std::int64_t{3}, std::int64_t{10000}}) {
      Scheduler(num_workers).run([&](Frame& root) {
        const int num_rounds = static_cast<int>(num_bins) * 20 + 1;
        std::vector<int> bins(static_cast<std::size_t>(num_bins), 1);
        int sum = 5, num_calls = 0;
        divided_bins(
            root, FoldOf<folds::Sum, folds::Sum>(), 0, num_rounds, 2, num_rounds,
            [&](int from, int to, unsigned part, unsigned calls, int* own) {
              for (int i = from; i < to; ++i) ++own[i % num_bins], ++part;
              return std::make_tuple(part, calls + 1);
            },
            std::make_tuple(Counts(bins)), sum, num_calls);
        EXPECT_EQ(sum, 5 + num_rounds);
        EXPECT_EQ(bins[0], 22);
        EXPECT_EQ(bins[1], 21);
        EXPECT_EQ(bins.back(), 21);
        EXPECT_GT(num_calls, 1) << "the loop was divided";
        EXPECT_LE(num_calls, detail::kMaxBinChunks);
      });
    }
  }
}

TEST(DividedBins, AreUpdatedInPlaceWhereChunksWouldNotPay) {
  EXPECT_EQ(detail::bin_chunk_length(1000, 0, 1000, 4, 32), 0) << "the tunable says so";
  EXPECT_EQ(detail::bin_chunk_length(1000, 1000, 1000, 4, 32), 0) << "one chunk";
  EXPECT_EQ(detail::bin_chunk_length(1000, 10, 1000, 200, 1600), 0) << "few updates for each bin";
  EXPECT_EQ(detail::bin_chunk_length(1000, 10, 1000, 0, 0), 0) << "no bins";
  EXPECT_EQ(detail::bin_chunk_length(1 << 20, 10, std::int64_t{1} << 40, 1 << 23, std::int64_t{1} << 26), 0)
      << "much memory";
}

TEST(DividedBins, HaveLongerChunksWhereThereWouldBeTooMany) {
  EXPECT_EQ(detail::bin_chunk_length(1000, 100, 1000, 1, 8), 100);
  EXPECT_EQ(detail::bin_chunk_length(6400, 10, 6400, 1, 8), 100);
  EXPECT_EQ(detail::bin_chunk_length(1000, 10, 1000, 25, 200), 100) << "ten chunks";
  EXPECT_EQ(detail::bin_chunk_length(100, 10, 100000, 25, 200), 10) << "its rounds have loops";
}

TEST(DividedBins, StayAsTheyWereIfAChunkFails) {
  std::vector<int> bins(2, 7);
  Scheduler scheduler(2);
  const auto run = [&](Frame& root) {
    divided_bins(
        root, FoldOf<>(), 0, 1000, 10, 1000,
        [](int from, int, int* own) {
          ++own[0];
          if (from >= 500) throw std::runtime_error("a chunk");
          return std::make_tuple();
        },
        std::make_tuple(Counts(bins)));
  };
  EXPECT_THROW(scheduler.run(run), std::runtime_error);
  EXPECT_EQ(bins[0], 7);
}

}  // namespace
}  // namespace pbrt
