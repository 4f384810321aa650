// SPDX-License-Identifier: MIT
// The units of which a schedule is made: conditions of steps, their pieces, the boxes that they write, and which of
// them join. The tests lie beside the front end, which makes the programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clgen/facts/initial_reads.h"
#include "clgen/lower/analysis/rule_shape.h"
#include "clgen/lower/analysis/written_boxes.h"
#include "clgen/lower/analysis/written_lines.h"
#include "clgen/lower/schedule/joint_steps.h"
#include "clgen/lower/schedule/step_conditions.h"
#include "clgen/lower/schedule/step_pieces.h"
#include "frontend/driver/testing/planned_program.h"

namespace pb::testing {
namespace {

constexpr const char* kPipe =
    "main transform Pipe from A[n] through T[n] to B[n] {\n"
    "  T.cell(x) from (A.cell(x) a) { return 2 * a; }\n"
    "  B.cell(x) from (T.cell(x) t) { return t + 1; }\n"
    "}\n";
/// Step 1 needs T and has one instance, on the CPU because of its loop. Step 2 is the other choice, without T.
constexpr const char* kPick =
    "main transform Pick from A[n] through T[n] to B[n] {\n"
    "  T.cell(x) from (A.cell(x) a) { return 2 * a; }\n"
    "  to (B b) from (T t) { int i = 0; while (i < 1) b.cell(i++) = t.cell(0); }\n"
    "  B.cell(x) from (A.cell(x) a) { return 2 * a + 1; }\n"
    "}\n";
/// Step 0 is the left border, step 1 the inside, step 2 the right border.
constexpr const char* kFrame =
    "main transform Frame from A[n,m] to B[n,m] {\n"
    "  B.cell(x,y) from (A.cell(x,y) a, A.cell(x-1,y) l, A.cell(x+1,y) r) { return a + l + r; }\n"
    "  secondary B.cell(x,y) from () { return 0; }\n"
    "}\n";
/// Step 0 is the first cell, step 1 all others, one after the other.
constexpr const char* kSums =
    "main transform Sums from A[n] to B[n] {\n"
    "  B.cell(0) from (A.cell(0) a) { return a; }\n"
    "  B.cell(i) from (A.cell(i) a, B.cell(i-1) before) { return a + before; }\n"
    "}\n";
/// Steps 0 and 1 are two borders, step 2 the inside, in tiles.
constexpr const char* kTable =
    "main transform Table from A[n,m] to B[n,m] {\n"
    "  B.cell(x,y) from (A.cell(x,y) a, B.cell(x-1,y) l, B.cell(x,y-1) u) { return max(max(l, u), a); }\n"
    "  secondary B.cell(x,y) from (A.cell(x,y) a) { return a; }\n"
    "}\n";
/// Step 1 makes a row of the row before; the cells of a row are independent.
constexpr const char* kSlices =
    "main transform Slices from A[n] to B[n,m] {\n"
    "  B.cell(x,0) from (A.cell(x) a) { return a; }\n"
    "  B.cell(x,t) from (B.row(t-1) r) { return r.cell(x) + r.cell(0); }\n"
    "}\n";
/// Step 0 is the first row, step 1 all others. Each instance writes a row.
constexpr const char* kRows =
    "main transform Rows from A[n,m] to B[n,m] {\n"
    "  to (B.row(y) b) from (A.row(y) a, A.row(y-1) u) { b.cell(0) = a.cell(0) + u.cell(0); }\n"
    "  secondary to (B.row(y) b) from (A.row(y) a) { b.cell(0) = a.cell(0); }\n"
    "}\n";

const StepId kFirst(0), kSecond(1), kThird(2);

/// The conditions of a program's steps.
struct Conditions {
  explicit Conditions(const char* text) : planned(planned_text(text).value()) {}
  Conditions(const Conditions&) = delete;

  [[nodiscard]] MatrixId matrix(const std::string& name) const {
    for (const MatrixId id : planned.transform().matrices.ids())
      if (planned.transform().matrices[id].name == name) return id;
    ADD_FAILURE() << "no matrix " << name;
    return {};
  }

  PlannedProgram planned;
  StepConditions of{planned.transform(), planned.only(), find_rule_shapes(planned.program, planned.only(), true)};
};

TEST(StepConditions, AStepRunsWhereItsSiteChoosesItAndItsGuardsHold) {
  const Conditions pick(kPick), sums(kSums), pipe(kPipe);
  EXPECT_EQ(pick.of.runs(kSecond), Condition::chosen(SiteId(1), 0));
  EXPECT_EQ(pick.of.runs(kThird),
            Condition::any_of({Condition::chosen(SiteId(1), 1), Condition::chosen(SiteId(1), 2)}));
  EXPECT_TRUE(pipe.of.runs(kFirst).is_always());
  EXPECT_EQ(sums.of.runs(kFirst), Condition::at_least_zero(index_sub(index_symbol("n"), index_const(1))));
  EXPECT_EQ(sums.of.all_run({kFirst, kSecond}), sums.of.runs(kFirst)) << "the second one always runs";
}

TEST(StepConditions, ADeviceIsTriedUnderItsChoicesOnly) {
  const Conditions pick(kPick), sums(kSums);
  EXPECT_EQ(pick.of.tries_device(kThird), Condition::chosen(SiteId(1), 2));
  EXPECT_TRUE(pick.of.tries_device(kSecond).is_never());
  EXPECT_TRUE(pick.of.has_device(kThird));
  EXPECT_FALSE(pick.of.has_device(kSecond));
  EXPECT_TRUE(pick.of.is_decided(SiteId(1)));
  EXPECT_TRUE(sums.of.has_device(kSecond)) << "one launch scans all lines";
  EXPECT_TRUE(sums.of.is_decided(SiteId(1)));
}

TEST(StepConditions, WhatNobodyReadsDoesNotRun) {
  const Conditions pick(kPick);
  ASSERT_EQ(pick.of.needs().size(), 1U);
  const NeedFlag& need = pick.of.needs().front();
  EXPECT_EQ(need.steps, std::vector<StepId>{kFirst});
  EXPECT_EQ(need.condition, pick.of.runs(kSecond));
  EXPECT_EQ(pick.of.runs(kFirst), Condition::named(need.name));
  EXPECT_TRUE(Conditions(kPipe).of.needs().empty()) << "the reader of T always runs";
}

TEST(StepConditions, AMatrixIsUsedWhereAStepThatRunsAccessesIt) {
  const Conditions pick(kPick);
  const Condition second = pick.of.runs(kSecond);
  EXPECT_EQ(pick.of.is_read(pick.matrix("T")), second);
  EXPECT_EQ(pick.of.is_used(pick.matrix("T")), Condition::any_of({pick.of.runs(kFirst), second}));
  EXPECT_EQ(pick.of.is_touched_whole(pick.matrix("T")), second);
  EXPECT_TRUE(pick.of.is_touched_whole(pick.matrix("A")).is_never()) << "all accesses are to cells";
  EXPECT_TRUE(pick.of.is_read(pick.matrix("B")).is_never());
}

TEST(StepConditions, ANestRunsUnlessALargerOneHoldsIt) {
  PlannedProgram planned = planned_text(kPick).value();
  TransformPlan& plan = planned.plan.transforms.front();
  const NestMember second{kSecond, {}, {}}, third{kThird, {}, {}};
  plan.nests = {{{}, {second, third}}, {{}, {third}}};
  const StepConditions conditions(planned.transform(), plan, find_rule_shapes(planned.program, plan, true));
  const auto flag_of = [](std::size_t nest) { return Condition::named("nest" + std::to_string(nest)); };
  EXPECT_EQ(conditions.nest_runs(0, flag_of), conditions.all_run({kSecond, kThird}));
  EXPECT_EQ(conditions.nest_runs(1, flag_of),
            Condition::all_of({conditions.runs(kThird), Condition::not_(Condition::named("nest0"))}));
  EXPECT_TRUE(conditions.is_needed(plan.nests.front()).is_always());
}

TEST(StepConditions, TemporariesStayOnTheDeviceUnlessAStepOnTheCpuFollows) {
  const Conditions pipe(kPipe), pick(kPick);
  const Condition on_cpu = Condition::not_(Condition::chosen(SiteId(1), 1));
  EXPECT_EQ(pipe.of.copy_out(kFirst), (CopyOutChoice{{{on_cpu, CopyOut::Must}}, CopyOut::Reused}));
  EXPECT_EQ(pipe.of.copy_out_of_part(kFirst), (CopyOutChoice{{{on_cpu, CopyOut::Eager}}, CopyOut::May}));
  EXPECT_EQ(pick.of.copy_out(kFirst), (CopyOutChoice{{{pick.of.runs(kSecond), CopyOut::Must}}, CopyOut::May}))
      << "its only reader runs on the CPU";
}

/// A step on the CPU follows that only passes T to a call, or also looks at a cell of it.
std::string passed_on(const std::string& statement) {
  return "main transform Twice from A[n] through T[n] to B[n] {\n"
         "  T.cell(i) from (A.cell(i) a) { return a + 1; }\n"
         "  to (B b) from (T t) { Halve(b, t); " +
         statement +
         " }\n"
         "}\n"
         "transform Halve from A[n] to B[n] { B.cell(i) from (A.cell(i) a) { return a / 2; } }\n";
}

TEST(StepConditions, WhatABodyOnlyPassesToCallsStaysOnTheDevice) {
  const std::string passes = passed_on(""), looks = passed_on("b.cell(0) += t.cell(1);");
  const std::string copies = passed_on("t.copyTo(b);"),
                    copies_part = passed_on("t.region(0, 1).copyTo(b.region(0, 1));");
  const Conditions passing(passes.c_str()), looking(looks.c_str());
  const Conditions copying(copies.c_str()), copying_part(copies_part.c_str());
  EXPECT_EQ(passing.of.copy_out(kFirst).otherwise, CopyOut::Reused);
  EXPECT_TRUE(passing.of.copy_out(kFirst).cases.empty());
  EXPECT_EQ(looking.of.copy_out(kFirst).otherwise, CopyOut::Must);
  EXPECT_EQ(copying.of.copy_out(kFirst).otherwise, CopyOut::Reused) << "a plain copy announces itself";
  EXPECT_EQ(copying_part.of.copy_out(kFirst).otherwise, CopyOut::Must);
}

TEST(InitialReads, APlainCopyReadsWhatItCopies) {
  const auto reads = [](const std::string& statements) {
    const std::string text =
        "main transform Twice from A[n] to B[n] { to (B b) from (A a) using (t[n]) { " + statements +
        " } }\ntransform Sum from A[n], T[n] to B[n] { B.cell(i) from (A.cell(i) a, T.cell(i) t) { return a + t; } }\n";
    const Conditions of(text.c_str());
    const Program& program = of.planned.program;
    return std::pair(is_read_initially(program, program.main, of.matrix("B")),
                     is_read_by_bodies(program, program.main, of.matrix("B")));
  };
  EXPECT_EQ(reads("b.copyTo(t); Sum(b, a, t);"), std::pair(true, true));
  EXPECT_EQ(reads("Sum(b, a, a);"), std::pair(false, false));
  EXPECT_EQ(reads("Sum(t, a, a); t.copyTo(b);"), std::pair(true, false)) << "the copy may be left out";
}

TEST(StepConditions, ResultsOfTheRunAreCopiedAtOnce) {
  const Conditions pipe(kPipe);
  EXPECT_EQ(pipe.of.copy_out(kSecond), CopyOutChoice());
  const CopyOutChoice whole = pipe.of.copy_out_of_whole(kSecond), part = pipe.of.copy_out_of_part(kSecond);
  ASSERT_EQ(whole.cases.size(), 1U);
  ASSERT_EQ(part.cases.size(), 1U);
  EXPECT_EQ(whole.cases[0].copy_out, CopyOut::Result);
  EXPECT_EQ(part.cases[0].copy_out, CopyOut::Eager);
  EXPECT_EQ(whole.cases[0].condition, part.cases[0].condition) << "the call is the run itself";
  EXPECT_EQ(whole.otherwise, CopyOut::May);
}

/// What a step is asked for with the shape of its rule.
struct StepOf {
  StepOf(const char* text, StepId step, bool has_kernels = true)
      : planned(planned_text(text).value()),
        id(step),
        rule(planned.program, plan(), plan().steps[step].rule, has_kernels) {}
  StepOf(const StepOf&) = delete;

  [[nodiscard]] const TransformPlan& plan() const { return planned.plan.transforms[planned.program.main.index()]; }
  [[nodiscard]] StepPieces pieces() const { return pieces_of(plan(), id); }
  [[nodiscard]] bool has_frame() const { return needs_frame(plan(), rule, id); }
  [[nodiscard]] std::vector<std::optional<BoxBounds>> boxes_of_output() const {
    return written_boxes(plan(), rule, plan().steps[id], rule.rule.outputs.front().matrix);
  }
  [[nodiscard]] std::vector<CellLine> lines() const { return written_lines(rule, plan().steps[id]); }
  [[nodiscard]] std::vector<CellLine> lines_read() const { return read_lines(rule, plan().steps[id]); }
  [[nodiscard]] std::vector<MatrixId> shared() const { return shared_inputs(rule, plan().steps[id]); }
  [[nodiscard]] bool is_by_instance() const { return writes_its_instances(plan(), rule, plan().steps[id]); }

  PlannedProgram planned;
  StepId id;
  RuleShape rule;
};

TEST(StepPieces, ParallelLoopsAreSplitAndNestsCutIntoTiles) {
  EXPECT_EQ(StepOf(kPipe, kFirst).pieces(), StepPieces::Split);
  EXPECT_EQ(StepOf(kPick, kSecond).pieces(), StepPieces::None) << "it has no loop";
  EXPECT_EQ(StepOf(kSums, kSecond).pieces(), StepPieces::None) << "its loop has an order";
  EXPECT_EQ(StepOf(kTable, kThird).pieces(), StepPieces::Tiles);
  EXPECT_EQ(StepOf(kSlices, kSecond).pieces(), StepPieces::Split) << "within a slice";
}

TEST(StepPieces, AStepWithTasksNeedsAFrame) {
  EXPECT_TRUE(StepOf(kPipe, kFirst).has_frame());
  EXPECT_TRUE(StepOf(kSums, kSecond).has_frame()) << "tasks may divide the scan";
  const StepOf squares(
      "main transform Squares from A[n] to B[n] {\n"
      "  B.cell(0) from (A.cell(0) a) { return a; }\n"
      "  B.cell(i) from (A.cell(i) a, B.cell(i-1) before) { return a + before * before; }\n"
      "}\n",
      kSecond);
  EXPECT_FALSE(squares.has_frame()) << "one instance after the other";
  const StepOf calls(
      "main transform Once from A[n] to B[n] { to (B b) from (A a) { Twice(b, a); } }\n"
      "transform Twice from A[n] to B[n] { B.cell(x) from (A.cell(x) a) { return 2 * a; } }\n",
      kFirst);
  EXPECT_EQ(calls.pieces(), StepPieces::None);
  EXPECT_TRUE(calls.has_frame()) << "the call may spawn";
}

TEST(WrittenBoxes, AreThoseOfTheSegments) {
  const IndexExpr n = index_symbol("n"), m = index_symbol("m"), zero = index_const(0), one = index_const(1);
  using Boxes = std::vector<std::optional<BoxBounds>>;
  EXPECT_EQ(StepOf(kPick, kSecond).boxes_of_output(), Boxes{std::nullopt}) << "all of B";
  EXPECT_EQ(StepOf(kSums, kSecond).boxes_of_output(), Boxes{(BoxBounds{{one, n}})});
  EXPECT_EQ(StepOf(kPipe, kFirst).boxes_of_output(), Boxes{(BoxBounds{{zero, n}})})
      << "all of T, but the device may write a part";
  EXPECT_EQ(StepOf(kRows, kSecond).boxes_of_output(), Boxes{(BoxBounds{{zero, n}, {one, m}})});
  const char* even =
      "main transform Even from A[n] to B[2*n] {\n"
      "  B.cell(2*x) from (A.cell(x) a) { return a; }\n"
      "  B.cell(2*x+1) from (A.cell(x) a) { return -a; }\n"
      "}\n";
  EXPECT_EQ(StepOf(even, kFirst).boxes_of_output(), Boxes{std::nullopt}) << "every second cell is no box";
}

TEST(WrittenBoxes, AStepWritesItsInstancesIfEachWritesItsOwnCell) {
  EXPECT_TRUE(StepOf(kSums, kSecond).is_by_instance());
  EXPECT_TRUE(StepOf(kFrame, kSecond).is_by_instance());
  EXPECT_FALSE(StepOf(kRows, kSecond).is_by_instance()) << "an instance writes a row";
}

TEST(WrittenLines, AreTheLengthsOfWhatEachInstanceWrites) {
  const StepOf rows(kRows, kSecond);
  const MatrixId b = rows.rule.rule.outputs.front().matrix;
  EXPECT_EQ(rows.lines(), (std::vector<CellLine>{{b, {{0, {}}}}})) << "all along the first dimension";
  EXPECT_TRUE(StepOf(kPipe, kFirst).lines().empty()) << "an instance writes a cell";
  const StepOf blocks(
      "main transform Blocks from A[n] to B[4*n] {\n"
      "  to (B.region(4*x, 4*x+4) b) from (A.cell(x) a) { for (int i = 0; i < 4; i++) b.cell(i) = a; }\n"
      "}\n",
      kFirst);
  ASSERT_EQ(blocks.lines().size(), 1U);
  EXPECT_EQ(blocks.lines()[0].extents, (std::vector<CellLine::Extent>{{std::nullopt, index_const(4)}}));
}

TEST(ReadLines, AreTheLengthsOfWhatEachInstanceMayReadInLoops) {
  const auto read = [](const std::string& input, const std::string& body) {
    const std::string text =
        "main transform Sums from A[n, m] to B[m] {\n  B.cell(p) from (" + input + " a) { " + body + " }\n}\n";
    return StepOf(text.c_str(), kFirst).lines_read();
  };
  const std::string loop = "ElementT s = 0; for (int i = 0; i < a.count(); i++) s += a.cell(i); return s;";
  ASSERT_EQ(read("A.row(p)", loop).size(), 1U);
  EXPECT_EQ(read("A.row(p)", loop)[0].extents, (std::vector<CellLine::Extent>{{0, {}}}))
      << "all along the first dimension";
  EXPECT_TRUE(read("A.row(p)", "return a.cell(0);").empty()) << "there is no loop";
  EXPECT_TRUE(read("A.row(0)", "return a.cell(p);").empty()) << "nor is there one here";
  const std::string wide = "ElementT s = 0; for (int i = 0; i < a.width(); i++) s += a.cell(i, 0); return s;";
  EXPECT_TRUE(read("A.region(0, p, 3, p+1)", wide).empty()) << "a window has always three cells";
  EXPECT_TRUE(read("A.region(0, p, p, p+1)", wide).empty()) << "later instances read more";
  EXPECT_EQ(read("A.region(1, p, n, p+1)", wide).size(), 1U);
}

TEST(SharedInputs, AreTheWholeMatricesThatInstancesLoopOver) {
  const auto sums = [](const std::string& input, const std::string& body) {
    const std::string text = "main transform Sums from A[n], C[m] to B[m] {\n  B.cell(p) from (" + input +
                             " a, C.cell(p) c) { " + body + " }\n}\n";
    return StepOf(text.c_str(), kFirst).shared().size();
  };
  const std::string loop = "ElementT s = c; for (int i = p; i < n; i += m) s += a.cell(i); return s;";
  EXPECT_EQ(sums("A", loop), 1U);
  EXPECT_EQ(sums("A.region(0, n)", loop), 0U);
  EXPECT_EQ(sums("A", "return a.cell(p % n) + c;"), 0U) << "a cell each";
}

/// Whether step `next` may join the steps of `group`.
bool joins(const std::string& text, const std::vector<StepId>& group, StepId next, bool has_kernels = true) {
  const PlannedProgram planned = planned_text(text).value();
  return may_join(find_rule_shapes(planned.program, planned.only(), has_kernels), planned.only(), group, next);
}

TEST(JointSteps, BordersJoinTheInside) {
  EXPECT_TRUE(joins(kFrame, {kFirst}, kSecond));
  EXPECT_TRUE(joins(kFrame, {kFirst, kSecond}, kThird));
  EXPECT_FALSE(joins(kFrame, {kFirst}, kThird)) << "a step lies between them";
}

TEST(JointSteps, BordersThatNameACoordinateJoinTheInside) {
  const auto planned = planned_text(
      "main transform Edges from A[w,h] to B[w,h] {\n"
      "  B.cell(x,y) from (A.cell(x-1,y) l, A.cell(x+1,y) r) { return l + r; }\n"
      "  priority(2) B.cell(0,y) from (A.cell(0,y) a) { return a; }\n"
      "  priority(3) B.cell(w-1,y) from () { return 1; }\n}\n");
  ASSERT_TRUE(planned);
  const TransformPlan& plan = planned->only();
  const RuleShapes rules = find_rule_shapes(planned->program, plan, true);
  ASSERT_EQ(plan.steps.size(), 3U);
  EXPECT_TRUE(may_join(rules, plan, {kFirst}, kSecond));
  EXPECT_TRUE(may_join(rules, plan, {kFirst, kSecond}, kThird));
  std::vector<std::string> texts;
  for (const StepId id : plan.steps.ids()) {
    std::string text;
    for (const CellDim& dim : joint_cells(rules, plan, id))
      text +=
          (dim.is_fixed() ? "one" : dim.var) + " [" + to_string(dim.range.lo) + ", " + to_string(dim.range.hi) + ") ";
    texts.push_back(text);
  }
  EXPECT_THAT(texts, ::testing::UnorderedElementsAre("x [1, w-1) y [0, h) ", "one [0, min(1, w)) y [0, h) ",
                                                     "one [max(1, w-1), w) y [0, h) "));
}

TEST(JointSteps, RowsHaveTheBoxesOfTheirLoopsWhereNoRuleHasAnInside) {
  const auto planned = planned_text(
      "main transform Rows from A[w] to B[w,2] {\n  B.cell(x,0) from (A.cell(x) a) { return a; }\n"
      "  B.cell(x,1) from (A.cell(x) a) { return -a; }\n}\n");
  ASSERT_TRUE(planned);
  const RuleShapes rules = find_rule_shapes(planned->program, planned->only(), true);
  for (const StepId id : planned->only().steps.ids()) EXPECT_EQ(joint_cells(rules, planned->only(), id).size(), 1U);
}

TEST(JointSteps, AnOrderOrAnotherMatrixKeepsStepsApart) {
  EXPECT_FALSE(joins(kPipe, {kFirst}, kSecond));
  EXPECT_FALSE(joins(kSums, {kFirst}, kSecond));
  EXPECT_TRUE(joins(kTable, {kFirst}, kSecond));
  EXPECT_FALSE(joins(kTable, {kFirst, kSecond}, kThird));
}

TEST(JointSteps, WhatWritesRowsJoinsInProgramsWithoutKernelsOnly) {
  EXPECT_TRUE(joins(kRows, {kFirst}, kSecond, false));
  EXPECT_FALSE(joins(kRows, {kFirst}, kSecond, true));
}

TEST(JointSteps, HaveAtMostThreeDimensions) {
  const auto frame = [](const std::string& sizes, const std::string& vars) {
    return "main transform Frame from A[" + sizes + "] to B[" + sizes + "] {\n  B.cell(x," + vars +
           ") from (A.cell(x-1," + vars + ") a) { return a; }\n  secondary B.cell(x," + vars +
           ") from () { return 0; }\n}\n";
  };
  EXPECT_TRUE(joins(frame("n,m,k", "y,z"), {kFirst}, kSecond));
  EXPECT_FALSE(joins(frame("n,m,k,l", "y,z,w"), {kFirst}, kSecond));
}

}  // namespace
}  // namespace pb::testing
