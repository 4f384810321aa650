// SPDX-License-Identifier: MIT
// Tests of configurations on other inputs than those that they are tuned on.
#include "autotuner/tune/confirmation.h"

#include <gtest/gtest.h>

#include "autotuner/testing/bins_world.h"

namespace pbtune {
namespace {

using testing::kMainSite;
using testing::kSiteRows;

Outcome of_kind(OutcomeKind kind) {
  Outcome out;
  out.kind = kind;
  return out;
}

SearchResult result_of(const Configuration& best, double best_ns) {
  SearchResult out;
  out.best = best;
  out.best_ns = best_ns;
  return out;
}

/// Two targets have results, and both results are the default. The third target, the main transform, is being tuned.
struct ConfirmTest : ::testing::Test {
  [[nodiscard]] Outcome ask(const Configuration& configuration, int num_variants = 2) {
    const auto run = [this](std::size_t target, int variant, const Configuration& one, const RunSpec& spec) {
      asked.emplace_back(target, variant);
      limit_ms = spec.limit_ms;
      return of_kind(answer(target, variant, one));
    };
    return confirm({world.index, world.targets, earlier, num_variants, run}, configuration, {});
  }

  testing::BinsWorld world;
  std::vector<SearchResult> earlier = std::vector<SearchResult>(2, result_of(world.standard(), 1e9));
  std::function<OutcomeKind(std::size_t, int, const Configuration&)> answer =
      [](std::size_t, int, const Configuration&) { return OutcomeKind::Ok; };
  std::vector<std::pair<std::size_t, int>> asked;
  double limit_ms = 0;
};

TEST_F(ConfirmTest, AsksOnEveryVariantButTheOneAtHand) {
  EXPECT_EQ(ask(world.choosing(kMainSite, 1)).kind, OutcomeKind::Ok);
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, int>>{{2, 1}, {2, 2}}));
}

TEST_F(ConfirmTest, TheFirstVariantThatSpeaksAgainstItDecides) {
  answer = [](std::size_t, int variant, const Configuration&) {
    return variant == 1 ? OutcomeKind::AccuracyMissed : OutcomeKind::Ok;
  };
  EXPECT_EQ(ask(world.choosing(kMainSite, 1)).kind, OutcomeKind::AccuracyMissed);
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(ConfirmTest, AnEarlierTargetIsAskedWhereWhatItUsesChanged) {
  EXPECT_EQ(ask(world.choosing(kSiteRows, 1), 0).kind, OutcomeKind::Ok);
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, int>>{{0, 0}, {0, 0}})) << "the former result, then the new one";
  EXPECT_DOUBLE_EQ(limit_ms, 8200) << "eight times the former result, and something";
}

TEST_F(ConfirmTest, WhatSpoilsAnEarlierTargetIsRefused) {
  const Configuration changed = world.choosing(kSiteRows, 1);
  answer = [&](std::size_t target, int, const Configuration& one) {
    return target == 0 && one == changed ? OutcomeKind::AccuracyMissed : OutcomeKind::Ok;
  };
  const Outcome outcome = ask(changed);
  EXPECT_EQ(outcome.kind, OutcomeKind::Error);
  EXPECT_EQ(outcome.message, "ConvolveRows misses its target with it");
}

TEST_F(ConfirmTest, InputsOnWhichAnEarlierTargetWasMissedBeforeDoNotCount) {
  answer = [](std::size_t target, int, const Configuration&) {
    return target == 0 ? OutcomeKind::AccuracyMissed : OutcomeKind::Ok;
  };
  EXPECT_EQ(ask(world.choosing(kSiteRows, 1)).kind, OutcomeKind::Ok);
}

}  // namespace
}  // namespace pbtune
