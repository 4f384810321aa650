// SPDX-License-Identifier: MIT
// The lowered program as a whole, and what its verification finds. The tests lie beside the front end, which makes the
// programs.
#include "clgen/lower/lower.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <variant>

#include "clgen/lower/verify_tree.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

constexpr const char* kScale =
    "main transform Scale from A[n,m] to B[n,m] { B.cell(x,y) from (A.cell(x,y) a) { return 2 * a; } }\n";
constexpr const char* kExp =
    "main transform Exp from A[n] to B[n] { B.cell(x) from (A.cell(x) a) { return exp(a) + (a > 0 ? a : 0); } }\n";
constexpr const char* kSums =
    "main transform Sums from A[n] to B[n] {\n"
    "  B.cell(0) from (A.cell(0) a) { return a; }\n"
    "  B.cell(i) from (A.cell(i) a, B.cell(i-1) before) { return a + before; }\n"
    "}\n";

TEST(Lower, StepsRunOnPacksWhereTheyMay) {
  const PlannedProgram planned = planned_text(kExp).value();
  const LoweredProgram fast = lower(planned.program, planned.plan, PackUse::WherePossible);
  const LoweredProgram checked = lower(planned.program, planned.plan, PackUse::None);
  const auto packs_of = [](const LoweredProgram& lowered) {
    return lowered.transforms.front().steps[StepId(0)].loops.packed;
  };
  EXPECT_NE(packs_of(fast), TreeBlock());
  EXPECT_EQ(packs_of(checked), TreeBlock());
  EXPECT_EQ(fast.has_kernels, checked.has_kernels);
  EXPECT_EQ(fast.transforms.front().schedule, checked.transforms.front().schedule);
}

TEST(Lower, EachDeviceVersionHasAKernelTheBasicOneFirst) {
  const PlannedProgram planned = planned_text(
                                     "main transform Blur from A[n+2] to B[n] { B.cell(x) from (A.region(x, x+3) a) {\n"
                                     "  return a.cell(0) + a.cell(1) + a.cell(2); } }\n")
                                     .value();
  const LoweredProgram lowered = lower(planned.program, planned.plan, PackUse::WherePossible);
  const auto& kernels = lowered.transforms.front().steps[StepId(0)].kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].tree.version, Version::OpenCl);
  EXPECT_EQ(kernels[1].tree.version, Version::OpenClLocal);
}

TEST(Lower, ProgramsWithoutKernelsAnnounceNothing) {
  const PlannedProgram planned = planned_text(kSums).value();
  const LoweredProgram lowered = lower(planned.program, planned.plan, PackUse::WherePossible);
  for (const LoweredStep& step : lowered.transforms.front().steps) EXPECT_EQ(step.care, HostCare::Step);
}

/// The most rounds of a loop from `first` to `last` in each of p parts of A, as its kernel says it.
std::int64_t rounds_in(const std::string& first, const std::string& last, const std::string& more = "") {
  const PlannedProgram planned =
      planned_text("main transform Parts from A[n] to B[m] { B.cell(p) from (A a) { double s = 0; for (int i = " +
                   first + "; i < " + last + "; i++) s += a.cell(i); " + more + " return s; } }\n")
          .value();
  const LoweredProgram lowered = lower(planned.program, planned.plan, PackUse::WherePossible);
  return lowered.transforms.front().steps[StepId(0)].kernels.front().tree.most_rounds;
}

TEST(Lower, KernelsSayHowManyRoundsAFoldHasAtMost) {
  EXPECT_EQ(rounds_in("8 * p", "min(n, 8 * (p + 1))"), 8);
  EXPECT_EQ(rounds_in("p", "min(p + 5, n)"), 5);
  EXPECT_EQ(rounds_in("p + 9", "p + 5"), 0);
  EXPECT_EQ(rounds_in("p", "n - 1"), 0) << "not known";
  EXPECT_EQ(rounds_in("0", "n"), 0) << "a size says it";
  EXPECT_EQ(rounds_in("0", "16", "for (int i = 0; i < n; i++) s += a.cell(i);"), 0) << "another loop is longer";
}

/// The fault that verification finds in the loops of Scale after `change`.
std::string fault_after(const std::function<void(TreeBlock&)>& change) {
  const PlannedProgram planned = planned_text(kScale).value();
  const LoweredProgram lowered = lower(planned.program, planned.plan, PackUse::None);
  TreeBlock loops = lowered.transforms.front().steps[StepId(0)].loops.plain;
  change(loops);
  return verify(planned.only().steps[StepId(0)], loops);
}

TreeLoop& outer_loop(TreeBlock& loops) { return std::get<TreeLoop>(loops.front().node); }

TEST(VerifyLoops, SoundLoopsHaveNoFault) {
  EXPECT_EQ(fault_after([](TreeBlock&) {}), "");
}

TEST(VerifyLoops, AVariableHasOneLoop) {
  EXPECT_EQ(fault_after([](TreeBlock& loops) {
              TreeLoop again = outer_loop(loops);
              again.body = std::exchange(loops, {});
              loops.push_back({std::move(again)});
            }),
            "`y` is the variable of two loops");
}

TEST(VerifyLoops, InstancesStandInsideOfAllLoops) {
  EXPECT_EQ(fault_after([](TreeBlock& loops) {
              TreeBlock inner = std::move(outer_loop(loops).body);
              loops = std::move(inner);
            }),
            "an instance stands outside of the loop over `y`");
}

TEST(VerifyLoops, BoundsNameWhatIsKnown) {
  EXPECT_EQ(fault_after([](TreeBlock& loops) { outer_loop(loops).hi = index_symbol("x"); }),
            "the loop over `y` names `x`, which is not known there");
}

TEST(VerifyLoops, LoopsOfKernelsAndBarriersAreForKernels) {
  EXPECT_EQ(fault_after([](TreeBlock& loops) { outer_loop(loops).role = LoopRole::Item; }),
            "the loop over `y` is one of a kernel");
  EXPECT_EQ(fault_after([](TreeBlock& loops) { loops.push_back({Barrier{}}); }), "loops of CPUs have no barriers");
}

TEST(VerifyLoops, AResultIsStoredOnceAfterItWasComputed) {
  const auto with = [](const std::vector<TreeNode>& nodes) {
    return fault_after(
        [&](TreeBlock& loops) { std::get<RowBlocks>(outer_loop(loops).body.front().node).body = nodes; });
  };
  const TreeNode computed{ComputeResult{RuleId(0), 0}};
  const TreeNode stored{StoreResult{RuleId(0), 0}};
  EXPECT_EQ(with({computed, stored}), "");
  EXPECT_EQ(with({stored, computed}), "a result is stored once after it was computed");
  EXPECT_EQ(with({computed, stored, stored}), "a result is stored once after it was computed");
  EXPECT_EQ(with({computed}), "each result is stored");
}

}  // namespace
}  // namespace pb::testing
