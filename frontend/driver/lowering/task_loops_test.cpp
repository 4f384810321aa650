// SPDX-License-Identifier: MIT
// Which folds and maps of bodies tasks may divide, and the tunable that says how. The tests lie beside the front end,
// which makes the programs.
#include "choicegraph/plan/task_loops.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "choicegraph/passes/build_plan.h"
#include "clgen/lower/lower.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// The folds that tasks may divide of a body with `double s, t; int k, p;` that reads `a`, `b`, and `v` (of int).
std::string divided_in(const std::string& body) {
  const auto planned = planned_text(
      "main transform T from A[n,m], B[n], int V[n] to S, int P, C[2], D[n,m]\n{\n"
      "  to (S s, P k, C c, D d) from (A a, B b, V v) {\n    double t = 0; int p = 0; s = 0; k = 0;\n" +
      body + "\n  }\n}\n");
  if (!planned) return "has errors";
  std::string out;
  const Computation& computation = planned->only().computations.at(0);
  for (const TaskLoop& each :
       find_task_loops(planned->program.transforms[TransformId(0)].rules[RuleId(0)], computation))
    out += (out.empty() ? "" : "; ") + computation.loop_of(each.loop).var + (each.has_loops ? " loops" : "") +
           (each.bins.empty() ? "" : " bins") + (each.num_running > 0 ? " places" : "") +
           (each.is_rounded ? " rounds" : " exact");
  return out;
}

TEST(TaskLoops, AreTheOutermostThatFit) {
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) s += b.cell(i);"), "i rounds");
  EXPECT_EQ(divided_in("for (int i = 1; n - 1 >= i; ++i) t = max(t, b.cell(i));"), "i exact");
  EXPECT_EQ(divided_in("for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) s += a.cell(x, y);"), "y loops rounds");
  EXPECT_EQ(divided_in("for (int y = 0; y < 3; y++) for (int x = 0; x < n; x++) s += a.cell(x, y);"), "x rounds");
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) if (b.cell(i) < t) { t = b.cell(i); p = i; }"), "i exact");
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) k += v.cell(i);\nfor (int i = 0; i < n; i++) s *= b.cell(i);"),
            "i exact; i rounds");
}

TEST(TaskLoops, AreMapsToo) {
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) d.cell(i, 0) = b.cell(i);"), "i exact");
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) { d.cell(i, 0) = b.cell(i); t += b.cell(i); }"), "i rounds");
  EXPECT_EQ(
      divided_in("for (int y = 0; y < m; y++) { t = 0; for (int x = 0; x < n; x++) d.cell(x, y) = a.cell(x, y); }"), "")
      << "the outer loop changes a variable, and the inner one runs again and again";
  EXPECT_EQ(divided_in("for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) d.cell(x, y) = a.cell(x, y);"),
            "y loops exact");
  EXPECT_EQ(divided_in("for (int y = 0; y < m; y++) { double u = 0; for (int x = 0; x < n; x++) u += a.cell(x, y); "
                       "d.cell(0, y) = u; }"),
            "y loops exact");
  EXPECT_EQ(divided_in("for (int i = 1; i < n; i++) d.cell(i, 0) = d.cell(i - 1, 0);"), "") << "it reads other rounds";
  EXPECT_EQ(divided_in("for (int y = 0; y < m; y++) for (int x = 1; x < n; x++) d.cell(x, y) = d.cell(x - 1, y);"),
            "y loops exact")
      << "rows are apart";
}

TEST(TaskLoops, AreThoseWithBinsToo) {
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) d.cell(v.cell(i), 0) += b.cell(i);"), "i bins rounds");
  EXPECT_EQ(
      divided_in("for (int i = 0; i < n; i++) { const int at = v.cell(i); if (b.cell(i) < d.cell(at, 1)) d.cell(at, "
                 "1) = b.cell(i); }"),
      "i bins exact");
  EXPECT_EQ(
      divided_in("for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) c.cell(a.cell(x, y) > 0 ? 1 : 0) += 1;"),
      "y loops bins rounds");
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) { c.cell(v.cell(i)) += 1; c.cell(0) -= b.cell(i); k += i; }"),
            "i bins rounds");
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) c.cell(c.count() - 1 - v.cell(i)) += 1;"), "i bins rounds");
  EXPECT_EQ(
      divided_in("for (int i = 0; i < n; i++) { d.cell(i, 0) = 2 * b.cell(i); c.cell(v.cell(i)) += d.cell(i, 0); }"),
      "i bins rounds")
      << "rounds also store and read cells of their own";
  EXPECT_EQ(
      divided_in("for (int i = 1; i < n; i++) { d.cell(i, 0) = b.cell(i); c.cell(v.cell(i)) += d.cell(i - 1, 0); }"),
      "")
      << "rounds read cells of others";
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) c.cell(v.cell(i)) = i;"), "") << "the last round wins";
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) { c.cell(v.cell(i)) += 1; c.cell(0) *= 2; }"), "")
      << "two operators";
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) { c.cell(v.cell(i)) += 1; s = c.cell(0); }"), "")
      << "it reads bins";
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) c.cell(int(c.cell(0))) += 1;"), "") << "a place depends on bins";
  EXPECT_EQ(
      divided_in("for (int i = 0; i < n; i++) if (b.cell(i) <= c.cell(v.cell(i))) c.cell(v.cell(i)) = b.cell(i);"), "")
      << "of equal ones the last";
}

TEST(TaskLoops, AreThoseWithRunningPlacesToo) {
  const std::string head = "int at = 0, two = 0; for (int i = 0; i < n; i++) ";
  EXPECT_EQ(divided_in(head + "if (b.cell(i) > 0) c.cell(at++) = b.cell(i);"), "i places exact");
  EXPECT_EQ(divided_in(head + "if (b.cell(i) > 0) { c.cell(at) = b.cell(i); d.cell(0, at++) = i; }"), "i places exact");
  EXPECT_EQ(
      divided_in(head + "{ c.cell(at++) = i; if (i % 2) continue; c.cell(at) = 1; c.cell(at + 1) = 2; at += 2; }"),
      "i places exact");
  EXPECT_EQ(divided_in(head + "if (b.cell(i) > 0) c.cell(at++) = i; else d.cell(two++, 0) = i;"), "i places exact");
  EXPECT_EQ(divided_in(head + "for (int k = 0; k < v.cell(i); k++) c.cell(at++) = i;"), "i loops places exact");
  EXPECT_EQ(divided_in(head + "if (b.cell(i) > 0) { c.cell(at++) = i; t += b.cell(i); }"), "i places rounds");
  EXPECT_EQ(divided_in(head + "{ d.cell(i, 0) = i; if (b.cell(i) > 0) c.cell(at++) = i; }"), "i places exact");
  EXPECT_EQ(divided_in(head + "{ c.cell(at) = i; if (b.cell(i) > 0) at++; }"), "") << "the last round wins";
  EXPECT_EQ(divided_in(head + "{ c.cell(at + 1) = i; at++; }"), "") << "the next round may store there";
  EXPECT_EQ(divided_in(head + "{ c.cell(at) = i; if (b.cell(i) > 0) continue; at++; }"), "") << "it may not be raised";
  EXPECT_EQ(divided_in(head + "c.cell(++at) = i;"), "") << "it is raised before";
  EXPECT_EQ(divided_in(head + "if (b.cell(i) > at) c.cell(at++) = i;"), "") << "a condition depends on it";
  EXPECT_EQ(divided_in(head + "{ c.cell(at++) = i; at--; }"), "") << "it is lowered";
  EXPECT_EQ(divided_in(head + "{ c.cell(at) = i; at += v.cell(i); }"), "") << "by how much it is raised is not known";
  EXPECT_EQ(divided_in(head + "{ c.cell(at++) = c.cell(0); }"), "") << "it reads what others store";
  EXPECT_EQ(divided_in(head + "{ c.cell(at++) = i; c.cell(two++) = i; }"), "") << "two places in one output";
}

TEST(TaskLoops, AreNoOthers) {
  EXPECT_EQ(divided_in("for (int i = n - 1; i >= 0; i--) s += b.cell(i);"), "");        // it counts down
  EXPECT_EQ(divided_in("for (int i = 0; i < 1000; i++) s += i;"), "");                  // it is short
  EXPECT_EQ(divided_in("for (size_t i = 0; i < b.count(); i++) s += b.cell(i);"), "");  // unsigned
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) c.cell(0) += b.cell(i);"), "");     // no variable
  EXPECT_EQ(divided_in("for (double x : b) s += x;"), "");                              // its text does not count
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) t = max(b.cell(i), t);"), "");      // takes a NaN
  EXPECT_EQ(divided_in("for (int i = 0; i < n; i++) if (b.cell(i) <= t) { t = b.cell(i); p = i; }"), "");  // the last
}

const PlanTunable* chunk_of(const Plan& plan) {
  for (const PlanTunable& tunable : plan.transforms.front().tunables)
    if (tunable.role == TunableRole::FoldChunk) return &tunable;
  return nullptr;
}

TEST(FoldChunks, AreATunableIfTheOrderIsOne) {
  const auto planned = planned_text(
                           "main transform T from A[n] to S { to (S s) from (A a) { s = 0; for (int i = 0; i < n; i++) "
                           "s += a.cell(i); } }\n")
                           .value();
  ASSERT_NE(chunk_of(planned.plan), nullptr);
  EXPECT_EQ(
      lower(planned.program, planned.plan, PackUse::WherePossible).transforms.front().task_loops[RuleId(0)].size(), 1U);
  EXPECT_TRUE(lower(planned.program, planned.plan, PackUse::None).transforms.front().task_loops[RuleId(0)].empty());
  Diagnostics diags;
  EXPECT_EQ(chunk_of(build_plan(planned.program, diags, {.fold_orders = FoldOrders::Source})), nullptr);
}

TEST(FoldChunks, AreATunableWhereAFoldIsExact) {
  const auto planned = planned_text(
                           "main transform T from A[n] to S { to (S s) from (A a) { s = 0;\n"
                           "  for (int i = 0; i < n; i++) s = max(s, a.cell(i)); } }\n")
                           .value();
  ASSERT_NE(chunk_of(planned.plan), nullptr);
}

TEST(FoldChunks, AreNotForRulesWithSeveralInstances) {
  const auto planned = planned_text(
                           "main transform T from A[n,m] to S[m] { S.cell(y) from (A.row(y) a) { double s = 0;\n"
                           "  for (int i = 0; i < n; i++) s += a.cell(i); return s; } }\n")
                           .value();
  EXPECT_EQ(chunk_of(planned.plan), nullptr);
}

}  // namespace
}  // namespace pb::testing
