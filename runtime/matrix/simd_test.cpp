// SPDX-License-Identifier: MIT
#include "runtime/matrix/simd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/matrix/simd_math.h"

namespace pbrt::simd {
namespace {

using Flat = Shape<4, 2, 1>;
using Tall = Shape<4, 1, 3>;

template <class T, class S>
std::vector<T> values(const Pack<T, S>& pack) {
  std::vector<T> out;
  for (const auto& vector : pack.v)
    for (int lane = 0; lane < S::kLanes; ++lane) out.push_back(vector[lane]);
  return out;
}

TEST(Pack, ArithmeticConvertsAsScalarsDo) {
  const auto x = lane_index<Flat>(-3);
  const auto halves = x / 2;
  static_assert(std::is_same_v<decltype(halves)::Element, int>);
  EXPECT_EQ(values(halves), (std::vector<int>{-1, -1, 0, 0, 0, 1, 1, 2}));
  const auto mixed = x * 0.5f + 1.0;
  static_assert(std::is_same_v<decltype(mixed)::Element, double>);
  EXPECT_EQ(values(mixed), (std::vector<double>{-0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3}));
}

template <class From, class To>
void expect_converts() {
  const bool is_signed = std::is_signed_v<From> && std::is_signed_v<To>;
  Pack<From, Flat> from;
  std::vector<To> wanted;
  for (int i = 0; i < Flat::kCount * Flat::kLanes; ++i) {
    const From value = static_cast<From>(is_signed ? 31 * i - 100 : 31 * i);
    from.v[i / Flat::kLanes][i % Flat::kLanes] = value;
    wanted.push_back(static_cast<To>(value));
  }
  EXPECT_EQ(values(Pack<To, Flat>(from)), wanted) << sizeof(From) << " bytes to " << sizeof(To);
}
template <class From, class... To>
void expect_converts_to_all() {
  (
      [] {
        if constexpr (!std::is_same_v<From, To>) expect_converts<From, To>();
      }(),
      ...);
}
template <class... T>
void expect_all_convert() {
  (expect_converts_to_all<T, T...>(), ...);
}

TEST(Pack, EveryTypeConvertsToEveryOtherAsScalarsDo) {
  expect_all_convert<double, float, int, unsigned, long, short, unsigned short, unsigned char>();
}

TEST(Pack, ShiftsAreDoneInTheTypeOfTheLeftSide) {
  const auto x = lane_index<Flat>(-3);
  const auto halves = x >> 1U;
  static_assert(std::is_same_v<decltype(halves)::Element, int>);
  EXPECT_EQ(values(halves), (std::vector<int>{-2, -1, -1, 0, 0, 1, 1, 2}));
  const Pack<short, Flat> narrow = x;
  static_assert(std::is_same_v<decltype(narrow << 1L)::Element, int>);
  EXPECT_EQ(values(8 << (x + 3)), (std::vector<int>{8, 16, 32, 64, 128, 256, 512, 1024}));
}

TEST(Pack, ABroadcastKeepsMinusZero) {
  const Pack<double, Flat> zero = -0.0;
  for (const double value : values(zero)) EXPECT_TRUE(std::signbit(value));
}

TEST(Pack, CompoundAssignmentKeepsItsType) {
  Pack<int, Flat> x = 7;
  x *= 0.5;
  x += 1;
  EXPECT_EQ(values(x), std::vector<int>(8, 4));
}

TEST(Pack, SelectMixesTypesAndMaskWidths) {
  const auto x = lane_index<Flat>(0);
  const auto result = select(x > 2 && !(x == 5), x * 1.5, 0);
  static_assert(std::is_same_v<decltype(result)::Element, double>);
  EXPECT_EQ(values(result), (std::vector<double>{0, 0, 0, 4.5, 6, 0, 9, 10.5}));
  EXPECT_EQ(values(select((x < 1) || false, 1, 2)), (std::vector<int>{1, 2, 2, 2, 2, 2, 2, 2}));
}

TEST(Pack, MathIsLaneByLane) {
  const Pack<double, Flat> x = lane_index<Flat>(0);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(values(sqrt(x))[static_cast<std::size_t>(i)], std::sqrt(double(i)));
    EXPECT_EQ(values(max(x, 3.0))[static_cast<std::size_t>(i)], std::max(double(i), 3.0));
    EXPECT_EQ(values(fmod(x, 3))[static_cast<std::size_t>(i)], std::fmod(double(i), 3));
  }
}

/// The bits of a number.
template <class T>
auto bits(T value) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(value);
}

/// Compares what packs of shape `S` hold after exp, pow and tanh with packs of one lane, and these with the scalar
/// functions.
template <class T, class S>
void expect_one_by_one() {
  using Limits = std::numeric_limits<T>;
  const T given[] = {0,
                     T(-0.0),
                     Limits::infinity(),
                     -Limits::infinity(),
                     Limits::denorm_min(),
                     T(0.1),
                     T(-3.7),
                     T(88.8),
                     20,
                     T(-745),
                     Limits::max(),
                     Limits::min() / 2,
                     T(-103.5),
                     1,
                     T(1e-9),
                     T(709.7)};
  Pack<T, S> x;
  const int count = S::kCount * S::kLanes;
  for (int i = 0; i < count; ++i) x.v[i / S::kLanes][i % S::kLanes] = given[i % 16];
  const auto exps = values(exp(x)), powers = values(pow(fabs(x), T(1.5))), tanhs = values(tanh(x));
  for (std::size_t i = 0; i < exps.size(); ++i) {
    const T number = given[i % 16];
    const Pack<T, One> one = number;
    EXPECT_EQ(bits(exps[i]), bits(values(exp(one))[0])) << number;
    EXPECT_EQ(bits(powers[i]), bits(values(pow(fabs(one), T(1.5)))[0])) << number;
    EXPECT_EQ(bits(tanhs[i]), bits(values(tanh(one))[0])) << number;
    // Neighbouring numbers have neighbouring bits.
    EXPECT_LE(std::abs(std::int64_t(bits(exps[i])) - std::int64_t(bits(std::exp(number)))), 4) << number;
    EXPECT_LE(std::abs(std::int64_t(bits(tanhs[i])) - std::int64_t(bits(std::tanh(number)))), 4) << number;
  }
}

TEST(Pack, VectorFunctionsDoNotDependOnTheShape) {
  expect_one_by_one<double, Flat>();  // wider than a vector, where the build has short ones
  expect_one_by_one<double, Shape<2, 3, 1>>();
  expect_one_by_one<double, Shape<16, 1, 1>>();
  expect_one_by_one<float, Shape<2, 5, 1>>();
  expect_one_by_one<float, Shape<1, 3, 2>>();
  expect_one_by_one<float, Shape<32, 1, 1>>();
}

TEST(Pack, AMaskSaysWhereIsAssigned) {
  Pack<int, Flat> x = 7;
  const auto is_odd = (lane_index<Flat>(0) & 1) == 1;
  assign_where(is_odd, x, lane_index<Flat>(10) * 2.5);
  EXPECT_EQ(values(x), (std::vector<int>{7, 27, 7, 32, 7, 37, 7, 42}));
  EXPECT_TRUE(any(is_odd));
  EXPECT_TRUE(any(lane_index<Flat>(0) == 7));
  EXPECT_FALSE(any(lane_index<Flat>(0) == 8));
  EXPECT_FALSE(any(lane_index<One>(0) == 1));
  EXPECT_TRUE(any(Pack<float, One>(2) > 1));
}

TEST(Pack, VectorFunctionsOfIntegersAreComputedInDouble) {
  const auto roots = exp(lane_index<Flat>(0));
  static_assert(std::is_same_v<decltype(roots)::Element, double>);
  EXPECT_NEAR(values(roots)[1], 2.718281828459045, 1e-15);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The lanes of the mask's first vector.
template <int Bytes, class S>
std::vector<bool> truths(const Mask<Bytes, S>& mask) {
  std::vector<bool> out;
  for (int lane = 0; lane < S::kLanes; ++lane) out.push_back(mask.v[0][lane] != 0);
  return out;
}

TEST(Pack, MinAndMaxKeepTheFirstArgumentBesideNanAndAmongZeros) {
  Pack<double, Flat> x = 1.0;
  x.v[0][0] = kNan;
  x.v[0][1] = -0.0;
  EXPECT_TRUE(std::isnan(values(min(x, 1.0))[0]));
  EXPECT_EQ(values(min(2.0, x))[0], 2.0);
  EXPECT_TRUE(std::signbit(values(max(x, 0.0))[1]));
  EXPECT_FALSE(std::signbit(values(min(0.0, x))[1]));
}

TEST(Pack, MinOfTwoTypesIsComputedInTheOneTheyShare) {
  const Pack<float, Flat> x = 16777218.0F;
  const auto least = min(x, 16777217);
  static_assert(std::is_same_v<decltype(least)::Element, float>);
  EXPECT_EQ(values(least)[0], 16777216.0F);
  const auto most = max(lane_index<Flat>(-3), 1U);
  static_assert(std::is_same_v<decltype(most)::Element, unsigned>);
  EXPECT_EQ(values(most)[0], 4294967293U);
}

TEST(Pack, TestsOfFloatingNumbersAreThoseOfScalars) {
  Pack<float, Flat> x = 1.0F;
  x.v[0][0] = std::numeric_limits<float>::quiet_NaN();
  x.v[0][1] = -std::numeric_limits<float>::infinity();
  x.v[0][2] = -std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(truths(isnan(x)), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(truths(isinf(x)), (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(truths(isfinite(x)), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(truths(isnormal(x)), (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ(truths(signbit(x)), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(truths(isfinite(lane_index<Flat>(0))), std::vector<bool>(4, true));
  EXPECT_EQ(values(lround(x * 2.5F))[3], 3);
}

TEST(Pack, BitsAreThoseOfScalars) {
  Pack<float, Flat> x = -0.0F;
  x.v[0][1] = 1.0F;
  const auto bits = bit_cast<int>(x);
  EXPECT_EQ(values(bits)[0], std::numeric_limits<int>::min());
  EXPECT_EQ(values(bits)[1], 0x3F800000);
  EXPECT_EQ(values(bit_cast<float>(bits ^ std::numeric_limits<int>::min()))[1], -1.0F);
}

/// 20 x 6 numbers: element (x, y) is x + 100 y.
struct Picture {
  std::vector<double> data = std::vector<double>(120);
  IndexT sizes[2] = {20, 6};
  std::int64_t strides[2] = {1, 20};
  Picture() {
    for (int i = 0; i < 120; ++i) data[static_cast<std::size_t>(i)] = i % 20 + 100 * (i / 20);
  }
  UnitView<double, 2> view() { return UnitView<double, 2>(data.data(), sizes, strides); }
};

TEST(View, IndicesOfAllTypesMeanTheSameCells) {
  Picture picture;
  const auto whole = picture.view();
  const auto part = whole.region(5, 2, 10, 4);
  EXPECT_EQ(&part.cell(std::int64_t{3}, 1), &whole.cell(8, 3));
  EXPECT_EQ(&part.cell(0U - 1, std::int64_t{0}), &whole.cell(4, 2)) << "the unsigned number means -1";
  EXPECT_EQ(&part.cell(std::int64_t{-1}, std::size_t{0} - 1), &whole.cell(4, 1));
  EXPECT_EQ(&part.cell(1.5F, 'a' - 'a'), &whole.cell(6, 2));
}

TEST(Lanes, ReadNeighboursAlongARowAndAcrossRows) {
  Picture picture;
  EXPECT_EQ(values(lanes<Tall, 1, 1>(picture.view()).cell(2, 1)),
            (std::vector<double>{102, 103, 104, 105, 202, 203, 204, 205, 302, 303, 304, 305}));
  EXPECT_EQ(values(lanes<Tall, 0, 1>(picture.view()).cell(2, 1)),
            (std::vector<double>{102, 102, 102, 102, 202, 202, 202, 202, 302, 302, 302, 302}));
  EXPECT_EQ(values(lanes<Flat, 1, -1>(picture.view()).cell(2, 5)),
            (std::vector<double>{502, 503, 504, 505, 506, 507, 508, 509}));
}

TEST(Unrolled, VisitsEveryIndexInOrder) {
  for (int last = -1; last < 20; ++last) {
    std::vector<int> tall, flat, expected;
    unrolled<Tall>(0, last, [&](int i) { tall.push_back(i); });
    unrolled<Flat>(0, last, [&](int i) { flat.push_back(i); });
    for (int i = 0; i < last; ++i) expected.push_back(i);
    EXPECT_EQ(tall, expected);
    EXPECT_EQ(flat, expected);
  }
}

template <int First, int Last>
std::vector<int> rounds_of() {
  std::vector<int> out;
  constant_loop<int, First, Last>([&](auto i) { out.push_back(decltype(i)::value); });
  return out;
}

TEST(ConstantLoop, VisitsEveryIndexInOrder) {
  EXPECT_EQ((rounds_of<-1, 3>()), (std::vector<int>{-1, 0, 1, 2}));
  EXPECT_EQ((rounds_of<4, 5>()), std::vector<int>{4});
  EXPECT_TRUE((rounds_of<4, 4>().empty()));
  EXPECT_TRUE((rounds_of<4, 2>().empty()));
}

struct SmallShapes {
  using Tall = Shape<4, 1, 3>;
  using Flat = Shape<4, 2, 1>;
  using Narrow = Shape<4, 1, 1>;
};

/// How often for_each_pack computes each instance of a box of the given size.
template <bool kTall>
std::vector<int> visits(int width, int height, bool may_repeat) {
  std::vector<int> count(static_cast<std::size_t>(width * height));
  const auto visit = [&](int x, int y) { ++count.at(static_cast<std::size_t>((y - 5) * width + x - 3)); };
  for_each_pack<SmallShapes, kTall>(
      3, 3 + width, 5, 5 + height, may_repeat,
      [&]<class S>(S, IndexT x, IndexT y) {
        for (int row = 0; row < S::kRows; ++row)
          for (int lane = 0; lane < S::kWidth; ++lane) visit(x + lane, y + row);
      },
      visit);
  return count;
}

TEST(ForEachPack, ComputesEachInstanceOnceUnlessItMayRepeat) {
  for (int width = 0; width < 20; ++width) {
    for (int height = 0; height < 8; ++height) {
      for (const auto& count : {visits<true>(width, height, false), visits<false>(width, height, false)})
        for (const int times : count) EXPECT_EQ(times, 1) << width << " x " << height;
      for (const auto& count : {visits<true>(width, height, true), visits<false>(width, height, true)})
        for (const int times : count) EXPECT_TRUE(times == 1 || times == 2) << width << " x " << height;
    }
  }
}

TEST(IsApart, TellsOverlapFromNeighbours) {
  Picture picture;
  const auto whole = picture.view();
  EXPECT_TRUE(is_apart(whole.region(0, 0, 20, 3), whole.region(0, 3, 20, 6)));
  EXPECT_FALSE(is_apart(whole.region(0, 0, 20, 4), whole.region(0, 3, 20, 6)));
  EXPECT_FALSE(is_apart(whole, whole.transposed()));
  EXPECT_TRUE(is_apart(whole.region(0, 0, 10, 6), whole.region(10, 0, 20, 6)));
  EXPECT_TRUE(is_apart(whole.region(10, 0, 20, 5), whole.region(0, 1, 10, 6)));
  EXPECT_FALSE(is_apart(whole.region(0, 0, 11, 6), whole.region(10, 0, 20, 6)));
  EXPECT_FALSE(is_apart(whole.region(9, 0, 20, 5), whole.region(0, 1, 10, 6)));
  EXPECT_FALSE(is_apart(whole.row(1), whole.column(1)));
}

/// All boxes of a small picture, pair by pair.
TEST(IsApart, NeverMissesACommonCell) {
  Picture picture;
  const auto view = picture.view();
  const auto boxes = [&](const auto& visit) {
    for (int x = 0; x < 4; ++x)
      for (int y = 0; y < 3; ++y)
        for (int right = x; right < 5; ++right)
          for (int below = y; below < 4; ++below) visit(x, y, right, below);
  };
  boxes([&](int x, int y, int right, int below) {
    boxes([&](int x2, int y2, int right2, int below2) {
      const bool have_common = std::max(x, x2) < std::min(right, right2) && std::max(y, y2) < std::min(below, below2);
      const bool apart = is_apart(view.region(x, y, right, below), view.region(x2, y2, right2, below2));
      EXPECT_FALSE(have_common && apart) << x << y << right << below << " " << x2 << y2 << right2 << below2;
      const bool are_real = x < right && y < below && x2 < right2 && y2 < below2;
      EXPECT_TRUE(!are_real || apart != have_common);
    });
  });
}

TEST(CommonElement, IsFoundWhateverTheStrides) {
  Picture picture;
  const auto whole = picture.view();
  const auto have_common = [](const auto& a, const auto& b) { return have_common_element(a.raw(), b.raw()); };
  EXPECT_TRUE(have_common(whole, whole.transposed()));
  EXPECT_TRUE(have_common(whole.row(1), whole.column(1)));
  EXPECT_TRUE(have_common(whole.region(0, 0, 11, 6), whole.region(10, 5, 20, 6).transposed()));
  EXPECT_FALSE(have_common(whole.region(0, 0, 10, 6), whole.region(10, 0, 20, 6).transposed()));
  EXPECT_FALSE(have_common(whole.row(1), whole.region(0, 2, 20, 6).column(1)));
  EXPECT_FALSE(have_common(whole.column(3), whole.column(4)));
  EXPECT_FALSE(have_common(whole.region(3, 3, 3, 6), whole));
  const IndexT half[] = {10};
  const std::int64_t even[] = {2};
  const std::int64_t back[] = {-2};
  const View<double, 1> evens(whole.base(), half, even);
  EXPECT_FALSE(have_common(evens, View<double, 1>(whole.base() + 1, half, even)));
  EXPECT_FALSE(have_common(evens, View<double, 1>(whole.base() + 19, half, back)));
  EXPECT_TRUE(have_common(evens, View<double, 1>(whole.base() + 18, half, back)));
}

}  // namespace
}  // namespace pbrt::simd
