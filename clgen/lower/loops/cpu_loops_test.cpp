// SPDX-License-Identifier: MIT
// Runs the lowered loops of random headers and compares them with the instances of their steps. The seed is printed;
// PB_SEED and PB_CASES choose another run.
#include "clgen/lower/loops/cpu_loops.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <random>
#include <string>

#include "base/test_number.h"
#include "choicegraph/testing/planned_transform.h"
#include "choicegraph/testing/random_header.h"
#include "clgen/testing/run_all_loops.h"
#include "clgen/testing/run_loops.h"

namespace pb::testing {
namespace {

TEST(LoweredLoops, OfRandomHeadersRunEachInstanceOnce) {
  const std::uint64_t seed = number_from("PB_SEED", 20261123);
  const std::uint64_t cases = number_from("PB_CASES", 80);
  std::printf("PB_SEED=%llu PB_CASES=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(cases));
  std::mt19937_64 random(seed);
  LoopRuns runs;
  for (std::uint64_t number = 0; number < cases; ++number) {
    const RandomHeader header = random_header(random);
    const PlannedTransform planned(header.transform);
    if (planned.diags.has_errors()) continue;
    run_all_loops(planned.program, planned.only(), 24, random, runs);
    ASSERT_EQ(runs.fault, "") << header.text << "\ncase " << number;
  }
  for (const auto& [form, count] : runs.forms) std::printf("%s %d\n", form.c_str(), count);
  EXPECT_GT(runs.num_runs, cases);
  if (cases < 80) return;  // too few cases to have all forms
  for (const char* form : {"inside", "bounds", "row blocks", "vector", "packs", "slices"})
    EXPECT_GT(runs.forms[form], 0) << form;
}

/// A transform of one step, and the box of its cells where n is 7 and m is 5.
struct OneStep {
  TestTransform transform;
  Point extent;
};
OneStep across_rows() {
  return {TestTransform().from("IN[n,m]").to("OUT[m,n]").rule({"OUT.cell(x,y)"}, {"IN.cell(y,x)"}), {5, 7}};
}
OneStep along_rows() {
  return {TestTransform().from("IN[n,m]").to("OUT[n,m]").rule({"OUT.cell(x,y)"}, {"IN.cell(x,y)"}), {7, 5}};
}

/// Runs the step after `change` was applied to each node of its tree. Returns what is wrong, or an empty text.
std::string run_changed(const OneStep& one, const std::function<void(TreeNode&)>& change) {
  const PlannedTransform planned(one.transform);
  const TransformPlan& plan = planned.only();
  const Step& step = plan.steps[StepId(0)];
  const RuleShape rule(planned.program, plan, step.rule, true);
  TreeBlock loops = lower_cpu_loops(rule, step).plain;
  const auto visit = [&](const auto& self, TreeBlock& block) -> void {
    for (TreeNode& node : block) {
      change(node);
      if (auto* loop = std::get_if<TreeLoop>(&node.node)) self(self, loop->body);
    }
  };
  visit(visit, loops);
  return run_loops(rule, step, loops, {{"n", 7}, {"m", 5}}, {0, 0}, one.extent, 2);
}

TEST(LoweredLoops, AcrossRowsRunInStrips) {
  int strips = 0;
  EXPECT_EQ(
      run_changed(across_rows(), [&](TreeNode& node) { strips += std::holds_alternative<Strips>(node.node) ? 1 : 0; }),
      "");
  EXPECT_EQ(strips, 1);
}

TEST(LoweredLoops, WithFaultsAreFoundWrong) {
  EXPECT_EQ(run_changed(along_rows(), [](TreeNode&) {}), "");
  const auto begins_too_late = [](TreeNode& node) {
    if (auto* loop = std::get_if<TreeLoop>(&node.node)) loop->lo = index_add(loop->lo, index_const(1));
  };
  EXPECT_NE(run_changed(along_rows(), begins_too_late), "");
  const auto ends_too_early = [](TreeNode& node) {
    if (auto* blocks = std::get_if<RowBlocks>(&node.node)) blocks->hi = index_sub(blocks->hi, index_const(1));
  };
  EXPECT_NE(run_changed(along_rows(), ends_too_early), "");
  const auto runs_twice = [](TreeNode& node) {
    if (auto* strips = std::get_if<Strips>(&node.node)) strips->body.push_back(strips->body.front());
  };
  EXPECT_NE(run_changed(across_rows(), runs_twice), "");
}

}  // namespace
}  // namespace pb::testing
