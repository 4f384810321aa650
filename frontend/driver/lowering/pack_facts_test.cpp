// SPDX-License-Identifier: MIT
// What packs know of a rule: how its accesses move, and which of its values differ between the instances of a pack.
// The tests lie beside the front end, which makes the programs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "clgen/lower/analysis/lane_accesses.h"
#include "clgen/lower/analysis/repeated_reads.h"
#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/analysis/varying_values.h"
#include "clgen/lower/loops/counted_loops.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

/// Rule 0 of the program, and what packs know of it; none if they cannot follow its accesses.
struct Packs {
  PlannedProgram planned;
  std::optional<PackFacts> facts;

  [[nodiscard]] const Rule& rule() const { return planned.transform().rules[RuleId(0)]; }
};

Packs packs_of(const std::string& text, bool all_exist = true) {
  Packs packs{planned_text(text).value(), {}};
  for (const Step& step : packs.planned.only().steps)
    if (step.rule == RuleId(0)) packs.facts = find_lane_accesses(packs.rule(), step, all_exist);
  return packs;
}

TEST(LaneAccesses, TellWhatMovesAlongTheRowAndWhatStays) {
  const Packs packs = packs_of(
      "main transform Scale from A[n,m], F[m] to B[n,m] {\n"
      "  B.cell(x,y) from (A.cell(x,y) a, F.cell(y) f) { return a * f; }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_EQ(packs.facts->lane_var, "x");
  EXPECT_EQ(packs.facts->row_var, "y");
  EXPECT_EQ(packs.facts->outputs, (std::vector<LaneAccess>{{true, -1}}));
  EXPECT_EQ(packs.facts->inputs, (std::vector<LaneAccess>{{true, -1}, {false, -1}}));
  EXPECT_FALSE(packs.facts->is_tall);
}

TEST(LaneAccesses, PacksOfRowsThatReadCellsInCommonAreTall) {
  const Packs packs = packs_of(
      "main transform Blur from A[n,m+1] to B[n,m] {\n"
      "  B.cell(x,y) from (A.cell(x,y) a, A.cell(x,y+1) b) { return a + b; }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_TRUE(packs.facts->is_tall);
  EXPECT_EQ(packs.facts->outputs, (std::vector<LaneAccess>{{true, 1}}));
  EXPECT_EQ(packs.facts->inputs, (std::vector<LaneAccess>{{true, 1}, {true, 1}}));
}

TEST(LaneAccesses, NeitherStridesNorCellsAcrossTheRowAreFollowed) {
  EXPECT_FALSE(
      packs_of("main transform Even from A[2*n] to B[n] { B.cell(x) from (A.cell(2*x) a) { return a; } }\n").facts);
  EXPECT_FALSE(
      packs_of("main transform Turn from A[m,n] to B[n,m] { B.cell(x,y) from (A.cell(y,x) a) { return a; } }\n").facts);
}

TEST(LaneAccesses, EachInstanceMayHaveARowOfItsOwn) {
  const Packs packs = packs_of(
      "main transform Products from A[d,n], B[d,m] to C[n,m] {\n"
      "  C.cell(x,y) from (A.row(x) a, B.row(y) b) { return a.cell(0) * b.cell(0); }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_TRUE(packs.facts->has_own_rows());
  EXPECT_FALSE(packs.facts->is_tall);
  EXPECT_EQ(packs.facts->inputs, (std::vector<LaneAccess>{{false, -1, true}, {}}));
  EXPECT_FALSE(packs_of("main transform Every2nd from A[d,2*n] to B[n] {\n"
                        "  B.cell(x) from (A.row(2*x) a) { return a.cell(0); }\n"
                        "}\n")
                   .facts);
  EXPECT_FALSE(
      packs_of("main transform Columns from A[d,n] to B[n,d] {\n"
               "  to (B.column(x) b) from (A.row(x) a) { for (int i = 0; i < d; i++) b.cell(i) = a.cell(i); }\n"
               "}\n")
          .facts);
}

/// Whether the rule of a transform from `a`, a row of d cells, with this body reads cells of the row again and again.
bool reads_row_again(const std::string& body) {
  return reads_again(packs_of("main transform T from A[d,n] to B[n] {\n"
                              "  B.cell(i) from (A.row(i) a) { ElementT s = 0; " +
                              body + " return s; }\n}\n")
                         .rule(),
                     0);
}

TEST(RepeatedReads, AreThoseOfLoopsThatDoNotMoveThem) {
  EXPECT_TRUE(reads_row_again("for (int j = 0; j < 9; j++) for (int c = 0; c < d; c++) s += j * a.cell(c);"));
  EXPECT_TRUE(reads_row_again("for (int j = 0; j < 9; j++) s += a.cell(0) / j;"));
  EXPECT_TRUE(reads_row_again("while (s < 9) s += 1 + fabs(a.cell(d - 1));"));
  EXPECT_FALSE(reads_row_again("s = a.cell(0) + a.cell(1);"));
  EXPECT_FALSE(reads_row_again("for (int c = 0; c < d; c++) s += a.cell(c) * a.cell(d - 1 - c);"));
  EXPECT_FALSE(reads_row_again("for (int j = 0; j < d / 4; j++) for (int c = 0; c < 4; c++) s += a.cell(4 * j + c);"));
  EXPECT_FALSE(reads_row_again("for (int j = 0; j < d / 2; j++) { int at = 2 * j; s += a.cell(at); }"));
}

TEST(LaneAccesses, CellsThatMayBeMissingAreFollowedWhereAllExist) {
  const std::string text =
      "main transform Sum from A[n] to B[n] {\n"
      "  B.cell(x) from (A.cell(x) a, A.cell(x-1) left = OPTIONAL) { return IS_MISSING(left) ? a : a + left; }\n"
      "}\n";
  EXPECT_TRUE(packs_of(text, true).facts);
  EXPECT_FALSE(packs_of(text, false).facts);
}

/// Names of the variables in the body that differ between instances.
std::set<std::string> varying_names(Packs& packs) {
  std::set<std::string> names;
  mark_varying_values(packs.rule(), *packs.facts);
  const Body& body = packs.rule().body;
  for (std::size_t i = 0; i < body.exprs.size(); ++i)
    if (const auto* name = std::get_if<NameExpr>(&body.exprs[ExprId(static_cast<std::uint32_t>(i))].node);
        name != nullptr && packs.facts->is_varying[i])
      names.insert(name->text);
  return names;
}

TEST(VaryingValues, FollowWhatIsAssigned) {
  Packs packs = packs_of(
      "main transform Follow from A[n], F[1] to B[n] {\n"
      "  B.cell(x) from (A.cell(x) a, F.cell(0) f) {\n"
      "    double same = 2 * f, other = a + f;\n"
      "    return same + other;\n"
      "  }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_EQ(varying_names(packs), (std::set<std::string>{"a", "other"}));
}

TEST(VaryingValues, GoRoundALoop) {
  Packs packs = packs_of(
      "main transform Round from A[n] to B[n] {\n"
      "  B.cell(x) from (A.cell(x) a) {\n"
      "    double first = 0, second = 0;\n"
      "    for (int i = 0; i < 3; i++) { first = second; second = a + i; }\n"
      "    return first;\n"
      "  }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_EQ(varying_names(packs), (std::set<std::string>{"a", "first", "second"}));
}

TEST(VaryingValues, AreWhatALoopChangesThatEndsByInstance) {
  Packs packs = packs_of(
      "main transform Ends from A[n] to B[n] {\n"
      "  B.cell(x) from (A.cell(x) a) {\n"
      "    double before = 0;\n"
      "    int k = 0, rounds = 9;\n"
      "    while (k < rounds && a > k) { k++; before += 2; }\n"
      "    return before;\n"
      "  }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_EQ(varying_names(packs), (std::set<std::string>{"a", "before", "k"}));
}

/// Whether a body that has the number `a` and the row `r` runs on packs.
bool has_packs(const std::string& body) {
  const Packs packs =
      packs_of("main transform Ends from A[n], R[m] to B[n] { B.cell(x) from (A.cell(x) a, R r) { " + body + " } }\n");
  for (const Step& step : packs.planned.only().steps)
    if (step.rule == RuleId(0)) return find_pack_facts(packs.rule(), step, ElementType::Double).has_value();
  return false;
}

TEST(MaskedStmts, AreBranchesAndLoopsWithJumps) {
  EXPECT_TRUE(has_packs("double v = a; for (int k = 0; k < 9; k++) { if (v < k) break; v /= 2; } return v;"));
  EXPECT_TRUE(has_packs(
      "int v = int(a), n = 0; do { if ((v & 1) != 0) v = 3 * v + 1; else v /= 2; --n; } while (v != 1); return n;"));
  EXPECT_TRUE(
      has_packs("double v = 0; for (int k = 0; k < m; k++) { double d = a - r.cell(k); if (d > v) v = d; } return v;"));
  EXPECT_FALSE(has_packs("double v = 0; for (int k = 0; k < m; k++) { if (a > k) v += r.cell(k); } return v;"));
  EXPECT_FALSE(has_packs("double v = 0; for (int k = 0; k < m; k++) { if (a < k) break; v += r.cell(k); } return v;"));
}

TEST(MaskedLoops, DoNothingThatHarmsWhereInstancesHaveEnded) {
  EXPECT_TRUE(has_packs("double v = a; while (v > 1) v = v / 2 + 0.25; return v;"));
  EXPECT_FALSE(has_packs("double v = a; int k = 0; while (v > 1) { v -= r.cell(k); k++; } return v;"));
  EXPECT_FALSE(has_packs("int v = int(a), k = 1; while (v > 1) { v = v / k; k++; } return v;"));
  EXPECT_FALSE(has_packs("double v = a; int k = 0; while (v > 1) v -= k++; return v;"));
  EXPECT_FALSE(has_packs("double v = a; while (v > r.cell(int(v))) v -= 1; return v;"));
  EXPECT_FALSE(has_packs("double v = a; while (v > 1) { if (v > 5) return 1; v /= 2; } return v;"));
}

TEST(VaryingValues, ThePlaceOfTheInstanceDiffersAndATestForMissingCellsDoesNot) {
  Packs packs = packs_of(
      "main transform Place from A[n] to B[n] {\n"
      "  B.cell(x) from (A.cell(x) a, A.cell(x-1) left = OPTIONAL) { return IS_MISSING(left) ? 0 : x; }\n"
      "}\n");
  ASSERT_TRUE(packs.facts);
  EXPECT_EQ(varying_names(packs), (std::set<std::string>{"left", "x"}));
  const Body& body = packs.rule().body;
  int num_tests = 0;
  for (std::size_t i = 0; i < body.exprs.size(); ++i)
    if (const ExprId id(static_cast<std::uint32_t>(i)); is_missing_test(packs.rule(), id)) {
      ++num_tests;
      EXPECT_FALSE(packs.facts->is_varying[i]);
    }
  EXPECT_EQ(num_tests, 1);
}

/// Calls `visit` with the rule that has this body, and `a`, a row of numbers.
template <class Visit>
void with_body(const std::string& body, Visit visit) {
  const PlannedProgram planned =
      planned_text("main transform Sum from A[n,m] to B[m] { B.cell(y) from (A.row(y) a) { " + body + " } }\n").value();
  visit(planned.transform().rules[RuleId(0)]);
}

std::vector<std::string> variables_of(const std::vector<CountedLoop>& loops) {
  std::vector<std::string> out;
  for (const CountedLoop& loop : loops) out.push_back(loop.var);
  return out;
}

/// The variables of the counted loops in a body.
std::vector<std::string> counted_in(const std::string& body) {
  std::vector<std::string> out;
  with_body(body, [&](const Rule& rule) { out = variables_of(find_counted_loops(rule, {})); });
  return out;
}

/// The variables of the loops in a body that packs unroll as a whole.
std::vector<std::string> constant_in(const std::string& body) {
  std::vector<std::string> out;
  with_body("double v[9] = {}; " + body + " return v[0];",
            [&](const Rule& rule) { out = variables_of(find_constant_loops(rule)); });
  return out;
}

TEST(CountedLoops, ChangeNeitherTheirVariableNorTheirEnd) {
  using Names = std::vector<std::string>;
  const std::string sum = "double s = 0; ", end = " return s;";
  EXPECT_EQ(counted_in(sum + "for (int i = 0; i < n; i++) s += a.cell(i);" + end), Names{"i"});
  EXPECT_EQ(counted_in(sum + "for (int i = 1; i < n - 1; i += 1) s += a.cell(i);" + end), Names{"i"});
  EXPECT_EQ(counted_in(sum + "for (int i = 0; i < n; i++) { s += a.cell(i); i = i + 1; }" + end), Names{});
  EXPECT_EQ(counted_in(sum + "int k = n; for (int i = 0; i < k; i++) { s += a.cell(i); k = k - 1; }" + end), Names{});
  EXPECT_EQ(counted_in(sum + "for (int i = 0; i < n; i += 2) s += a.cell(i);" + end), Names{});
  EXPECT_EQ(counted_in(sum + "for (int i = 0; i < n; i++) { if (a.cell(i) < 0) break; s += a.cell(i); }" + end),
            Names{});
  EXPECT_EQ(counted_in(sum + "for (int i = 0; i < n - i; i++) s += a.cell(i);" + end), Names{});
  EXPECT_EQ(counted_in(sum + "const int i = 5; for (int i = 0; i < n - i; i++) s += a.cell(i);" + end), Names{});
}

TEST(CountedLoops, CompareNumbersAsCppDoes) {
  using Names = std::vector<std::string>;
  const auto counted = [](const std::string& head) {
    return counted_in("double s = 0; uchar few = 9; int k = n - 5; for (" + head + "; i++) s += a.cell(0); return s;");
  };
  EXPECT_EQ(counted("int i = -1; i < 5u"), Names{});
  EXPECT_EQ(counted("int i = k; i < 5u"), Names{});
  EXPECT_EQ(counted("short i = 65535; i < 5u"), Names{});
  EXPECT_EQ(counted("int i = 1; i < n - 5u"), Names{"i"});
  EXPECT_EQ(counted("int i = -1; i < few"), Names{"i"});
  EXPECT_EQ(counted("unsigned i = 0; i < k"), Names{});
  EXPECT_EQ(counted("unsigned i = 0; i < n - 5"), Names{});
  EXPECT_EQ(counted("unsigned i = 0; i < few"), Names{"i"});
  EXPECT_EQ(counted("unsigned int i = 0; i < 2 * n + 1"), Names{"i"});
  EXPECT_EQ(counted("unsigned char i = 0; i < k"), Names{"i"});
}

TEST(CountedLoops, OfANestAreTheInnermost) {
  EXPECT_EQ(counted_in("double s = 0; for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) s += a.cell(i);"
                       " return s;"),
            std::vector<std::string>{"k"});
}

TEST(ConstantLoops, HaveRoundsThatCppCounts) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(constant_in("for (int i = -1; i < 5u; i++) v[i + 1] = 1;"), Names{});
  EXPECT_EQ(constant_in("for (int i = -1; i < 5; i++) v[i + 1] = 1;"), Names{"i"});
  EXPECT_EQ(constant_in("for (int i = 1; i <= 5u; i++) v[i + 1] = 1;"), Names{"i"});
  EXPECT_EQ(constant_in("for (unsigned i = 0; i < 5; i++) v[i] = 1;"), Names{"i"});
  EXPECT_EQ(constant_in("for (uchar i = -1; i < 5; i++) v[i] = 1;"), Names{});
  EXPECT_EQ(constant_in("for (short i = 0; i < -70000; i++) v[i] = 1;"), Names{});
}

TEST(ConstantLoops, HaveKnownRoundsInTheWholeNest) {
  using Names = std::vector<std::string>;
  const std::string inner = "for (int k = i + 1; k < 9; k++) v[k] = v[i];";
  EXPECT_EQ(constant_in("for (int i = 0; i <= 4; i++) " + inner), (Names{"i", "k"}));
  EXPECT_EQ(constant_in("for (int i = 0; i < 2 * 4; i++) { v[i] = 1; " + inner + " }"), (Names{"i", "k"}));
  EXPECT_EQ(constant_in("for (int i = 0; i < n; i++) for (int k = 0; k < 9; k++) v[k] = 1;"), Names{"k"});
  EXPECT_EQ(constant_in("for (int i = 0; i < n; i++) " + inner), Names{});
  EXPECT_EQ(constant_in("for (int i = 0; i < 3; i++) { v[i] = 1; for (int k = 0; k < n; k++) v[i] += 1; }"), Names{});
}

TEST(ConstantLoops, HaveFewRoundsAndNoJumps) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) for (int k = 0; k < 9; k++) v[i] = v[k];"), Names{"k"});
  EXPECT_EQ(constant_in("for (int i = 0; i < 2000000000; i++) v[i] = 1;"), Names{});
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) { if (v[i] > 0) break; v[i] = 1; }"), Names{});
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) { v[i] = 1; i = i + 1; }"), Names{});
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) { int k = 0; { double i = 2; v[k] = i; } v[i] = 1; }"), Names{});
}

TEST(ConstantLoops, IndexArrays) {
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) v[0] += 1;"), std::vector<std::string>{});
  EXPECT_EQ(constant_in("for (int i = 0; i < 9; i++) v[0] += a.cell(i);"), std::vector<std::string>{});
}

}  // namespace
}  // namespace pb::testing
