// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/rule_meter.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace pbrt {
namespace {

constexpr RuleDesc kRule{"T.Rule", "cpu"};
constexpr RuleDesc kOther{"T.Other", "cpu"};
constexpr std::int64_t kClockNs = 0;

/// The sums over all orders of magnitude.
std::map<const RuleDesc*, RuleMeasure> sums_of(RuleMeter& meter) {
  meter.settle_counters(nullptr);
  std::map<const RuleDesc*, RuleMeasure> sums;
  meter.for_each([&](const RuleDesc& rule, const RuleMeasure& measure) {
    RuleMeasure& sum = sums[&rule];
    sum.count += measure.count;
    sum.cells += measure.cells;
    sum.time_ns += measure.time_ns;
    sum.num_timed += measure.num_timed;
  });
  return sums;
}

/// Executions of a rule as scopes run them, by a clock of its own.
class Executions {
 public:
  explicit Executions(RuleMeter& meter) : meter_(meter) {}

  void run(const RuleDesc& rule, std::int64_t cells, std::int64_t duration_ns) {
    time_ns_ += duration_ns;
    RuleCounter& counter = meter_.counters().of(rule);
    if (counter.rule == &rule && counter.cells == cells && --counter.num_left >= 0) return;
    if (meter_.begin(rule, cells, 1, nullptr))
      num_reported_ += 1 + meter_.end(rule, cells, duration_ns, 0, time_ns_).num;
  }
  [[nodiscard]] std::int64_t num_reported() const { return num_reported_; }

 private:
  RuleMeter& meter_;
  std::int64_t time_ns_ = 1'000'000'000;
  std::int64_t num_reported_ = 0;
};

TEST(RuleMeter, TimesWhatRunsRarely) {
  RuleMeter meter(kClockNs);
  Executions executions(meter);
  for (int i = 0; i < 1000; ++i) executions.run(kRule, 10, 20'000);
  const RuleMeasure sum = sums_of(meter)[&kRule];
  EXPECT_EQ(sum.count, 1000);
  EXPECT_EQ(sum.num_timed, 1000);
  EXPECT_EQ(sum.cells, 10'000);
  EXPECT_EQ(sum.time_ns, 20'000'000);
}

TEST(RuleMeter, CountsWhatRunsOftenAndEstimatesItsTime) {
  RuleMeter meter(kClockNs);
  Executions executions(meter);
  for (int i = 0; i < 100'000; ++i) executions.run(kRule, 3, 100);
  const RuleMeasure sum = sums_of(meter)[&kRule];
  EXPECT_EQ(sum.count, 100'000);
  EXPECT_EQ(sum.cells, 300'000);
  EXPECT_EQ(sum.time_ns, 10'000'000);
  EXPECT_GE(sum.num_timed, 100) << "the savings of the beginning";
  EXPECT_LT(sum.num_timed, 1500) << "one in 16 microseconds";
  EXPECT_LE(executions.num_reported(), 100'000);
  EXPECT_GT(executions.num_reported(), 98'000) << "the others come with the next timed one";
}

TEST(RuleMeter, TellsRulesAndSizesApart) {
  RuleMeter meter(kClockNs);
  Executions executions(meter);
  for (int i = 0; i < 20; ++i) {
    executions.run(kRule, 1, 1000);
    executions.run(kRule, 1 << 20, 50'000);
    executions.run(kOther, 1, 3000);
  }
  int num_sizes = 0;
  meter.settle_counters(nullptr);
  meter.for_each([&](const RuleDesc& rule, const RuleMeasure& measure) {
    if (&rule == &kOther) return;
    ++num_sizes;
    EXPECT_EQ(measure.time_ns, measure.cells == 20 ? 20'000 : 1'000'000);
  });
  EXPECT_EQ(num_sizes, 2);
  EXPECT_EQ(sums_of(meter)[&kOther].time_ns, 60'000);
}

TEST(RuleMeter, FindsEachOfManyRules) {
  RuleMeter meter(kClockNs);
  Executions executions(meter);
  std::array<RuleDesc, 100> rules;
  for (RuleDesc& rule : rules) executions.run(rule, 1 + (&rule - rules.data()), 20'000);
  std::map<const RuleDesc*, RuleMeasure> sums = sums_of(meter);
  ASSERT_EQ(sums.size(), rules.size());
  for (const RuleDesc& rule : rules) EXPECT_EQ(sums[&rule].cells, 1 + (&rule - rules.data()));
}

TEST(RuleMeter, ForgetsWhatItCounted) {
  RuleMeter meter(kClockNs);
  Executions executions(meter);
  for (int i = 0; i < 1000; ++i) executions.run(kRule, 1, 10);
  meter.forget();
  EXPECT_TRUE(sums_of(meter).empty());
}

}  // namespace
}  // namespace pbrt
