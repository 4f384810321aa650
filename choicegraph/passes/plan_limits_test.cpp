// SPDX-License-Identifier: MIT
// Plans of transforms that are too complex. Each must end with one message, without a crash, in bounded time.
#include <gtest/gtest.h>

#include "choicegraph/passes/build_plan.h"
#include "choicegraph/testing/planned_transform.h"
#include "frontend/infer_regions/infer_regions.h"

namespace pb {
namespace {

using testing::TestTransform;

TEST(Plan, GivesUpOnWhatIsTooComplexWithOneMessage) {
  Program program = TestTransform()
                        .from("A[n,m]")
                        .to("T[n,m]")
                        .rule({"T.cell(i,0)"}, {}, 0)
                        .rule({"T.cell(i,j)"}, {"T.cell(i-1,j)", "T.cell(i,j-1)"})
                        .rule({"T.cell(i,j)"}, {"A"}, 2)
                        .program();
  Diagnostics before;
  ASSERT_TRUE(infer_regions(program, before));
  for (std::uint64_t max_operations = 1; max_operations < 4000; max_operations += 1 + max_operations / 8) {
    Diagnostics diags;
    static_cast<void>(build_plan(program, diags, {.max_operations = max_operations}));
    ASSERT_EQ(diags.all().size(), 1U) << max_operations;
    EXPECT_EQ(diags.all().front().kind, DiagKind::RegionsTooComplex);
  }
  Diagnostics after;
  EXPECT_GT(build_plan(program, after).transforms.front().steps.size(), 2U);
  EXPECT_FALSE(after.has_errors());
}

TEST(Plan, MayTakeMoreWorkForMoreRules) {
  const auto is_planned = [](int num_copies, std::uint64_t max_operations) {
    TestTransform transform;
    transform.from("A[n,m]");
    for (int i = 0; i < num_copies; ++i) {
      const std::string t = "T" + std::to_string(i);
      transform.to(t + "[n,m]");
      transform.rule({t + ".cell(i,0)"}, {}, 0)
          .rule({t + ".cell(i,j)"}, {t + ".cell(i-1,j)"})
          .rule({t + ".cell(i,j)"}, {"A"}, 2);
    }
    Program program = transform.program();
    Diagnostics diags;
    return infer_regions(program, diags) &&
           !build_plan(program, diags, {.max_operations = max_operations}).transforms.front().steps.empty();
  };
  std::uint64_t enough = 1;
  while (!is_planned(1, enough)) enough *= 2;
  EXPECT_TRUE(is_planned(8, 3 * enough));
}

TEST(Plan, GivesUpInEveryPassWithoutACrashOrGrowth) {
  // Rules whose instances write many segments of two matrices; cells that no rule covers.
  Program many = TestTransform()
                     .from("IN[n,m]")
                     .to("OUT[n,m]")
                     .to("P[n,m]")
                     .rule({"OUT", "P.cell(3*i,j)"}, {"P.cell(i-1,m-1-j)", "P.cell(n-1,j+2)"}, 0)
                     .rule({"OUT.cell(n/2,j)", "P.cell(i,i)"}, {})
                     .rule({"P.cell(i,n-1-i)", "OUT.cell(n-1-i,m-1-j)"}, {"IN.cell(i-1,j)", "IN.cell(i+2,j+1)"})
                     .rule({"P.cell(2*i+j,j)"}, {"IN"})
                     .rule({"P.cell(2*i+j+1,j)"}, {"IN"})
                     .rule({"OUT.cell(i,j)"}, {"IN.cell(i,j)"}, 2)
                     .rule({"P.cell(i,j)"}, {"IN.cell(i,j)"})
                     .program();
  Program uncovered = TestTransform()
                          .from("A[n,m,n*m]")
                          .to("C[n*m,n*m,n*m]")
                          .rule({"C.cell(n,m-1-j,i)"}, {"A.cell(i,j,n)", "C.cell(n,n,n)"})
                          .program();
  for (Program* program : {&many, &uncovered}) {
    Diagnostics before;
    ASSERT_TRUE(infer_regions(*program, before));
    for (std::uint64_t max_operations = 1; max_operations < 600'000; max_operations += 1 + max_operations) {
      Diagnostics diags;
      static_cast<void>(build_plan(*program, diags, {.max_operations = max_operations}));
      EXPECT_TRUE(diags.has(DiagKind::RegionsTooComplex) || diags.has(DiagKind::UncoveredOutput)) << max_operations;
    }
  }
}

}  // namespace
}  // namespace pb
