// SPDX-License-Identifier: MIT
#include "frontend/parse/token_view.h"

#include <gtest/gtest.h>

#include <string>

#include "frontend/preprocess/preprocess.h"

namespace pb {
namespace {

class TokenViewTest : public testing::Test {
 protected:
  TokenView view_of(const std::string& text) {
    stream_ = preprocess(sources_.add("t.pbcc", text), sources_, diags_);
    return TokenView(stream_);
  }
  SourceManager sources_;
  Diagnostics diags_;
  TokenStream stream_;
};

TEST_F(TokenViewTest, HasTheEndOfTheFileBehindTheLastToken) {
  const TokenView view = view_of("a \"b\"");
  ASSERT_EQ(view.size(), 2u);
  EXPECT_TRUE(view.is(0, "a"));
  EXPECT_FALSE(view.is(1, "\"b\""));
  EXPECT_FALSE(view.is(2, ""));
  EXPECT_FALSE(view.is_native(2));
  EXPECT_EQ(view.found_at(0), "`a`");
  EXPECT_EQ(view.found_at(2), "the end of the file");
  EXPECT_EQ(view.span_at(2).begin, view.span_at(1).end);
}

TEST_F(TokenViewTest, KnowsLines) {
  const TokenView view = view_of("a b\n  c d\ne");
  EXPECT_TRUE(view.is_first_of_line(2));
  EXPECT_FALSE(view.is_at_line_start(2));
  EXPECT_TRUE(view.is_at_line_start(4));
  EXPECT_FALSE(view.is_first_of_line(3));
  EXPECT_EQ(view.indentation(3), 2u);
  EXPECT_EQ(view.indentation(1), 0u);
}

TEST_F(TokenViewTest, KnowsWhereHeadersBegin) {
  const TokenView view = view_of("main memoized transform A transform function B main (");
  EXPECT_TRUE(view.begins_header(0));
  EXPECT_TRUE(view.begins_header(2));
  EXPECT_FALSE(view.begins_header(3));
  EXPECT_TRUE(view.begins_header(5));
  EXPECT_FALSE(view.begins_header(7));
  EXPECT_EQ(view.name_of({0, 4}), "A");
  EXPECT_EQ(view.name_of({5, 7}), "");
}

TEST_F(TokenViewTest, KnowsWhereRulesBegin) {
  const TokenView view = view_of("OUT.cell(i)\nto (OUT) to (OUT) from");
  EXPECT_TRUE(view.begins_rule(0));
  EXPECT_FALSE(view.begins_rule(2));
  EXPECT_TRUE(view.begins_rule(6));
  EXPECT_FALSE(view.begins_rule(10));
  EXPECT_TRUE(view.has({6, 15}, "from"));
  EXPECT_FALSE(view.has({0, 6}, "from"));
}

}  // namespace
}  // namespace pb
