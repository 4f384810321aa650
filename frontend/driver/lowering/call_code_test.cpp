// SPDX-License-Identifier: MIT
// C++ of what a call does before its steps, part by part. The tests lie beside the front end, which makes the programs.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "clgen/cpp/calls/call_choices.h"
#include "clgen/cpp/calls/call_frame.h"
#include "clgen/cpp/calls/call_sizes.h"
#include "clgen/cpp/calls/call_storage.h"
#include "clgen/cpp/calls/entry_code.h"
#include "clgen/facts/numbering.h"
#include "clgen/facts/repeated_calls.h"
#include "clgen/lower/lower.h"
#include "frontend/driver/testing/planned_program.h"
#include "lang/source.h"

namespace pb::testing {
namespace {

/// A program of one transform, and the context in which its parts are printed.
class CallCode : public ::testing::Test {
 protected:
  CallContext call_of(const std::string& text, const EmitOptions& options = {}) {
    planned_.emplace(planned_text(text).value());
    lowered_ = lower(planned_->program, planned_->plan, PackUse::WherePossible);
    options_ = options;
    context_.emplace(CppContext{planned_->program,
                                planned_->plan,
                                *lowered_,
                                sources_,
                                options_,
                                Numbering(planned_->plan),
                                "test.cpp",
                                {},
                                {},
                                NativeMacros(planned_->program)});
    return {*context_, planned_->program.main};
  }

  Writer out_;

 private:
  std::optional<PlannedProgram> planned_;
  std::optional<LoweredProgram> lowered_;
  SourceManager sources_;
  EmitOptions options_;
  std::optional<CppContext> context_;
};

bool has(const Writer& out, const std::string& text) { return out.text().find(text) != std::string::npos; }

TEST_F(CallCode, SolvesSizesFromTheExtentsThatTellThemAndChecksTheOthers) {
  const CallContext call = call_of(
      "main transform Sum from A[2*n], C[n] to B[n] { B.cell(x) from (A.cell(2*x) a, C.cell(x) c) { return a + c; } "
      "}\n");
  emit_sizes(out_, call);
  EXPECT_TRUE(has(out_, "n = C.size(0);")) << out_.text();
  EXPECT_TRUE(has(out_, "pbrt::check_size(\"Sum\", \"A\", 0, \"2*n\",")) << out_.text();
  EXPECT_FALSE(has(out_, "check_size(\"Sum\", \"C\"")) << out_.text();
}

constexpr const char* kChosen =
    "main transform Twice from A[n] through T[n] to B[n] {\n"
    "  T.cell(x) from (A.cell(x) a) { return a; }\n"
    "  B.cell(x) from (T.cell(x) t) { return 2 * t; }\n"
    "  B.cell(x) from (A.cell(x) a) { return a + a; }\n"
    "}\n";

TEST_F(CallCode, ReadsTheChoiceOfEachDecision) {
  const CallContext call = call_of(kChosen);
  emit_choices(out_, call);
  EXPECT_TRUE(has(out_, "pb_choice_1 = pb_context.config().alternative(")) << out_.text();
  EXPECT_TRUE(has(out_, "pb_context.below_cutoff(")) << out_.text();
}

TEST_F(CallCode, GivesStorageOnlyToTemporariesThatAStepTouches) {
  const CallContext call = call_of(kChosen);
  emit_temporaries(out_, call, StepConditions(call.transform, call.plan, lowered_of(call.context, call.id).rules));
  EXPECT_TRUE(has(out_, " ? ")) << out_.text();
  EXPECT_TRUE(has(out_, "::allocate(n)")) << out_.text();
}

TEST_F(CallCode, StopsAtCellsThatNoRuleComputes) {
  const CallContext call = call_of(
      "main transform Ends from A[n] to B[n] {\n"
      "  B.cell(0) from (A.cell(1) a) { return a; }\n"
      "  B.cell(x) from (A.cell(x-1) a) { return a; }\n"
      "}\n");
  emit_uncovered(out_, call, nullptr);
  EXPECT_TRUE(has(out_, "pbrt::uncovered_cell(\"Ends\", \"B\", {")) << out_.text();
}

TEST_F(CallCode, OnlyCheckedProgramsLookForOverlaps) {
  constexpr const char* kShift =
      "main transform Shift from A[n+1] to B[n] { B.cell(x) from (A.cell(x+1) a) { return a; } }\n";
  emit_entries(out_, call_of(kShift));
  EXPECT_FALSE(has(out_, "check_apart")) << out_.text();
  EmitOptions checked;
  checked.is_checked = true;
  emit_entries(out_, call_of(kShift, checked));
  EXPECT_TRUE(has(out_, "pbrt::check_apart(\"B\", B.raw(), \"A\", A.raw(), false);")) << out_.text();
}

TEST_F(CallCode, GuardsOnlyRecursionsThatMayNotEnd) {
  emit_frame(out_, call_of(kChosen));
  EXPECT_FALSE(has(out_, "RecursiveCall")) << out_.text();
  emit_frame(out_, call_of("main transform Fold from A[n] to B {\n"
                           "  to (B b) from (A a) { if (n < 2) b = n; else Fold(b, a.region(0, n / 2)); }\n"
                           "}\n"));
  EXPECT_TRUE(has(out_, "const pbrt::RecursiveCall pb_call(pb_parent, 0, pb_extents, 1, nullptr, 0);")) << out_.text();
}

TEST_F(CallCode, SaysWhichRulesMayEndARecursionByContents) {
  const auto may_repeat = [&](const std::string& body) {
    const CallContext call =
        call_of("main transform T from A[n], K to B[n] {\n  to (B b) from (A a, K k) {" + body + "}\n}\n");
    return may_recur_by_contents(call.context.program, call.context.plan, call.id, *call.transform.rules.begin());
  };
  EXPECT_FALSE(may_repeat("T(b, a, k);"));
  EXPECT_FALSE(may_repeat("if (n > 1 && k != 3) T(b, a, k);"));
  EXPECT_FALSE(may_repeat("int half = n / 2; for (int i = 0; i < half; ++i) T(b, a, i + k);"));
  EXPECT_FALSE(may_repeat("for (int i = 0; i < n; ++i) { if (a.cell(i) < 0) break; b.cell(i) = 0; } T(b, a, k);"));
  EXPECT_FALSE(may_repeat("T(b.region(0, n / 2), a.region(0, n / 2), std::min(n, 2));"));
  EXPECT_TRUE(may_repeat("if (a.cell(0) > 0) T(b, a, k);"));
  EXPECT_TRUE(may_repeat("if (a.cell(0) > 0) return; T(b, a, k);"));
  EXPECT_TRUE(may_repeat("bool goes_on = false; if (a.cell(0) > 0) goes_on = true; if (goes_on) T(b, a, k);"));
  EXPECT_TRUE(may_repeat("T(b, a, a.cell(0));"));
  EXPECT_TRUE(may_repeat("int m = b.cell(0); T(b.region(0, m), a.region(0, m), k);"));
  EXPECT_TRUE(may_repeat("for (int i = 0; i < n; i += a.cell(i)) T(b, a, i);"));
  EXPECT_TRUE(may_repeat("if (PetabricksRuntime::rand01() > 0.5) T(b, a, k);"));
  EXPECT_TRUE(may_repeat("int x = 0; swap(x, b.cell(0)); if (x) T(b, a, k);"));
  EXPECT_TRUE(may_repeat("int i = 0; for (; i < n; ++i) if (a.cell(i) > 0) break; if (i < n) T(b, a, k);"));
}

}  // namespace
}  // namespace pb::testing
