// SPDX-License-Identifier: MIT
// Functions that the parser's tests share: they parse a text in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"

namespace pb {

class ParseFixture : public testing::Test {
 protected:
  Ast parse_text(const std::string& text) {
    const TokenStream tokens = preprocess(sources_.add("t.pbcc", text), sources_, diags_);
    return parse(tokens, sources_, diags_);
  }
  /// The text form of a program, without errors.
  std::string text_form(const std::string& text) {
    const std::string out = to_string(parse_text(text));
    EXPECT_EQ(messages(), "");
    return out;
  }
  /// The messages for a program.
  std::string messages_for(const std::string& text) {
    (void)parse_text(text);
    return messages();
  }
  /// The tree of a body within `transform T` beside `transform Other`, one statement per line.
  std::string body_form(const std::string& text) {
    const Ast ast = parse_text(
        "transform Other from A to B { B from (A a) { return a; } }\n"
        "transform T from A[n] to B[n] { to (B b) from (A a) {" +
        text + "} }");
    EXPECT_EQ(messages(), "");
    const auto transforms = ast.transforms();
    if (transforms.size() != 2 || transforms[1]->rules.size() != 1) return "no body";
    const std::string out = to_string(transforms[1]->rules[0].body);
    return out.starts_with("block\n") ? out.substr(6) : out;
  }
  std::string messages() { return render(diags_, sources_); }

  SourceManager sources_;
  Diagnostics diags_;
};

}  // namespace pb
