// SPDX-License-Identifier: MIT
// Lowered loops of programs, whose rules have bodies: those of the conformance corpus at random sizes, and faults that
// must be found. The seed is printed; PB_SEED chooses another run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/fused_loops.h"
#include "clgen/testing/run_all_loops.h"
#include "clgen/testing/run_loops.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(PB_CORPUS))
    if (entry.path().extension() == ".pbcc") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(LoweredLoops, OfTheCorpusRunEachInstanceOnce) {
  const char* text = std::getenv("PB_SEED");
  const std::uint64_t seed = text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : 20261123;
  std::printf("PB_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  LoopRuns runs;
  std::size_t num_programs = 0;
  for (const std::string& path : corpus()) {
    const auto planned = planned_file(path);
    if (!planned) continue;
    ++num_programs;
    for (const TransformPlan& plan : planned->plan.transforms) {
      run_all_loops(planned->program, plan, 9, random, runs);
      ASSERT_EQ(runs.fault, "") << path;
    }
  }
  std::printf("%zu programs, %zu runs\n", num_programs, runs.num_runs);
  for (const auto& [form, count] : runs.forms) std::printf("%s %d\n", form.c_str(), count);
  EXPECT_GT(num_programs, 250U);
  EXPECT_GT(runs.num_runs, 3000U);
  for (const char* form :
       {"repeating packs", "tall packs", "inside box", "strips", "decreasing", "let", "fused", "tiles", "slices"})
    EXPECT_GT(runs.forms[form], 0) << form;
}

/// Red, green and blue beside each other, each by a rule of its own, as one loop after `change` of its body; what is
/// wrong, or nothing.
std::string run_colours(const std::function<void(TreeBlock&)>& change) {
  const auto planned = planned_text(
      "main transform Colours from A[n] to B[3*n] {\n"
      "  B.cell(3*x) from (A.cell(x) a) { return a; }\n"
      "  B.cell(3*y+1) from (A.cell(y) a) { return 2 * a; }\n"
      "  B.cell(3*x+2) from (A.cell(x) a) { return 3 * a; }\n"
      "}\n");
  if (!planned || planned->only().fused.size() != 1) return "the steps are not one loop";
  const TransformPlan& plan = planned->only();
  std::vector<RuleShape> rules;
  for (const StepId id : plan.fused[0]) rules.emplace_back(planned->program, plan, plan.steps[id].rule, true);
  TreeBlock loops = fused_loops({&rules[0], &rules[1], &rules[2]}, plan, plan.fused[0]);
  change(std::get<TreeLoop>(loops[0].node).body);
  return run_fused(rules[0], plan, plan.fused[0], loops, {{"n", 7}}, {0}, {7});
}

TEST(LoweredLoops, OfFusedStepsComputeAllValuesBeforeTheyStoreOne) {
  EXPECT_EQ(run_colours([](TreeBlock&) {}), "");
  EXPECT_NE(run_colours([](TreeBlock& body) { std::swap(body[body.size() - 1], body[body.size() - 4]); }), "");
  EXPECT_NE(run_colours([](TreeBlock& body) { body.pop_back(); }), "");
}

/// A stencil on packs after `change` of its tree; what is wrong, or nothing.
std::string run_packs(const std::function<void(InsideBox&)>& change) {
  const auto planned = planned_text(
      "main transform Stencil from A[n,m] to B[n,m] {\n"
      "  B.cell(x,y) from (A.cell(x-1,y) a = 0.5, A.cell(x,y+1) b = clamp) { return a + b; }\n"
      "}\n");
  if (!planned) return "the program has errors";
  const TransformPlan& plan = planned->only();
  const Step& step = plan.steps[StepId(0)];
  const RuleShape rule(planned->program, plan, step.rule, true);
  const auto facts = find_pack_facts(rule.rule, step, rule.element, true);
  if (!facts) return "the step has no packs";
  TreeBlock loops = packed_loops(rule, step, *facts, lower_cpu_loops(rule, step).plain);
  change(std::get<InsideBox>(loops[0].node));
  return run_loops(rule, step, loops, {{"n", 7}, {"m", 5}}, {0, 0}, {7, 5}, 2);
}

Packs& packs_of(InsideBox& box) { return std::get<Packs>(box.inside[0].node); }

TEST(LoweredLoops, OnPacksRunInTheBoxInWhichAllCellsLieInside) {
  EXPECT_EQ(run_packs([](InsideBox&) {}), "");
  EXPECT_EQ(run_packs([](InsideBox& box) { packs_of(box).may_repeat = Condition::never(); }), "");
  EXPECT_NE(run_packs([](InsideBox& box) { box.first[0].clear(); }), "");
  EXPECT_NE(run_packs([](InsideBox& box) { box.end[1].clear(); }), "");
  EXPECT_NE(run_packs([](InsideBox& box) { box.outside.clear(); }), "");
  EXPECT_NE(run_packs([](InsideBox& box) { packs_of(box).lane_hi = index_sub(packs_of(box).lane_hi, index_const(1)); }),
            "");
}

}  // namespace
}  // namespace pb::testing
