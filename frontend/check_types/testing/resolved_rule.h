// SPDX-License-Identifier: MIT
// A program with every name of its headers bound, and the body of its last transform ready to be checked: what the
// parts of check_types are tested with.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "frontend/check_types/body_context.h"
#include "frontend/parse/parse.h"
#include "frontend/preprocess/preprocess.h"
#include "frontend/resolve/resolve.h"

namespace pb::checking::testing {

class ResolvedRule {
 public:
  /// Pre: `text` is a program without errors in its headers; the first rule of its last transform is meant
  explicit ResolvedRule(const std::string& text) : program_(resolved(text)) {}
  ResolvedRule(const ResolvedRule&) = delete;
  ResolvedRule& operator=(const ResolvedRule&) = delete;

  /// The kinds of the diagnostics since the last call, each followed by a blank.
  [[nodiscard]] std::string take_reports() {
    std::string out;
    for (const Diagnostic& diagnostic : messages_.all()) out += std::string(info_of(diagnostic.kind).id) + " ";
    messages_ = Diagnostics();
    return out;
  }
  /// The first expression, or statement, whose node is a `Node`.
  template <class Node>
  [[nodiscard]] ExprId expr() const {
    for (const ExprId id : rule.body.exprs.ids())
      if (std::holds_alternative<Node>(rule.body.exprs[id].node)) return id;
    ADD_FAILURE() << "the body has no such expression";
    return {};
  }
  template <class Node>
  [[nodiscard]] StmtId stmt() const {
    for (const StmtId id : rule.body.stmts.ids())
      if (std::holds_alternative<Node>(rule.body.stmts[id].node)) return id;
    ADD_FAILURE() << "the body has no such statement";
    return {};
  }
  template <class Node>
  [[nodiscard]] const Node& node_of(StmtId id) const {
    return std::get<Node>(rule.body.stmts[id].node);
  }

 private:
  Program resolved(const std::string& text) {
    const TokenStream tokens = preprocess(sources_.add("t.pbcc", text), sources_, messages_);
    std::optional<Program> program = resolve(parse(tokens, sources_, messages_), sources_, {}, messages_);
    EXPECT_TRUE(program.has_value()) << render(messages_, sources_);
    return program ? std::move(*program) : Program();
  }

  SourceManager sources_;
  Diagnostics messages_;
  Program program_;
  std::set<std::string> native_functions_;

 public:
  const Transform& transform = program_.transforms[program_.transforms.ids().back()];
  const Rule& rule = *transform.rules.begin();
  BodyContext context{program_, native_functions_, transform, rule, messages_};
};

}  // namespace pb::checking::testing
