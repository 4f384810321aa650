// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/divided_places.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

/// What a filter of the numbers of rounds that 3 divides gives.
struct Filtered {
  std::vector<int> kept;
  int at = 2;
  double sum = 1;
  int passes_with_stores = 0;
};

/// The filter in chunks of `chunk` rounds. Regions are pointers; null takes no stores.
Filtered filter(Frame& frame, int num_rounds, std::int64_t chunk) {
  Filtered out;
  out.kept.assign(static_cast<std::size_t>(num_rounds) + 2, -1);
  std::atomic<int> num_stored = 0;
  const auto rounds = [&num_stored](int from, int to, unsigned at, double sum, int* kept) {
    for (int i = from; i < to; ++i) {
      if (i % 3 != 0) continue;
      if (kept != nullptr) kept[at] = i, ++num_stored;
      ++at;
      sum += 0.1 * i;
    }
    return std::make_tuple(at, sum);
  };
  divided_places<1>(frame, FoldOf<folds::Sum, folds::Sum>(), 0, num_rounds, chunk, rounds,
                    std::make_tuple(out.kept.data()), std::make_tuple(static_cast<int*>(nullptr)), out.at, out.sum);
  out.passes_with_stores = num_stored;
  return out;
}

TEST(DividedPlaces, StoreLikeTheLoop) {
  for (const int num_rounds : {0, 1, 2, 7, 1000, 1001}) {
    for (const std::int64_t chunk : {0, 1, 10, 5000}) {
      std::vector<double> sums;
      for (const int num_workers : {1, 2, 5}) {
        Scheduler(num_workers).run([&](Frame& root) {
          const Filtered out = filter(root, num_rounds, chunk);
          const int num_kept = (num_rounds + 2) / 3;
          EXPECT_EQ(out.at, 2 + num_kept) << num_rounds << " rounds in chunks of " << chunk;
          EXPECT_EQ(out.passes_with_stores, num_kept) << "each is stored once";
          for (int i = 0; i < num_kept; ++i) EXPECT_EQ(out.kept[static_cast<std::size_t>(i) + 2], 3 * i);
          EXPECT_EQ(out.kept[0], -1);
          EXPECT_EQ(out.kept[1], -1);
          sums.push_back(out.sum);
        });
      }
      for (const double sum : sums) EXPECT_EQ(sum, sums.front()) << "the chunks decide, not the workers";
    }
  }
}

TEST(DividedPlaces, ErrorsLeaveTheVariables) {
  Scheduler(2).run([&](Frame& root) {
    int at = 7;
    const auto rounds = [](int from, int to, unsigned place, int) -> std::tuple<unsigned> {
      if (from <= 50 && 50 < to) throw std::runtime_error("a round fails");
      return {place + static_cast<unsigned>(to - from)};
    };
    EXPECT_THROW(
        divided_places<1>(root, FoldOf<folds::Sum>(), 0, 100, 10, rounds, std::make_tuple(1), std::make_tuple(0), at),
        std::runtime_error);
    EXPECT_EQ(at, 7);
  });
}

}  // namespace
}  // namespace pbrt
