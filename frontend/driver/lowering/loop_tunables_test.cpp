// SPDX-License-Identifier: MIT
// Which forms of loops a configuration may change, and that what it says is in the lowered form. The tests lie beside
// the front end, which makes the programs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/loop_forms.h"
#include "choicegraph/passes/fix_choices.h"
#include "clgen/emit_lowered.h"
#include "clgen/lower/loops/list_loop_tunables.h"
#include "clgen/lower/lower.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

constexpr const char* kTranspose =
    "main transform T from A[n,m] to B[m,n] { B.cell(x,y) from (A.cell(y,x) a) { return a; } }\n";
constexpr const char* kScale =
    "main transform T from A[n,m] to B[n,m] { B.cell(x,y) from (A.cell(x,y) a) { return 2 * a; } }\n";
constexpr const char* kFilter =
    "main transform T from A[n+3] to B[n] { B.cell(x) from (A.region(x, x+3) a) { double s = 0;\n"
    "  for (int i = 0; i < 3; i++) s += a.cell(i); return s; } }\n";
constexpr const char* kGather =
    "main transform T from V[n], C[n], X[m] to S[m] { S.cell(i) from (V v, C c, X x) { double s = 0;\n"
    "  for (int e = 0; e < n; e++) s += v.cell(e) * x.cell(c.cell(e)); return s; } }\n";
constexpr const char* kRows =
    "main transform T from A[d,n], C[d,k] to S[n] { S.cell(i) from (A.row(i) a, C c) { ElementT least = 9;\n"
    "  for (int j = 0; j < k; j++) { ElementT s = 0; for (int l = 0; l < d; l++) s += a.cell(l) * c.cell(l, j);\n"
    "  if (s < least) least = s; } return least; } }\n";

/// The names, values and ranges of the tunables of loops in a program's only transform.
std::string tunables_in(const std::string& text) {
  const auto planned = planned_text(text);
  if (!planned) return "has errors";
  std::string out;
  for (const PlanTunable& tunable : planned->only().tunables) {
    if (!is_of_loop_forms(tunable.role)) continue;
    const auto number = [](double value) { return std::to_string(static_cast<int>(value)); };
    out += (out.empty() ? "" : ", ") + tunable.name.substr(tunable.name.find('.')) + " " +
           number(tunable.initial.front()) + " in " + number(tunable.min) + ".." + number(tunable.max);
  }
  return out;
}

TEST(LoopTunables, BelongToTheFormsThatARuleHas) {
  EXPECT_EQ(tunables_in(kTranspose), ".cpu.strip 32 in 1..1024, .cpu.stores 1 in 0..2");
  EXPECT_EQ(tunables_in(kScale), ".cpu.stores 1 in 0..2, .cpu.row_block 1 in 0..2, .cpu.row_ahead 16 in 1..1024");
  EXPECT_EQ(tunables_in(kFilter), ".cpu.packs 1 in 0..1");
  EXPECT_EQ(tunables_in(kRows), ".cpu.packs 1 in 0..1");
  EXPECT_EQ(tunables_in(kGather), ".cpu.packs 1 in 0..1, .cpu.read_ahead 32 in 1..1024");
}

/// The names of the tunables by which groups of a device run blocks of rounds in a program's only rule.
std::string block_tunables_in(const std::string& op, bool may_regroup) {
  const auto planned = planned_text(
      "main transform T from A[k, m], B[n, k] to C[n, m] {\n"
      " C.cell(x, y) from (A.row(y) a, B.column(x) b) { double s = 0;\n"
      "  for (int i = 0; i < k; i++) " +
      op + "; return s; } }\n");
  if (!planned) return "has errors";
  Plan plan = planned->plan;
  std::erase_if(plan.transforms.front().tunables, [](const PlanTunable& tunable) {
    return is_of_loop_forms(tunable.role) || to_string(tunable.role) == std::string("matrix_units") ||
           std::string(to_string(tunable.role)).starts_with("block_");
  });
  plan = list_loop_tunables(planned->program, std::move(plan), {true, false, may_regroup});
  std::string out;
  for (const PlanTunable& tunable : plan.transforms.front().tunables)
    if (tunable.name.find(".block_") != std::string::npos) out += tunable.name.substr(tunable.name.rfind('_'));
  return out;
}

TEST(LoopTunables, LetGroupsDivideRoundsWhereAnotherOrderIsAllowed) {
  const std::string with_parts = "_items_rounds_stages_parts", without = "_items_rounds_stages";
  EXPECT_EQ(block_tunables_in("s += a.cell(i) * b.cell(i)", true), with_parts);
  EXPECT_EQ(block_tunables_in("s += a.cell(i) * b.cell(i)", false), without);
  EXPECT_EQ(block_tunables_in("s = max(s, a.cell(i) * b.cell(i))", false), with_parts) << "every order gives the same";
  EXPECT_EQ(block_tunables_in("s = s > a.cell(i) + b.cell(i) ? s : a.cell(i) + b.cell(i)", true), without);
}

TEST(LoopTunables, SayHowScansRun) {
  const auto scan_by = [](const std::string& value) {
    return tunables_in(
        "main transform T from A[n] to B[n] { B.cell(0) from (A.cell(0) a) { return a; }\n"
        "  B.cell(i) from (A.cell(i) a, B.cell(i-1) b) { return " +
        value + "; } }\n");
  };
  // By default what rounds keeps the order of the source.
  EXPECT_EQ(scan_by("b + a"), ".cpu.scan_chunk 0 in 0..16777216");
  EXPECT_EQ(scan_by("max(b, a)"), ".cpu.scan_chunk 8192 in 0..16777216");
}

TEST(LoopTunables, AreNotForFormsWithoutAChoice) {
  // Packs call vector functions, one instance alone has no loops, and some rules must run in order.
  EXPECT_EQ(
      tunables_in(
          "main transform T from A[n] to B[n] { B.cell(x) from (A.cell(x) a) { return exp(a) + (a > 0 ? a : 0); } "
          "}\n"),
      "");
  EXPECT_EQ(tunables_in("main transform T from A[n] to S { to (S s) from (A a) { s = 0;\n"
                        "  for (int i = 0; i < n; i++) s += a.cell(i); } }\n"),
            "");
  EXPECT_EQ(tunables_in("main transform T from A[n] to B[n] { B.cell(0) from (A.cell(0) a) { return a; }\n"
                        "  B.cell(i) from (A.cell(i) a, B.cell(i-1) b) { return a + b * b; } }\n"),
            "");
  // Several values, which are not stored past the caches.
  EXPECT_EQ(tunables_in("main transform T from A[n,m] to B[m,n], C[m,n] {\n"
                        "  to (B.cell(x,y) b, C.cell(x,y) c) from (A.cell(y,x) a) { b = a; c = -a; } }\n"),
            ".cpu.strip 32 in 1..1024");
}

/// The lowered form of a program whose tunables of loops have a value each, in their order; none: they are open.
std::string lowered_with(const std::string& text, const std::vector<double>& values) {
  const PlannedProgram planned = planned_text(text).value();
  FixedTransform fixed;
  std::size_t next = 0;
  for (std::size_t i = 0; i < planned.only().tunables.size() && next < values.size(); ++i)
    if (is_of_loop_forms(planned.only().tunables[i].role)) fixed.tunables[i] = {values[next++]};
  const Plan plan = fix_choices(planned.plan, planned.program, {fixed});
  return emit_lowered(planned.program, plan, lower(planned.program, plan, PackUse::WherePossible));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(LoopTunables, StandInTheLoweredForm) {
  const std::string transpose = lowered_with(kTranspose, {});
  EXPECT_TRUE(has(transpose, "strips of pb_strip_0 x inside of y")) << transpose;
  EXPECT_TRUE(has(transpose, "results past the caches as pb_stores_0 says")) << transpose;
  const std::string scale = lowered_with(kScale, {});
  EXPECT_TRUE(has(scale, ", as pb_row_block_0 says, pb_row_ahead_0 lines ahead B(")) << scale;
  EXPECT_TRUE(has(lowered_with(kFilter, {}), "packs T.B#1 cpu step 0 where pb_packs_0"));
  EXPECT_TRUE(has(lowered_with(kRows, {}), "packs T.S#1 cpu step 0 where pb_packs_0 != 0 and A.size(0) <= 64"));
  EXPECT_TRUE(has(lowered_with(kGather, {}), "its loop over e asks pb_read_ahead_0 lines ahead for v, c"));
}

TEST(LoopTunables, AreConstantsWhereAConfigurationIsCompiledIn) {
  const std::string transpose = lowered_with(kTranspose, {64, static_cast<double>(SizeRule::Always)});
  EXPECT_TRUE(has(transpose, "strips of 64 x inside of y")) << transpose;
  EXPECT_TRUE(has(transpose, "results past the caches always")) << transpose;
  const std::string scale =
      lowered_with(kScale, {static_cast<double>(SizeRule::Always), static_cast<double>(SizeRule::Never), 4});
  EXPECT_TRUE(has(scale, ", never, 4 lines ahead B(")) << scale;
  EXPECT_TRUE(has(scale, ", results past the caches always")) << scale;
  EXPECT_TRUE(has(lowered_with(kGather, {1, 8}), "asks 8 lines ahead for"));
  EXPECT_TRUE(has(lowered_with(kFilter, {1}), "packs T.B#1 cpu step 0\n"));
  EXPECT_FALSE(has(lowered_with(kFilter, {0}), "packs T.B#1"));
  EXPECT_TRUE(has(lowered_with(kRows, {1}), "packs T.S#1 cpu step 0 where A.size(0) <= 64"));
  EXPECT_FALSE(has(lowered_with(kRows, {0}), "packs T.S#1"));
}

}  // namespace
}  // namespace pb::testing
