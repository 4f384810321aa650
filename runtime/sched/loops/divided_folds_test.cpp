// SPDX-License-Identifier: MIT
#include "runtime/sched/loops/divided_folds.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "runtime/sched/scheduler.h"

namespace pbrt {
namespace {

constexpr std::int64_t kLengths[] = {0, 1, 2, 7, 8, 9, 1009};
constexpr std::int64_t kChunks[] = {0, 1, 3, 64};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

double sum_of(Frame& frame, const std::vector<double>& terms, double first, std::int64_t chunk) {
  double sum = first;
  divided_fold(
      frame, FoldOf<folds::Sum>(), 0, std::ssize(terms), chunk,
      [&](int from, int to, double part) {
        for (int i = from; i < to; ++i) part += terms[static_cast<std::size_t>(i)];
        return std::make_tuple(part);
      },
      sum);
  return sum;
}

/// Terms whose sum depends on the order of its additions.
std::vector<double> mixed_terms(std::int64_t count) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(std::sin(static_cast<double>(i)) * std::exp2(i % 40));
  return out;
}

TEST(DividedFolds, HaveTheSameBitsInEveryRun) {
  const std::vector<double> terms = mixed_terms(1009);
  for (const std::int64_t chunk : kChunks) {
    double wanted = 0;
    Scheduler(1).run([&](Frame& root) {
      CallFrame sequential(root, 0, 1);
      wanted = sum_of(sequential, terms, 0.1, chunk);
    });
    for (const int num_workers : {1, 2, 5}) {
      Scheduler scheduler(num_workers);
      for (int run = 0; run < 50; ++run)
        scheduler.run([&](Frame& root) { ASSERT_EQ(bits(sum_of(root, terms, 0.1, chunk)), bits(wanted)) << chunk; });
    }
  }
}

TEST(DividedFolds, TakeTheFirstValueOnceAndAllRounds) {
  Scheduler(2).run([](Frame& root) {
    for (const std::int64_t length : kLengths)
      for (const std::int64_t chunk : kChunks)
        EXPECT_EQ(sum_of(root, std::vector<double>(static_cast<std::size_t>(length), 1.0), 100, chunk), 100 + length);
    EXPECT_EQ(bits(sum_of(root, std::vector<double>(9, -0.0), -0.0, 2)), bits(-0.0));
  });
}

/// The smallest and its place, from `first` at -1, as a loop with `<` finds it.
std::tuple<double, int> smallest_of(Frame& frame, const std::vector<double>& values, double first, std::int64_t chunk) {
  double smallest = first;
  int place = -1;
  divided_fold(
      frame, FoldOf<folds::Smallest, folds::Place>(), 0, std::ssize(values), chunk,
      [&](int from, int to, double part, int at) {
        for (int i = from; i < to; ++i)
          if (values[static_cast<std::size_t>(i)] < part) {
            part = values[static_cast<std::size_t>(i)];
            at = i;
          }
        return std::make_tuple(part, at);
      },
      smallest, place);
  return {smallest, place};
}

TEST(DividedFolds, KeepTheFirstOfEqualValuesAndItsPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Scheduler(2).run([&](Frame& root) {
    const std::vector<std::vector<double>> cases = {
        {}, {5}, {5, 3, 9, 3, 3}, {nan, 2, nan, 1, nan, 1}, {0.0, -0.0, 0.0}, {1, -0.0, 0.0, -0.0}, {nan, nan, nan}};
    for (const std::vector<double>& values : cases)
      for (const double first : {4.0, 0.0, -0.0, nan}) {
        const auto [wanted, wanted_at] = smallest_of(root, values, first, 0);
        for (const std::int64_t chunk : {1, 2, 3}) {
          const auto [found, at] = smallest_of(root, values, first, chunk);
          EXPECT_EQ(bits(found), bits(wanted));
          EXPECT_EQ(at, wanted_at);
        }
      }
  });
}

TEST(DividedFolds, PartsOfIntegersMayOverflow) {
  constexpr int kMost = std::numeric_limits<int>::max();
  static_assert(std::is_same_v<FoldPart<folds::Sum, int&>, unsigned>);
  static_assert(std::is_same_v<FoldPart<folds::Product, short>, unsigned>);
  static_assert(std::is_same_v<FoldPart<folds::Smallest, int>, int>);
  Scheduler(2).run([&](Frame& root) {
    const std::vector<int> terms = {-1, kMost, 5, -kMost, -5};
    int sum = 0, all = -1;
    bool is_small = true, has_five = false;
    divided_fold(
        root, FoldOf<folds::Sum, folds::BitAnd, folds::And, folds::Or>(), std::int64_t{0}, 5, 2,
        [&](std::int64_t from, std::int64_t to, unsigned s, int a, bool small, bool five) {
          for (std::int64_t i = from; i < to; ++i) {
            const int x = terms[static_cast<std::size_t>(i)];
            s += static_cast<unsigned>(x);
            a &= x;
            small = small && x < kMost;
            five = five || x == 5;
          }
          return std::make_tuple(s, a, small, five);
        },
        sum, all, is_small, has_five);
    EXPECT_EQ(sum, -1);
    EXPECT_EQ(all, -1 & kMost & 5 & -kMost & -5);
    EXPECT_FALSE(is_small);
    EXPECT_TRUE(has_five);
  });
}

TEST(DividedFolds, MakeLongerChunksWhereThereWouldBeTooMany) {
  EXPECT_EQ(detail::fold_chunk_length(kMaxFoldChunks * 10, 3), 10);
  EXPECT_EQ(detail::fold_chunk_length(kMaxFoldChunks * 10 + 1, 3), 11);
  EXPECT_EQ(detail::fold_chunk_length(100, 3), 3);
}

TEST(DividedFolds, RethrowAndKeepTheVariables) {
  Scheduler scheduler(2);
  double sum = 7;
  const auto run = [&](Frame& root) {
    divided_fold(
        root, FoldOf<folds::Sum>(), 0, 1000, 10,
        [](int from, int, double part) {
          if (from >= 500) throw std::runtime_error("a chunk");
          return std::make_tuple(part + 1);
        },
        sum);
  };
  EXPECT_THROW(scheduler.run(run), std::runtime_error);
  EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace pbrt
