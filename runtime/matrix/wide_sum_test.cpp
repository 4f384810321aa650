// SPDX-License-Identifier: MIT
// Sums in wider numbers.
#include "runtime/matrix/wide_sum.h"

#include <gtest/gtest.h>

namespace pbrt {
namespace {

constexpr double kLarge = 9007199254740992.0;  // 2^53: the next double is 2 further

TEST(WideSum, KeepsWhatADoubleRoundsOff) {
  WideSum sum = kLarge;
  for (int i = 0; i < 1000; ++i) sum += 1.0;
  sum -= kLarge;
  EXPECT_EQ(sum.terms().value, 1000);
}

TEST(WideSum, KnowsItsTermsAndTheirMagnitudes) {
  WideSum sum = 0;
  for (const float term : {3.0F, -5.0F, 4.0F}) sum += term;
  sum -= 1;
  EXPECT_EQ(sum.terms().value, 1);
  EXPECT_EQ(sum.terms().magnitude, 13);
  EXPECT_EQ(sum.terms().num_terms, 5) << "the first value is one";
}

TEST(WideSum, IsScaledWithWhatBoundsItsError) {
  WideSum sum = 6.0;
  sum = sum + -2.0;
  const SumOfTerms scaled = (0.5 * -sum / 2).terms();
  EXPECT_EQ(scaled.value, -1);
  EXPECT_EQ(scaled.magnitude, 2);
  sum *= 3;
  sum /= -2.0F;
  EXPECT_EQ(sum.terms().value, -6);
  EXPECT_EQ(sum.terms().magnitude, 12);
}

TEST(WideSum, AddsOtherSums) {
  WideSum a = kLarge, b = kLarge;
  a += 1;
  const SumOfTerms difference = (a - b).terms();
  EXPECT_EQ(difference.value, 1);
  EXPECT_EQ(difference.magnitude, 2 * kLarge + 1);
  EXPECT_EQ(difference.num_terms, 3);
  EXPECT_EQ((1 - b + kLarge).terms().value, 1);
}

}  // namespace
}  // namespace pbrt
