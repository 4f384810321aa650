// SPDX-License-Identifier: MIT
// A program has the tunable of time tiles where a kernel makes several versions, and only there. The tests lie beside
// the front end, which makes the programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "clgen/lower/launches/version_launch.h"
#include "clgen/lower/lower.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A line of cells in versions. `border` is the rule of both ends, which the inside does not make.
std::string line_with(const std::string& border, const std::string& inside = "return (c.cell(0) + c.cell(2)) / 2;") {
  return "main transform Heat from A[n], Steps[k] to B[n] through T<0..k>[n] {\n"
         "  T<0>.cell(x) from (A.cell(x) a) { return a; }\n"
         "  T<t>.cell(x) from (T<t-1>.region(x-1, x+2) c) { " +
         inside + " }\n  secondary " + border + "\n  B.cell(x) from (T<k>.cell(x) c) { return c; }\n}\n";
}

bool has_tunable(const TransformPlan& plan) {
  return std::any_of(plan.tunables.begin(), plan.tunables.end(),
                     [](const PlanTunable& tunable) { return tunable.role == TunableRole::TimeTile; });
}

/// Expects that tunable, reason and kernel say the same. Returns the reason why there are no tiles.
std::string agreed_reason(const std::string& text) {
  const auto planned = planned_text(text);
  if (!planned) return "has errors";
  const TransformPlan& plan = planned->only();
  if (plan.two_versions.empty()) return "has no versions";
  const Nest* nest = nest_of_versions(plan, plan.two_versions.front());
  if (nest == nullptr) return "has no nest";
  const std::string why = why_no_time_tile(planned->program, plan, static_cast<std::size_t>(nest - plan.nests.data()));
  const LoweredProgram lowered = lower(planned->program, planned->plan, PackUse::WherePossible);
  const std::vector<VersionLaunch>& launches = lowered.transforms.front().versions;
  const bool has_tile = std::any_of(launches.begin(), launches.end(),
                                    [](const VersionLaunch& launch) { return launch.tile.has_value(); });
  EXPECT_EQ(has_tile, why.empty()) << why;
  EXPECT_EQ(has_tunable(plan), has_tile) << why;
  return why;
}

TEST(TimeTileTunables, AreThereWhereAKernelMakesSeveralVersions) {
  EXPECT_THAT(agreed_reason(line_with("T<t>.cell(x) from (T<t-1>.cell(x) c) { return c; }")), IsEmpty());
}

TEST(TimeTileTunables, AreDroppedWhereABorderHasALongBody) {
  EXPECT_THAT(agreed_reason(line_with("T<t>.cell(x) from (T<t-1>.cell(x) c, A a) { double s = c;\n"
                                      "  for (int i = 0; i < n; ++i) s = s / 2 + a.cell(i); return s; }")),
              HasSubstr("` has a longer body than borders may have"));
}

TEST(TimeTileTunables, StayWhereTheInsideHasALongBody) {
  EXPECT_THAT(agreed_reason(line_with("T<t>.cell(x) from (T<t-1>.cell(x) c, A.cell(x) a, A.cell(0) b) { return c; }",
                                      "double s = 0; for (int i = 0; i < n; ++i) s = s / 2 + c.cell(1); return s;")),
              IsEmpty())
      << "the inside is the main rule, though borders read more";
}

TEST(TimeTileTunables, AreDroppedWhereACellMayStayAsItWas) {
  EXPECT_THAT(agreed_reason(line_with("to (T<t>.cell(x) o) from (T<t-1>.cell(x) c) { if (c > 0) o = c; }")),
              HasSubstr("` may leave a cell as it was"));
}

TEST(TimeTileTunables, StayWhereTheInsideLoopsOverItsRegion) {
  EXPECT_THAT(agreed_reason(line_with("T<t>.cell(x) from (T<t-1>.cell(x) c) { return c; }",
                                      "double s = 0; for (int i = 0; i < c.width(); ++i) s += c.cell(i); return s;")),
              IsEmpty());
}

}  // namespace
}  // namespace pb::testing
