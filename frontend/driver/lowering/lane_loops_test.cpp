// SPDX-License-Identifier: MIT
// Which loops of bodies may run in lanes, and who decides their order. The tests lie beside the front end, which makes
// the programs.
#include "choicegraph/plan/lane_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "choicegraph/passes/build_plan.h"
#include "clgen/lower/lower.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// The regions of each loop in lanes of a body with `double s, t; int k;` that reads `a`, `b`, and `v` (of int), and
/// may store to `c`, `d`, and `w` (of int). Of maps, those that must share no memory stand in brackets.
std::string lanes_of(const std::string& body) {
  const auto planned = planned_text(
      "main transform T from A[n,m], B[n], int V[n] to S, int P, C[n,m], D[n], int W[n]\n{\n"
      "  to (S s, P k, C c, D d, W w) from (A a, B b, V v) {\n    double t = 0; s = 0; k = 0;\n" +
      body + "\n  }\n}\n");
  if (!planned) return "has errors";
  std::string out;
  const Rule& rule = planned->program.transforms[TransformId(0)].rules[RuleId(0)];
  for (const LaneLoop& loop : find_lane_loops(rule, planned->only().computations.at(0), ElementType::Double)) {
    out += out.empty() ? "" : "; ";
    for (const std::string& region : loop.regions) out += (out.empty() || out.ends_with("; ") ? "" : " ") + region;
    for (const std::string& region : loop.apart.stored)
      out += (&region == &loop.apart.stored.front() ? " [" : " ") + region;
    for (const std::string& region : loop.apart.read)
      out += (&region == &loop.apart.read.front() ? " | " : " ") + region;
    out += loop.is_map ? "]" : "";
    out += loop.rounds ? " rounds" : " exact";
  }
  return out;
}

struct Case {
  const char* body;
  const char* lanes;
};

class LaneLoops : public ::testing::TestWithParam<Case> {};

TEST_P(LaneLoops, SayWhichRegionsTheirRoundsReadSideBySide) {
  EXPECT_EQ(lanes_of(GetParam().body), GetParam().lanes) << GetParam().body;
}

constexpr Case kFit[] = {
    {"for (int i = 0; i < n; i++) s += b.cell(i);", "b rounds"},
    {"for (int i = 0; i <= n - 1; i++) s += b.cell(i) * a.cell(i, 0);", "b a rounds"},
    {"for (int i = 1; i < n; i++) s += (b.cell(i) - b.cell(i - 1)) * i;", "b rounds"},
    {"for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s += a.cell(x, y);", "a rounds"},
    {"for (int i = 0; i < n; i++) { double x = exp(b.cell(i)); s += x; t = max(t, x); }", "b rounds"},
    {"for (int i = 0; i < n; i++) t = max(t, b.cell(i));", "b exact"},
    {"for (int i = 0; i < n; i++) s += v.cell(i) > 0 ? 1.5 : 0.5;", "v rounds"},
    {"for (size_t i = 0; i < b.count(); i++) s *= b.cell(i);", "b rounds"},
    {"for (int i = 3; i <= 18; i++) s += b.cell(i);", "b rounds"},
};
INSTANTIATE_TEST_SUITE_P(Fit, LaneLoops, ::testing::ValuesIn(kFit));

constexpr Case kUnfit[] = {
    {"for (int i = 0; i < n; i++) k += v.cell(i);", ""},                         // compilers do that
    {"for (int i = n - 1; i >= 0; i--) s += b.cell(i);", ""},                    // it counts down
    {"for (int i = 0; i < n; i += 2) s += b.cell(i);", ""},                      // no neighbours
    {"for (int i = 0; i < m; i++) s += a.cell(0, i);", ""},                      // across the rows
    {"for (int i = 0; i < n; i++) s += b.cell(2 * i);", ""},                     // no neighbours
    {"for (int i = 0; i < n; i++) s += b.cell(n - 1 - i);", ""},                 // backwards
    {"for (int i = 0; i < n; i++) s += b.cell(v.cell(i));", ""},                 // computed places
    {"for (int i = 0; i < n; i++) s += i > 0 ? b.cell(i - 1) : 0;", ""},         // a cell that may not exist
    {"for (int i = 0; i < n; i++) t = b.cell(i) > t ? b.cell(i) : t + 0;", ""},  // no fold
    {"for (int i = 0; i < n; i++) t = max(b.cell(i), t);", ""},                  // takes a NaN
    {"for (int i = 0; i < n; i++) { if (b.cell(i) > 0) s += b.cell(i); }", ""},  // control flow
    {"for (long i = 0; i < n; i++) s += b.cell(i) * i;", ""},                    // indices of packs are ints
    {"for (double x : b) s += x;", ""},                                          // its text does not count
    {"for (int i = 3; i < 18; i++) s += b.cell(i);", ""},                        // fewer rounds than two packs
    {"for (int i = 0; i < n; i++) s += 1.5;", ""},                               // reads nothing
};
INSTANTIATE_TEST_SUITE_P(Unfit, LaneLoops, ::testing::ValuesIn(kUnfit));

constexpr Case kMaps[] = {
    {"for (int i = 0; i < n; i++) d.cell(i) = exp(b.cell(i)) * 2;", "d b [d | b] exact"},
    {"for (int i = 0; i < n; i++) d.cell(i) /= log(d.cell(i));", "d [d] exact"},
    {"for (int i = 0; i < n; i++) { d.cell(i) = exp(b.cell(i)); t += d.cell(i); }", "d b [d | b] rounds"},
    {"for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) c.cell(x, y) = sin(a.cell(x, y) * b.cell(0));",
     "c a [c | a b] exact"},
    {"for (int i = 0; i < n; i++) { d.cell(i) = i; c.cell(i, 1) = exp(d.cell(i)); }", "d c [d c] exact"},
};
INSTANTIATE_TEST_SUITE_P(Maps, LaneLoops, ::testing::ValuesIn(kMaps));

constexpr Case kNoMaps[] = {
    {"for (int i = 0; i < n; i++) d.cell(0) = b.cell(i);", ""},                             // the same cell
    {"for (int i = 1; i < n; i++) d.cell(i) = d.cell(i - 1) + b.cell(i);", ""},             // a scan
    {"for (int i = 1; i < n; i++) { d.cell(i) = 1; d.cell(i - 1) = 2; }", ""},              // a cell of two rounds
    {"for (int i = 0; i < m; i++) c.cell(0, i) = b.cell(i);", ""},                          // across the rows
    {"for (int i = 0; i < n; i++) d.cell(v.cell(i)) = b.cell(i);", ""},                     // computed places
    {"for (int i = 0; i < n; i++) w.cell(i) = v.cell(i) + 1;", ""},                         // compilers do that
    {"for (int i = 0; i < n; i++) d.cell(i) += 2 * b.cell(i);", ""},                        // compilers do that
    {"for (int i = 0; i < n; i++) d.cell(i) = sqrt(b.cell(i)) * exp(b.cell(0));", ""},      // compilers do that
    {"for (int i = 0; i < n; i++) { d.cell(i) = b.cell(i); t = max(t, b.cell(i)); }", ""},  // may run twice
    {"for (int i = 0; i < n; i++) { d.cell(i) = b.cell(i); s += b.cell(i); }", ""},         // `s` may be one of them
    {"for (int i = 0; i < n; i++) { d.cell(i) = t; t = b.cell(i); }", ""},                  // carried by `t`
    {"for (int i = 0; i < n; i++) if (b.cell(i) > 0) d.cell(i) = 0;", ""},                  // control flow
};
INSTANTIATE_TEST_SUITE_P(NoMaps, LaneLoops, ::testing::ValuesIn(kNoMaps));

std::vector<std::string> orders(const Plan& plan) {
  std::vector<std::string> out;
  for (const PlanTunable& tunable : plan.transforms.front().tunables)
    if (tunable.role == TunableRole::FoldOrder)
      out.push_back(tunable.name + " " + std::to_string(static_cast<int>(tunable.initial.front())));
  return out;
}

std::size_t num_lanes(const PlannedProgram& planned, const Plan& plan) {
  return lower(planned.program, plan, PackUse::WherePossible).transforms.front().lanes[RuleId(0)].size();
}

TEST(FoldOrders, AreAChoiceUnlessFpIsStrict) {
  const PlannedProgram planned = planned_text(
                                     "main transform T from A[n] to R[2] {\n"
                                     "  to (R r) from (A a) {\n    double s = 0, t = 0;\n"
                                     "    for (int i = 0; i < n; i++) s += a.cell(i);\n"
                                     "    for (int i = 0; i < n; i++) t = max(t, a.cell(i));\n"
                                     "    r.cell(0) = s; r.cell(1) = t;\n  }\n}\n")
                                     .value();
  const auto plan_with = [&](FoldOrders orders) {
    Diagnostics diags;
    return build_plan(planned.program, diags, {.fold_orders = orders});
  };
  EXPECT_EQ(orders(planned.plan), std::vector<std::string>{"R#1.cpu.fold_order 0"});
  EXPECT_EQ(num_lanes(planned, planned.plan), 2U);
  EXPECT_EQ(orders(plan_with(FoldOrders::AnyFirst)), std::vector<std::string>{"R#1.cpu.fold_order 1"});
  const Plan plan = plan_with(FoldOrders::Source);
  EXPECT_TRUE(orders(plan).empty());
  EXPECT_EQ(num_lanes(planned, plan), 1U);  // the largest is the same in any order
}

TEST(FoldOrders, InstancesOfPartsOfAWholeInputHaveOne) {
  const PlannedProgram planned =
      planned_text(
          "main transform T from A[n] to B[4] {\n  B.cell(p) from (A a) {\n    const int end = n * (p + 1) / 4;\n"
          "    double s = 0; for (int i = n * p / 4; i < end; i++) s += a.cell(i); return s; } }\n")
          .value();
  EXPECT_EQ(orders(planned.plan), std::vector<std::string>{"B#1.cpu.fold_order 0"});
}

TEST(FoldOrders, InstancesSideBySideNeedNone) {
  const PlannedProgram planned = planned_text(
                                     "main transform T from A[n+9] to B[n] { B.cell(x) from (A.region(x, x+9) a) {\n"
                                     "  double s = 0; for (int i = 0; i < 9; i++) s += a.cell(i); return s; } }\n")
                                     .value();
  EXPECT_TRUE(orders(planned.plan).empty());
}

}  // namespace
}  // namespace pb::testing
