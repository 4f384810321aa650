// SPDX-License-Identifier: MIT
// The tree builders for bodies: one for expressions (build_expr.cpp) and one for statements (build_body.cpp). Each
// calls the other, since lambdas hold statements.
#pragma once

#include <vector>

#include "frontend/parse/antlr_unit.h"
#include "frontend/parse/body_nodes.h"
#include "lang/body/body.h"
#include "lang/diagnostics.h"

namespace pb {

class StmtBuilder;

/// Adds the nodes of expressions to a body.
///
/// Errors: every function throws TreeTooDeep
class ExprBuilder {
 public:
  /// `stmts` builds the bodies of lambdas; it is not called before it is complete.
  ExprBuilder(BodyNodes& nodes, StmtBuilder& stmts) : nodes_(nodes), stmts_(stmts) {}

  ExprId expr(pb_antlr::PbccParser::ExprContext* context);
  ExprId comma(pb_antlr::PbccParser::CommaExprContext* context);
  ExprId const_expr(pb_antlr::PbccParser::ConstExprContext* context);
  ExprId init_list(pb_antlr::PbccParser::InitListContext* context);
  /// The nodes of the arguments; empty for null.
  std::vector<ExprId> args(pb_antlr::PbccParser::ArgsContext* context);

 private:
  using P = pb_antlr::PbccParser;

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

  BodyNodes& nodes_;
  StmtBuilder& stmts_;
};

/// Adds the nodes of statements to a body.
///
/// Errors: every function throws TreeTooDeep
class StmtBuilder {
 public:
  /// `is_balanced`: the brackets of the body match.
  StmtBuilder(const Unit& unit, Body& body, bool is_balanced, Diagnostics& diags)
      : unit_(unit), nodes_(body), is_balanced_(is_balanced), diags_(diags) {}
  StmtBuilder(const StmtBuilder&) = delete;
  StmtBuilder& operator=(const StmtBuilder&) = delete;

  /// Adds the whole body as one statement.
  StmtId build(pb_antlr::PbccParser::BodyContext* context);
  StmtId block(pb_antlr::PbccParser::BlockContext* context);

 private:
  using P = pb_antlr::PbccParser;

  StmtId stmt(P::StmtContext* context);
  std::vector<StmtId> stmts(const std::vector<P::StmtContext*>& contexts);
  bool attach_else(StmtId previous, P::ElseStmtContext* context);
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

  const Unit& unit_;
  BodyNodes nodes_;
  ExprBuilder exprs_{nodes_, *this};
  bool is_balanced_;
  Diagnostics& diags_;
  bool is_chain_too_long_ = false;  // whether a chain of `else if` was too long, which is reported once
};

}  // namespace pb
