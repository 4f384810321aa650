// SPDX-License-Identifier: MIT
#include "autotuner/trials/references.h"

#include <gtest/gtest.h>

#include "autotuner/testing/synthetic.h"

namespace pbtune {
namespace {

struct ReferencesTest : ::testing::Test {
  void note(std::int64_t n, double seconds, ReferenceMaker maker = ReferenceMaker::Default) {
    references.note(n, {PrepareStatus::Ready, seconds * 1e9, "", maker});
  }

  pbrt::TrainingInfo info = testing::synthetic_program();
  InfoIndex index{info};
  Configuration standard = pbrt::default_configuration(index), other = testing::synthetic_optimum(index, 1024);
  References references;
};

TEST_F(ReferencesTest, WithoutAnotherOneTheDefaultIsGivenAllTheTime) {
  const PrepareSpec spec = references.spec(100, 20);
  EXPECT_EQ(spec.trusted, nullptr);
  EXPECT_GT(spec.default_patience_s, 20);
  EXPECT_EQ(spec.patience_s, 20);
}

TEST_F(ReferencesTest, TheDefaultIsNotAskedWhereItMustTakeTooLong) {
  note(100, 0.01);
  references.trust(other);
  EXPECT_GT(references.spec(200, 20).default_patience_s, 0);
  EXPECT_LT(references.spec(200, 20).default_patience_s, 5);
  EXPECT_EQ(references.spec(100000, 20).default_patience_s, 0) << "in proportion to the size: 10 s";
  note(200, 0.08);
  EXPECT_NEAR(references.default_s(400), 0.64, 1e-6) << "by the growth seen so far";
  EXPECT_GT(references.spec(400, 20).default_patience_s, 0);
  EXPECT_EQ(references.spec(1600, 20).default_patience_s, 0);
  ASSERT_NE(references.spec(1600, 20).trusted, nullptr);
  EXPECT_EQ(*references.spec(1600, 20).trusted, other);
}

TEST_F(ReferencesTest, OnlyWhatAgreedWithTheDefaultItselfStandsInForIt) {
  note(100, 0.1);
  references.trust(other);
  EXPECT_FALSE(references.stand_in());
  note(400, 0.1, ReferenceMaker::Trusted);
  references.trust(standard);
  EXPECT_EQ(references.stand_in(), other);
  EXPECT_EQ(references.verification().maker, ReferenceMaker::Trusted);
  EXPECT_EQ(references.verification().agreed_n, 100);
  EXPECT_EQ(*references.spec(800, 20).trusted, other);
  EXPECT_EQ(references.spec(800, 20).default_patience_s, 0) << "it was too slow at a smaller size";
  EXPECT_EQ(references.words(),
            "size 400: the default takes too long to be the reference;\n"
            "  outputs are verified against what agreed with it at size 100");
}

TEST_F(ReferencesTest, WhatIsFastEnoughAtTheTargetIsKept) {
  note(100, 0.1);
  references.trust(other);
  references.keep_trusted();
  references.trust(standard);
  EXPECT_EQ(*references.spec(200, 20).trusted, standard) << "the default made the reference, so nothing is known";
  references.trust(other);
  note(1600, 0.1, ReferenceMaker::Trusted);
  references.keep_trusted();
  note(200, 0.2);
  references.trust(standard);
  EXPECT_EQ(*references.spec(1600, 20).trusted, other);
}

TEST_F(ReferencesTest, WhatTheDefaultDisagreesWithIsForgotten) {
  note(100, 0.1);
  references.trust(other);
  note(400, 0.1, ReferenceMaker::Trusted);
  references.distrust();
  EXPECT_FALSE(references.stand_in());
  EXPECT_EQ(references.spec(800, 20).trusted, nullptr);
  EXPECT_EQ(references.verification().maker, ReferenceMaker::DefaultInParallel);
  EXPECT_EQ(references.words(), "size 400: the default is the reference on all threads, not on one");
}

TEST_F(ReferencesTest, ASizeThatTookTooLongIsHopelessAndSoAreLargerOnes) {
  EXPECT_FALSE(references.is_hopeless(400));
  references.note(400, {PrepareStatus::TooSlow, 0, ""});
  EXPECT_FALSE(references.is_hopeless(100));
  EXPECT_TRUE(references.is_hopeless(400));
  EXPECT_TRUE(references.is_hopeless(1600));
}

}  // namespace
}  // namespace pbtune
