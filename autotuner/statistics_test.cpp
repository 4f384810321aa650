// SPDX-License-Identifier: MIT
#include "autotuner/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/config/rng.h"

namespace pbtune {
namespace {

TEST(Statistics, StudentsDistributionHasTheTabulatedQuantiles) {
  EXPECT_NEAR(student_cdf(6.314, 1), 0.95, 1e-4);
  EXPECT_NEAR(student_cdf(2.015, 5), 0.95, 1e-4);
  EXPECT_NEAR(student_cdf(2.764, 10), 0.99, 1e-4);
  EXPECT_NEAR(student_cdf(1.658, 120), 0.95, 1e-4);
  EXPECT_NEAR(student_cdf(-2.015, 5), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(student_cdf(0, 7), 0.5);
}

TEST(Statistics, WelchsTestAllowsForUnequalSpreads) {
  // By hand: variances 0.04 and 0.005 of the logarithms, 3 and 2 times.
  const WelchResult result = welch({std::exp(10.0), std::exp(10.2), std::exp(10.4)}, {std::exp(11.0), std::exp(11.1)});
  EXPECT_NEAR(result.difference, -0.85, 1e-9);
  EXPECT_NEAR(result.standard_error, std::sqrt(0.04 / 3 + 0.005 / 2), 1e-9);
  EXPECT_NEAR(result.degrees, 2.6350, 1e-3);
}

TEST(Statistics, ClearDifferencesAreSeenWithTwoTrials) {
  EXPECT_EQ(compare({100e6, 101e6}, {200e6, 203e6}, 0.01, 0.95), Verdict::Faster);
  EXPECT_EQ(compare({200e6, 203e6}, {100e6, 101e6}, 0.01, 0.95), Verdict::Slower);
}

TEST(Statistics, TinyDifferencesAreSameHoweverSureTheyAre) {
  const Sample a(30, 100e6), b(30, 100.3e6);
  EXPECT_EQ(compare(a, b, 0.01, 0.95), Verdict::Same);
}

TEST(Statistics, OneTrialEachIsNoProofOfASmallDifference) {
  EXPECT_EQ(compare({100e6}, {104e6}, 0.01, 0.95), Verdict::Undecided);
}

TEST(Statistics, AnOutlierDoesNotTurnTheVerdict) {
  const Sample fast{100e6, 101e6, 100e6, 101e6, 900e6}, slow{120e6, 121e6, 120e6, 122e6, 121e6};
  EXPECT_EQ(compare(fast, slow, 0.01, 0.95), Verdict::Faster);
}

TEST(Statistics, EqualDistributionsAreRarelyTakenForDifferent) {
  pbrt::Rng rng(7);
  int wrong = 0;
  constexpr int kPairs = 1000;
  for (int i = 0; i < kPairs; ++i) {
    Sample a, b;
    for (int trial = 0; trial < 8; ++trial) {
      a.push_back(1e7 * std::exp(0.05 * rng.normal()));
      b.push_back(1e7 * std::exp(0.05 * rng.normal()));
    }
    wrong += compare(a, b, 0.01, 0.95) == Verdict::Faster ? 1 : 0;
  }
  // The generator is seeded and the same everywhere: so is the number, up to rounding.
  EXPECT_NEAR(wrong, 46, 2) << "a risk of 5 %";
}

}  // namespace
}  // namespace pbtune
