// SPDX-License-Identifier: MIT
#include "runtime/matrix/simd_folds.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pbrt::simd {
namespace {

using Flat = Shape<4, 4, 1>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// A pack whose lanes are `of(lane)`.
template <class F>
Pack<double, Flat> pack_with(F of) {
  Pack<double, Flat> out;
  for (int i = 0; i < Flat::kWidth; ++i) out.v[i / Flat::kLanes][i % Flat::kLanes] = of(i);
  return out;
}

TEST(LaneFolds, LoopsRunWholePacksAndAtLeastTwo) {
  EXPECT_EQ(end_of_lanes<Flat>(0, 31), 0);
  EXPECT_EQ(end_of_lanes<Flat>(0, 32), 32);
  EXPECT_EQ(end_of_lanes<Flat>(5, 5 + 47), 5 + 32);
  EXPECT_EQ(end_of_lanes<Flat>(3, -7), 3);
  EXPECT_EQ(end_of_lanes<Flat>(-2147483647 - 1, 2147483647), 2147483647 - 15);
}

TEST(LaneFolds, TheInitialValueIsCombinedOnce) {
  const auto ones = pack_with([](int) { return 1.0; });
  EXPECT_EQ(combine_lanes<Sum>(100.0, ones), 116);
  EXPECT_EQ(combine_lanes<Product>(3.0, pack_with([](int i) { return i < 2 ? 2.0 : 1.0; })), 12);
  EXPECT_EQ(combine_lanes<Largest>(7.0, pack_with([](int i) { return 7.0 + i; })), 22);
  EXPECT_EQ(combine_lanes<Smallest>(7.0, pack_with([](int i) { return 7.0 - i; })), -8);
}

TEST(LaneFolds, ASumOfNegativeZerosIsOne) {
  const Pack<double, Flat> start = start_lanes<Sum, double, Flat>(-0.0);
  EXPECT_EQ(bits(combine_lanes<Sum>(-0.0, start + pack_with([](int) { return -0.0; }))), bits(-0.0));
}

TEST(LaneFolds, ExtremaTakeInfinitiesAndKeepANaNFromBefore) {
  EXPECT_EQ(combine_lanes<Largest>(0.0, pack_with([](int i) { return i == 9 ? kInfinity : -1.0; })), kInfinity);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Pack<double, Flat> start = start_lanes<Largest, double, Flat>(nan);
  EXPECT_TRUE(std::isnan(combine_lanes<Largest>(nan, start)));
  EXPECT_TRUE(Largest::is_sure(nan));
}

TEST(LaneFolds, TheSignOfAZeroIsNotSure) {
  EXPECT_FALSE(Largest::is_sure(0.0));
  EXPECT_FALSE(Smallest::is_sure(-0.0));
  EXPECT_TRUE(Smallest::is_sure(-1.0));
  EXPECT_TRUE(Sum::is_sure(0.0));
}

}  // namespace
}  // namespace pbrt::simd
