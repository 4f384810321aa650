// SPDX-License-Identifier: MIT
#include "autotuner/trials/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
  // Computed by hand: the variances of the logarithms are 0.04 and 0.005, of 3 and 2 times.
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
  // The generator is seeded and the same everywhere, so the number is too, up to rounding.
  EXPECT_NEAR(wrong, 46, 2) << "a risk of 5 %";
}

TEST(Statistics, TheIntervalOfPairsIsThatOfTheTabulatedSignedRankTest) {
  // Ten rounds: P(W <= 8) = 0.0244 and P(W <= 9) = 0.0322 (tables of Wilcoxon's test), so at 95 % nine of the 55
  // averages lie outside on each side.
  Sample a, b(10, 1e6);
  std::vector<double> averages;
  for (int i = 0; i < 10; ++i) a.push_back(1e6 * std::exp(0.01 * i * i));
  for (int i = 0; i < 10; ++i)
    for (int k = i; k < 10; ++k) averages.push_back(0.005 * (i * i + k * k));
  std::sort(averages.begin(), averages.end());
  const PairedRatio found = paired_ratio(a, b, 0.95);
  EXPECT_NEAR(std::log(found.lo), averages[8], 1e-12);
  EXPECT_NEAR(std::log(found.hi), averages[55 - 9], 1e-12);
  EXPECT_NEAR(std::log(found.ratio), averages[27], 1e-12);
}

TEST(Statistics, TooFewPairsGiveNoInterval) {
  const PairedRatio found = paired_ratio({1e6, 1e6, 1e6}, {2e6, 2e6, 2e6}, 0.95);
  EXPECT_NEAR(found.ratio, 0.5, 1e-12);
  EXPECT_EQ(found.lo, 0);
  EXPECT_EQ(found.hi, HUGE_VAL);
}

TEST(Statistics, FewRoundsProveLargeDifferencesOnly) {
  EXPECT_TRUE(is_surely_faster({100e6, 102e6, 101e6}, {160e6, 170e6, 165e6}, 0.015));
  EXPECT_TRUE(is_surely_faster({100e6, 102e6, 101e6}, {140e6, 141e6, 140e6}, 0.015));
  EXPECT_FALSE(is_surely_faster({100e6, 102e6, 101e6}, {120e6, 121e6, 120e6}, 0.015));
  EXPECT_FALSE(is_surely_faster({100e6, 102e6, 101e6}, {140e6, 141e6, 140e6}, 0.4));
  EXPECT_TRUE(is_surely_faster({100e6, 102e6, 250e6}, {190e6, 191e6, 190e6}, 0.015)) << "a hiccup";
  EXPECT_TRUE(is_surely_faster(Sample(6, 100e6), Sample(6, 108e6), 0.015));
  EXPECT_FALSE(is_surely_faster({100e6, 102e6}, {140e6, 141e6}, 0.015));
  EXPECT_FALSE(is_surely_faster({100e6}, {200e6}, 0.015));
  EXPECT_FALSE(is_surely_faster({}, {}, 0.015));
  EXPECT_FALSE(is_surely_faster({}, {160e6, 170e6, 165e6}, 0.015)) << "what was never measured is not fast";
}

TEST(Statistics, OfMoreRoundsTheLatestCount) {
  const Sample slow(12, 200e6);
  Sample fast(4, 900e6);
  fast.insert(fast.end(), 12, 100e6);
  EXPECT_TRUE(is_surely_faster(fast, slow, 0.015));
}

TEST(Statistics, AMachineThatDriftsDoesNotHideADifferenceOfPairs) {
  Sample fast, slow;
  for (int round = 0; round < 8; ++round) {
    const double mood = 1 + 0.5 * round;
    fast.push_back(100e6 * mood);
    slow.push_back(106e6 * mood);
  }
  EXPECT_TRUE(is_surely_faster(fast, slow, 0.015));
  EXPECT_TRUE(is_surely_not_faster(slow, fast, 0.015));
  EXPECT_FALSE(is_surely_faster(fast, slow, 0.1));
}

TEST(Statistics, WhatIsNoFasterIsRarelyProvenToBe) {
  pbrt::Rng rng(11);
  int wrong = 0;
  constexpr int kPairs = 400, kMostRounds = 21;
  for (int i = 0; i < kPairs; ++i) {
    Sample a, b;
    bool is_proven = false;
    for (int round = 0; round < kMostRounds && !is_proven; ++round) {  // who looks after every round may stop by luck
      for (Sample* sample : {&a, &b}) {
        const double hiccup = rng.chance(0.1) ? 1 + 2 * rng.uniform() : 1;  // other processes only ever add time
        sample->push_back(1e7 * hiccup * std::exp(0.05 * std::fabs(rng.normal())));
      }
      is_proven = round >= 2 && is_surely_faster(a, b, 0.015);
    }
    wrong += is_proven ? 1 : 0;
  }
  EXPECT_LE(wrong, kPairs / 40) << "2.5 %";
}

}  // namespace
}  // namespace pbtune
