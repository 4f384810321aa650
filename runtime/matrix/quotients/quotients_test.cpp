// SPDX-License-Identifier: MIT
// Quotients and roots by multiplication are those of the divider, special numbers included, whatever the shape of a
// pack.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "runtime/matrix/quotients/multiplied_lanes.h"

namespace pbrt::simd {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class T>
struct Results {
  std::vector<T> quotients = std::vector<T>(kNumLanes), roots = std::vector<T>(kNumLanes);
};

template <class T>
Results<T> by_packs(int shape, const std::vector<T>& a, const std::vector<T>& b) {
  Results<T> out;
  multiply_quotients(shape, a, b, out.quotients, out.roots);
  return out;
}

/// How many numbers of the type lie between two, of which neither or both are NaN.
template <class T>
std::int64_t distance(T a, T b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (std::isnan(a) != std::isnan(b) || std::signbit(a) != std::signbit(b)) return std::numeric_limits<Bits<T>>::max();
  return std::abs(std::int64_t(std::bit_cast<Bits<T>>(a)) - std::int64_t(std::bit_cast<Bits<T>>(b)));
}

/// The numbers of results that are not the rounded one, each off by one last digit at most, and those of shapes that
/// give other bits than the first.
template <class T>
int num_off(const std::vector<T>& a, const std::vector<T>& b) {
  int num_off = 0;
  const Results<T> first = by_packs(0, a, b);
  for (int i = 0; i < kNumLanes; ++i) {
    const std::int64_t of_quotient = distance(first.quotients[i], a[i] / b[i]);
    const std::int64_t of_root = distance(first.roots[i], std::sqrt(b[i]));
    EXPECT_LE(of_quotient, 1) << a[i] << " / " << b[i] << " is not " << first.quotients[i];
    EXPECT_LE(of_root, 1) << "the root of " << b[i] << " is not " << first.roots[i];
    num_off += (of_quotient != 0 ? 1 : 0) + (of_root != 0 ? 1 : 0);
  }
  for (int shape = 1; shape < kNumShapes; ++shape) {
    const Results<T> other = by_packs(shape, a, b);
    for (int i = 0; i < kNumLanes; ++i) {
      EXPECT_EQ(distance(other.quotients[i], first.quotients[i]), 0) << "shape " << shape << ", lane " << i;
      EXPECT_EQ(distance(other.roots[i], first.roots[i]), 0) << "shape " << shape << ", lane " << i;
    }
  }
  return num_off;
}

template <class T>
void expect_random_ones_to_agree() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<T> digits(1, 2);
  // Quotients are normal numbers, and so is what their remainders are made of.
  std::uniform_int_distribution<int> exponents((Limits::min_exponent + Limits::digits) / 2,
                                               Limits::max_exponent / 2 - 1);
  const auto draw = [&] { return std::ldexp(digits(random), exponents(random)); };
  int num_wrong = 0;
  constexpr int kNumRounds = 2000;
  for (int round = 0; round < kNumRounds; ++round) {
    std::vector<T> a(kNumLanes), b(kNumLanes);
    for (int i = 0; i < kNumLanes; ++i) {
      a[i] = random() % 2 == 0 ? draw() : -draw();
      b[i] = draw();
    }
    num_wrong += num_off(a, b);
  }
  EXPECT_LE(num_wrong, sizeof(T) == 8 ? 0 : 2) << "of " << 2 * kNumRounds * kNumLanes;
}

template <class T>
void expect_special_ones_to_agree() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> special;
  for (const T value : {T(0), T(1), T(3), std::nextafter(T(1), T(0)), Limits::infinity(), Limits::quiet_NaN(),
                        Limits::max(), Limits::max() / 2, Limits::max() / 4, Limits::min(), Limits::min() / 2,
                        Limits::min() * T(1.5), Limits::denorm_min(), Limits::denorm_min() * 5, Limits::epsilon()}) {
    special.push_back(value);
    special.push_back(-value);
  }
  for (std::size_t shift = 0; shift < special.size(); ++shift) {
    std::vector<T> a(kNumLanes), b(kNumLanes);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = special[i % special.size()];
      b[i] = special[(i + shift) % special.size()];
    }
    num_off(a, b);
  }
}

class Quotients : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return;
#endif
    GTEST_SKIP() << "the processor has no AVX-512";
  }
};

TEST_F(Quotients, OfRandomNumbersAreTheRoundedOnes) {
  expect_random_ones_to_agree<double>();
  expect_random_ones_to_agree<float>();
}

TEST_F(Quotients, OfSpecialNumbersAreThoseOfTheDivider) {
  expect_special_ones_to_agree<double>();
  expect_special_ones_to_agree<float>();
}

}  // namespace
}  // namespace pbrt::simd
