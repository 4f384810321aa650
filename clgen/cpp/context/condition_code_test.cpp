// SPDX-License-Identifier: MIT
#include "clgen/cpp/context/condition_code.h"

#include <gtest/gtest.h>

namespace pb {
namespace {

const Condition kA = Condition::named("a");
const Condition kB = Condition::named("b");
const Condition kC = Condition::named("c");

TEST(ConditionCode, PrintsParenthesesWhereOperatorsMeet) {
  const Condition choice = Condition::any_of({Condition::chosen(SiteId(3), 1), Condition::chosen(SiteId(3), 2)});
  const IndexExpr rest = index_sub(index_symbol("n"), index_const(3));
  EXPECT_EQ(to_cpp(Condition::all_of({kA, choice, Condition::at_least_zero(rest)})),
            "a && (pb_choice_3 == 1 || pb_choice_3 == 2) && (n-3) >= 0");
  EXPECT_EQ(to_cpp(Condition::any_of({Condition::all_of({kA, kB}), kC})), "(a && b) || c");
  EXPECT_EQ(to_cpp(Condition::not_(choice)), "!(pb_choice_3 == 1 || pb_choice_3 == 2)");
  EXPECT_EQ(to_cpp(Condition::not_(kA)), "!a");
  EXPECT_EQ(to_operand(choice), "(pb_choice_3 == 1 || pb_choice_3 == 2)");
  const auto as_long = [](const IndexExpr& expr) { return "(long)(" + to_string(expr) + ")"; };
  EXPECT_EQ(to_cpp(Condition::at_least_zero(rest), {as_long, {}}), "((long)(n-3)) >= (long)(0)");
}

TEST(ConditionCode, GuardsStatementsOnlyWhereItMayFail) {
  EXPECT_EQ(if_text(Condition::always()), "");
  EXPECT_EQ(guarded_text(Condition::always(), "f();"), "f();");
  EXPECT_EQ(guarded_text(kA, "f();"), "if (a) f();");
  EXPECT_EQ(selected_text(Condition::never(), "1", "2"), "2");
  EXPECT_EQ(selected_text(kA, "1", "2"), "a ? 1 : 2");
  EXPECT_EQ(selected_text(Condition::all_of({kA, kB}), "1", "2"), "(a && b) ? 1 : 2");
}

TEST(ConditionCode, AsksTheRuntimeForFacts) {
  const auto view = [](MatrixId matrix) { return "M" + std::to_string(matrix.index()) + ".view()"; };
  const Condition apart = are_apart(MatrixId(1), MatrixId(0));
  EXPECT_EQ(to_cpp(Condition::all_of({has_unit_stride(MatrixId(0)), apart}), {{}, view}),
            "M0.view().has_unit_stride() && pbrt::is_apart(M1.view(), M0.view())");
  EXPECT_EQ(to_cpp(Condition::not_(has_unit_stride(MatrixId(1))), {{}, view}), "!M1.view().has_unit_stride()");
}

TEST(ConditionCode, SelectsWhereADeviceLeavesItsResults) {
  EXPECT_EQ(to_cpp(CopyOutChoice{{}, CopyOut::Reused}), "pbrt::gpu::CopyOut::Reused");
  const CopyOutChoice choice{{{Condition::chosen(SiteId(1), 0), CopyOut::Must}, {is_root_call(), CopyOut::Result}},
                             CopyOut::May};
  EXPECT_EQ(to_cpp(choice),
            "(pb_choice_1 == 0) ? pbrt::gpu::CopyOut::Must : pb_parent.is_root() ? pbrt::gpu::CopyOut::Result : "
            "pbrt::gpu::CopyOut::May");
}

}  // namespace
}  // namespace pb
