// SPDX-License-Identifier: MIT
// Several cases as one objective.
#include "autotuner/trials/joint_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pbtune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kLastN = 1000;

Outcome of(Sample times_ns, OutcomeKind kind = OutcomeKind::Ok) {
  Outcome out;
  out.kind = kind;
  out.times_ns = std::move(times_ns);
  return out;
}

/// Two cases, which say what the test sets, and note what they were asked.
struct JointEvaluatorTest : ::testing::Test {
  JointEvaluatorTest() {
    std::vector<CaseEvaluator> cases;
    for (std::size_t k = 0; k < 2; ++k) {
      CaseEvaluator one;
      one.name = k == 0 ? "K = 3" : "K = 11";
      one.has_sizes = k == 0 || has_sizes;
      one.prepare = [this, k](const PrepareSpec&) { return prepared[k]; };
      one.run = [this, k](const Configuration&, const RunSpec& spec) {
        limits_ms[k] = spec.limit_ms;
        return outcomes[k];
      };
      one.renew = [this, k](const Configuration&) { return prepared[k]; };
      cases.push_back(std::move(one));
    }
    joint.emplace(std::move(cases), kLastN, true);
  }
  [[nodiscard]] Outcome run(double limit_ms = 0) { return joint->run({}, {1, limit_ms, ""}); }

  bool has_sizes = false;
  std::vector<Prepared> prepared{{PrepareStatus::Ready, 1e6, ""}, {PrepareStatus::Ready, 100e6, ""}};
  std::vector<Outcome> outcomes{of({1e6, 4e6}), of({100e6, 100e6})};
  std::vector<double> limits_ms = std::vector<double>(2, -1);
  std::optional<JointEvaluator> joint;
};

TEST_F(JointEvaluatorTest, TheTimeIsTheGeometricMeanAndThoseOfTheCasesAreKept) {
  EXPECT_DOUBLE_EQ(joint->prepare({kLastN}).reference_ns, 10e6);
  const Outcome outcome = run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Ok);
  ASSERT_EQ(outcome.times_ns.size(), 2U);
  EXPECT_NEAR(outcome.times_ns[0], 10e6, 1);
  EXPECT_NEAR(outcome.times_ns[1], 20e6, 1);
  EXPECT_THAT(outcome.case_times_ns, ElementsAre(Sample{1e6, 4e6}, Sample{100e6, 100e6}));
}

TEST_F(JointEvaluatorTest, FilesTakePartAtTheLastSizeAlone) {
  EXPECT_DOUBLE_EQ(joint->prepare({10}).reference_ns, 1e6);
  const Outcome outcome = run();
  EXPECT_THAT(outcome.times_ns, ElementsAre(1e6, 4e6));
  EXPECT_THAT(outcome.case_times_ns, ElementsAre(Sample{1e6, 4e6}, IsEmpty()));
}

TEST_F(JointEvaluatorTest, ACaseWithoutInputsIsLeftOutBelowTheLastSizeAndNamedThere) {
  prepared[0] = {PrepareStatus::Skipped, 0, "size h is -2"};
  EXPECT_EQ(joint->prepare({10}).status, PrepareStatus::Skipped) << "no case is left";
  const Prepared last = joint->prepare({kLastN});
  EXPECT_EQ(last.status, PrepareStatus::Skipped);
  EXPECT_EQ(last.message, "case `K = 3`: size h is -2");
}

TEST_F(JointEvaluatorTest, ACaseThatFailsSpeaksForAll) {
  ASSERT_EQ(joint->prepare({kLastN}).status, PrepareStatus::Ready);
  outcomes[1] = of({}, OutcomeKind::Crashed);
  outcomes[1].message = "killed";
  const Outcome outcome = run();
  EXPECT_EQ(outcome.kind, OutcomeKind::Crashed);
  EXPECT_EQ(outcome.message, "case `K = 11`: killed");
  EXPECT_THAT(outcome.ran, IsEmpty()) << "what ran in the other case is not cleared of the crash";
}

TEST_F(JointEvaluatorTest, TheWorstAccuracyCounts) {
  ASSERT_EQ(joint->prepare({kLastN}).status, PrepareStatus::Ready);
  outcomes[0].accuracy = 0.9;
  outcomes[1].accuracy = 0.5;
  outcomes[1].kind = OutcomeKind::AccuracyMissed;
  const Outcome outcome = run();
  EXPECT_EQ(outcome.kind, OutcomeKind::AccuracyMissed);
  EXPECT_DOUBLE_EQ(outcome.accuracy, 0.5);
  EXPECT_EQ(outcome.times_ns.size(), 2U) << "its times count";
}

TEST_F(JointEvaluatorTest, ACaseIsCutOffWhereTheMeanCannotBeWithinTheLimit) {
  ASSERT_EQ(joint->prepare({kLastN}).status, PrepareStatus::Ready);
  (void)run(40);
  // At 40 ms the product is 1600 ms²; the other case takes 100 ms at the least, then 1 ms.
  EXPECT_NEAR(limits_ms[0], 16, 1e-6);
  EXPECT_NEAR(limits_ms[1], 1600, 1e-6);
  outcomes[0] = of({50e6}, OutcomeKind::TimedOut);
  const Outcome outcome = run(40);
  EXPECT_EQ(outcome.kind, OutcomeKind::TimedOut);
  EXPECT_NEAR(outcome.times_ns[0], 70.71e6, 1e4) << "the mean with the least time of the other case";
}

TEST(JointEvaluatorOfOneCase, ChangesNothing) {
  CaseEvaluator one;
  one.prepare = [](const PrepareSpec&) { return Prepared{PrepareStatus::TooSlow, 0, "too slow"}; };
  one.run = [](const Configuration&, const RunSpec& spec) { return of({spec.limit_ms}, OutcomeKind::Wrong); };
  JointEvaluator joint({one}, kLastN, true);
  EXPECT_EQ(joint.prepare({10}).message, "too slow");
  EXPECT_EQ(joint.prepare({10}).status, PrepareStatus::TooSlow);
  one.prepare = [](const PrepareSpec&) { return Prepared{PrepareStatus::Ready, 3, ""}; };
  JointEvaluator ready({one}, kLastN, true);
  EXPECT_EQ(ready.prepare({10}).reference_ns, 3);
  EXPECT_THAT(ready.run({}, {1, 77, ""}).times_ns, ElementsAre(77));
  EXPECT_THAT(ready.run({}, {1, 77, ""}).case_times_ns, IsEmpty());
}

}  // namespace
}  // namespace pbtune
