// SPDX-License-Identifier: MIT
// The tree builder for bodies, in two files: expressions (build_expr.cpp) and statements (build_body.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/parse/antlr_unit.h"
#include "lang/body/body.h"
#include "lang/diagnostics.h"

namespace pb {

/// A type as written, and what the body knows of it.
struct WrittenType {
  BodyType type;
  std::string text;
  bool is_static = false;
};

/// The type of a declaration: its words before the first declarator.
[[nodiscard]] WrittenType type_of_decl(pb_antlr::PbccParser::DeclContext* context);
[[nodiscard]] WrittenType type_of(pb_antlr::PbccParser::CastTypeContext* context);
[[nodiscard]] WrittenType type_of(pb_antlr::PbccParser::TypeNameContext* context);
/// The type that a word before parentheses names, as in `double(…)` and `ElementT(…)`.
[[nodiscard]] WrittenType type_of_word(const std::string& word);

/// The text of a tree without blanks, but for those between two words.
[[nodiscard]] std::string compact_text(antlr4::tree::ParseTree* tree);

class BodyBuilder {
 public:
  BodyBuilder(const Unit& unit, Body& body, bool is_balanced, Diagnostics& diags)
      : unit_(unit), body_(body), is_balanced_(is_balanced), diags_(diags) {}

  StmtId build(pb_antlr::PbccParser::BodyContext* context);

 private:
  using P = pb_antlr::PbccParser;

  // Statements.
  StmtId stmt(P::StmtContext* context);
  std::vector<StmtId> stmts(const std::vector<P::StmtContext*>& contexts);
  bool attach_else(StmtId previous, P::ElseStmtContext* context);
  void attach_else_in(StmtId owner, P::ElseStmtContext* context);
  StmtId if_stmt(P::IfStmtContext* context);
  StmtId for_stmt(P::ForStmtContext* context);
  StmtId do_stmt(P::DoStmtContext* context);
  StmtId for_enough(P::ForEnoughStmtContext* context);
  StmtId case_label(P::CaseLabelContext* context);
  StmtId return_stmt(P::ReturnStmtContext* context);
  StmtId transform_call(P::TransformCallContext* context);
  StmtId legacy_call(P::LegacyCallContext* context);
  StmtId decl(P::DeclContext* context);
  Declarator declarator(P::DeclaratorContext* context);
  ExprId condition(P::CondExprContext* context);
  bool report_misspelt(TokenRange range, std::size_t at);
  void report_unfinished(TokenRange range, std::size_t at);
  StmtId opaque_stmt(const antlr4::ParserRuleContext* context, std::string reason);

  // Expressions.
  ExprId expr(P::ExprContext* context);
  ExprId comma(P::CommaExprContext* context);
  ExprId primary(P::PrimaryContext* context);
  ExprId call(P::CallExprContext* context);
  ExprId member(P::MemberExprContext* context);
  ExprId prefix(P::PrefixExprContext* context);
  ExprId binary(P::BinaryExprContext* context);
  ExprId assign(P::AssignExprContext* context);
  ExprId functional_cast(P::FunctionalCastContext* context);
  ExprId named_cast(P::NamedCastContext* context);
  ExprId opaque_primary(P::OpaquePrimaryContext* context);
  ExprId lambda(P::LambdaContext* context);
  StmtId capture(P::CaptureContext* context);
  StmtId lambda_param(P::LambdaParamContext* context);
  ExprId const_expr(P::ConstExprContext* context);
  ExprId init_list(P::InitListContext* context);
  std::vector<ExprId> args(P::ArgsContext* context);
  ExprId opaque_expr(const antlr4::ParserRuleContext* context, std::string reason);

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
  [[nodiscard]] Span span_of(TokenRange range) const;
  /// Why the grammar could not go on at this token.
  [[nodiscard]] std::string reason_at(std::size_t token) const;

  const Unit& unit_;
  Body& body_;
  bool is_balanced_;
  Diagnostics& diags_;
  std::size_t depth_ = 0;
  bool is_chain_too_long_ = false;  // of `else if`; reported once
};

}  // namespace pb
