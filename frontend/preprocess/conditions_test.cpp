// SPDX-License-Identifier: MIT
#include "frontend/preprocess/conditions.h"

#include <gtest/gtest.h>

#include "frontend/preprocess/file_stack.h"

namespace pb {
namespace {

/// Macros `ONE`, which is 1, `CALL(x)`, and `GONE`, which is not defined any more.
class Conditions : public testing::Test {
 protected:
  Conditions() {
    macros_.define({"ONE", false, false, {}, line_of("1"), {}, 0});
    macros_.define({"CALL", true, false, {"x"}, line_of("x"), {}, 0});
    macros_.define({"GONE", false, false, {}, {}, {}, 0});
    macros_.undef("GONE");
  }
  std::vector<Token> line_of(const std::string& text) {
    FileStack files(sources_, diags_);
    files.open(sources_.add("line.pbcc", text));
    return files.rest_of_line();
  }
  bool holds(const std::string& name, const std::string& text) {
    return condition_holds(name, line_of(text), {}, macros_, expander_, diags_);
  }
  SourceManager sources_;
  Diagnostics diags_;
  MacroTable macros_;
  MacroExpander expander_{macros_, diags_, [] { return std::nullopt; }};
};

TEST_F(Conditions, AreComputedFromMacros) {
  EXPECT_TRUE(holds("if", "ONE + CALL(2) == 3"));
  EXPECT_FALSE(holds("elif", "OTHER"));
  EXPECT_TRUE(holds("if", "defined(ONE) && !defined OTHER && !defined(GONE)"));
  EXPECT_EQ(diags_.num_errors(), 0u);
}

TEST_F(Conditions, SayWhetherANameIsDefined) {
  EXPECT_TRUE(holds("ifdef", "ONE"));
  EXPECT_FALSE(holds("ifndef", "ONE"));
  EXPECT_TRUE(holds("ifndef", "GONE"));
  EXPECT_FALSE(holds("ifdef", "CALL"));
}

TEST_F(Conditions, DoNotHoldAfterAnError) {
  EXPECT_FALSE(holds("ifndef", "1"));
  EXPECT_TRUE(diags_.has(DiagKind::MalformedDirective));
  EXPECT_FALSE(holds("if", "1 +"));
  EXPECT_TRUE(diags_.has(DiagKind::ConditionNotConstant));
}

TEST_F(Conditions, AreKnownIfTheirMacrosEverWereDefined) {
  EXPECT_TRUE(speaks_of_known_macros(line_of("defined(GONE) || ONE > 2"), macros_));
  EXPECT_FALSE(speaks_of_known_macros(line_of("defined(GONE) || _WIN32"), macros_));
}

}  // namespace
}  // namespace pb
