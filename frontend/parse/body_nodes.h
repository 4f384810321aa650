// SPDX-License-Identifier: MIT
// Makes the nodes of a body's tree with their places in its text. Knows no grammar; the builders of expressions and
// statements use it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/parse/antlr_unit.h"
#include "lang/body/body.h"

namespace pb {

/// Adds nodes to one body. Every node gets the tokens of the context that it was read from, and their span.
class BodyNodes {
 public:
  /// Pre: `body` has its tokens
  explicit BodyNodes(Body& body) : body_(body) {}

  [[nodiscard]] Body& body() { return body_; }
  [[nodiscard]] const std::vector<BodyToken>& tokens() const { return body_.tokens; }

  template <class Node>
  ExprId add_expr(const antlr4::ParserRuleContext* context, Node node) {
    const TokenRange range = Unit::range_of(context);
    return body_.exprs.add(Expr{std::move(node), range, span_of(range)});
  }
  template <class Node>
  StmtId add_stmt(const antlr4::ParserRuleContext* context, Node node) {
    const TokenRange range = Unit::range_of(context);
    return body_.stmts.add(Stmt{std::move(node), range, span_of(range)});
  }
  /// Adds a node for code that no other node of the tree can express. `reason` says why, as a sentence without its end.
  ExprId add_opaque_expr(const antlr4::ParserRuleContext* context, std::string reason) {
    return add_expr(context, OpaqueExpr{std::move(reason)});
  }
  StmtId add_opaque_stmt(const antlr4::ParserRuleContext* context, std::string reason) {
    return add_stmt(context, OpaqueStmt{std::move(reason)});
  }

  /// Unknown if the range is empty.
  [[nodiscard]] Span span_of(TokenRange range) const;
  [[nodiscard]] Span span_of(antlr4::tree::TerminalNode* word) const;
  /// A declarator that has a name and nothing else.
  [[nodiscard]] Declarator declarator(antlr4::tree::TerminalNode* name) const;
  /// Why the grammar could not go on at this token.
  [[nodiscard]] std::string reason_at(std::size_t token) const;

  /// Counts one level of the builders' recursion while the result lives.
  ///
  /// Errors: throws TreeTooDeep
  [[nodiscard]] DepthGuard enter(const antlr4::ParserRuleContext* context) { return {depth_, context}; }

 private:
  Body& body_;
  std::size_t depth_ = 0;
};

}  // namespace pb
