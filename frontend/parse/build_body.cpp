// SPDX-License-Identifier: MIT
#include "frontend/parse/build_body.h"

#include <algorithm>
#include <string>

#include "frontend/parse/body_builder.h"
#include "frontend/parse/body_types.h"
#include "frontend/parse/build_header.h"
#include "frontend/parse/statement_errors.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr std::size_t kMaxElseChain = 500;

/// The declaration of `T v`, without its initial value, from `T` and the token of `v`.
DeclStmt range_variable(pb_antlr::PbccParser::TypeNameContext* context, const BodyToken& name) {
  WrittenType type = type_of(context);
  Declarator declarator;
  declarator.name = name.text;
  declarator.name_span = name.expansion;
  declarator.pointer_depth = static_cast<int>(std::count(type.text.begin(), type.text.end(), '*'));
  for (; type.text.ends_with('&'); type.text.pop_back()) declarator.is_reference = true;
  return DeclStmt{type.type, std::move(type.text), type.is_static, {std::move(declarator)}};
}

}  // namespace

StmtId StmtBuilder::build(P::BodyContext* context) {
  const TokenRange whole{0, static_cast<std::uint32_t>(nodes_.tokens().size())};
  if (const auto at = unit_.opaque_at(context))
    return nodes_.body().stmts.add({OpaqueStmt{nodes_.reason_at(*at)}, whole, nodes_.span_of(whole)});
  return nodes_.body().stmts.add({BlockStmt{stmts(context->stmt())}, whole, nodes_.body().span});
}

StmtId StmtBuilder::block(P::BlockContext* context) {
  return nodes_.add_stmt(context, BlockStmt{stmts(context->stmt())});
}

std::vector<StmtId> StmtBuilder::stmts(const std::vector<P::StmtContext*>& contexts) {
  std::vector<StmtId> out;
  for (auto* context : contexts) {
    const bool is_else = !unit_.opaque_at(context) && context->elseStmt() != nullptr;
    if (is_else && !out.empty() && attach_else(out.back(), context->elseStmt())) continue;
    out.push_back(is_else ? nodes_.add_opaque_stmt(context, nodes_.reason_at(Unit::range_of(context).begin))
                          : stmt(context));
  }
  return out;
}

/// Gives an `else` to the innermost open `if` at the end of the statement before it.
bool StmtBuilder::attach_else(StmtId previous, P::ElseStmtContext* context) {
  if (is_chain_too_long_) return false;
  std::vector<StmtId> path;  // statements that end where the `if` ends
  std::size_t open = 0;      // length of the path to the innermost open `if`; 0: none
  for (StmtId id = previous; !id.is_none();) {
    path.push_back(id);
    const auto& node = nodes_.body().stmts[id].node;
    if (const auto* if_stmt = std::get_if<IfStmt>(&node)) {
      if (if_stmt->else_stmt.is_none()) open = path.size();
      id = if_stmt->else_stmt.is_none() ? if_stmt->then_stmt : if_stmt->else_stmt;
    } else if (const auto* for_stmt = std::get_if<ForStmt>(&node)) {
      id = for_stmt->body;
    } else if (const auto* while_stmt = std::get_if<WhileStmt>(&node)) {
      id = while_stmt->body;
    } else if (const auto* for_enough = std::get_if<ForEnoughStmt>(&node)) {
      id = for_enough->body;
    } else if (const auto* switch_stmt = std::get_if<SwitchStmt>(&node)) {
      id = switch_stmt->body;
    } else {
      break;
    }
  }
  if (open == 0) return false;
  if (path.size() > kMaxElseChain) {
    diags_.emit(DiagKind::NestingTooDeep, nodes_.span_of(Unit::range_of(context))).arg(kMaxElseChain);
    is_chain_too_long_ = true;
    return false;
  }
  const StmtId else_stmt = stmt(context->stmt());
  std::get<IfStmt>(nodes_.body().stmts[path[open - 1]].node).else_stmt = else_stmt;
  const TokenRange range = Unit::range_of(context);
  for (std::size_t i = 0; i < open; ++i) {
    Stmt& s = nodes_.body().stmts[path[i]];
    s.tokens.end = range.end;
    s.span = nodes_.span_of(s.tokens);
  }
  return true;
}

// Flat by design: one line per kind of statement.
StmtId StmtBuilder::stmt(P::StmtContext* context) {
  const DepthGuard guard = nodes_.enter(context);
  if (const auto at = unit_.opaque_at(context)) {
    if (is_balanced_) report_unread_statement(nodes_.body(), Unit::range_of(context), *at, diags_);
    return nodes_.add_opaque_stmt(context, nodes_.reason_at(*at));
  }
  auto* inner = static_cast<antlr4::ParserRuleContext*>(context->children.at(0));
  switch (inner->getRuleIndex()) {
    case P::RuleEmptyStmt:
      return nodes_.add_stmt(context, EmptyStmt{});
    case P::RuleBlock:
      return block(context->block());
    case P::RuleIfStmt:
      return if_stmt(context->ifStmt());
    case P::RuleForStmt:
      return for_stmt(context->forStmt());
    case P::RuleWhileStmt: {
      const ExprId test = condition(context->whileStmt()->condExpr());
      return nodes_.add_stmt(context, WhileStmt{test, stmt(context->whileStmt()->stmt())});
    }
    case P::RuleDoStmt:
      return do_stmt(context->doStmt());
    case P::RuleForEnoughStmt:
      return for_enough(context->forEnoughStmt());
    case P::RuleSwitchStmt: {
      const ExprId value = condition(context->switchStmt()->condExpr());
      return nodes_.add_stmt(context, SwitchStmt{value, stmt(context->switchStmt()->stmt())});
    }
    case P::RuleCaseLabel:
      return case_label(context->caseLabel());
    case P::RuleReturnStmt:
      return return_stmt(context->returnStmt());
    case P::RuleJumpStmt:
      if (context->getStart()->getText() == "break") return nodes_.add_stmt(context, BreakStmt{});
      return nodes_.add_stmt(context, ContinueStmt{});
    case P::RuleSyncStmt:
      return nodes_.add_stmt(context, SyncStmt{});
    case P::RuleTransformCall:
      return transform_call(context->transformCall());
    case P::RuleLegacyCall:
      return legacy_call(context->legacyCall());
    case P::RuleDecl:
      return decl(context->decl());
    case P::RuleExprStmt:
      return nodes_.add_stmt(context, ExprStmt{exprs_.comma(context->exprStmt()->commaExpr())});
    case P::RuleLabel:
      return nodes_.add_opaque_stmt(context, nodes_.reason_at(Unit::range_of(context).begin + 1));
    default:
      return nodes_.add_opaque_stmt(context,
                                    nodes_.reason_at(Unit::range_of(context).begin));  // `try`, `else` without `if`
  }
}

ExprId StmtBuilder::condition(P::CondExprContext* context) {
  if (const auto at = unit_.opaque_at(context)) return nodes_.add_opaque_expr(context, nodes_.reason_at(*at));
  return exprs_.comma(context->commaExpr());
}

StmtId StmtBuilder::if_stmt(P::IfStmtContext* context) {
  const ExprId test = condition(context->condExpr());
  return nodes_.add_stmt(context, IfStmt{test, stmt(context->stmt()), StmtId()});
}

StmtId StmtBuilder::for_stmt(P::ForStmtContext* context) {
  ForStmt node;
  auto* head = context->forHead();
  if (const auto at = unit_.opaque_at(head)) {
    node.condition = nodes_.add_opaque_expr(head, nodes_.reason_at(*at));
  } else if (auto* type_name = head->typeName()) {
    const std::size_t colon = Unit::index_of(head->ID()->getSymbol()) + 1;
    node.condition = nodes_.add_opaque_expr(head, nodes_.reason_at(colon));
    if (head->range != nullptr) {
      node.variable = nodes_.add_stmt(type_name, range_variable(type_name, nodes_.tokens()[colon - 1]));
      node.range = exprs_.expr(head->range);
    }
  } else {
    if (head->decl() != nullptr) node.init = decl(head->decl());
    if (head->exprStmt() != nullptr)
      node.init = nodes_.add_stmt(head->exprStmt(), ExprStmt{exprs_.comma(head->exprStmt()->commaExpr())});
    if (head->test != nullptr) node.condition = exprs_.comma(head->test);
    if (head->step != nullptr) node.step = exprs_.comma(head->step);
  }
  node.body = stmt(context->stmt());
  return nodes_.add_stmt(context, node);
}

StmtId StmtBuilder::do_stmt(P::DoStmtContext* context) {
  DoStmt node;
  node.body = stmt(context->stmt());
  for (auto* else_stmt : context->elseStmt())
    if (!attach_else(node.body, else_stmt))
      return nodes_.add_opaque_stmt(context, nodes_.reason_at(Unit::range_of(else_stmt).begin));
  node.condition = condition(context->condExpr());
  return nodes_.add_stmt(context, node);
}

StmtId StmtBuilder::for_enough(P::ForEnoughStmtContext* context) {
  ForEnoughStmt node;
  HeaderBuilder numbers(unit_.tokens(), diags_);
  if (context->integer().size() == 2) {
    node.min = numbers.integer(context->integer(0));
    node.max = numbers.integer(context->integer(1));
  }
  node.head = {Unit::range_of(context).begin, Unit::range_of(context->stmt()).begin};
  node.body = stmt(context->stmt());
  return nodes_.add_stmt(context, node);
}

StmtId StmtBuilder::case_label(P::CaseLabelContext* context) {
  CaseStmt node;
  if (context->expr() != nullptr) node.value = exprs_.expr(context->expr());
  return nodes_.add_stmt(context, node);
}

StmtId StmtBuilder::return_stmt(P::ReturnStmtContext* context) {
  ReturnStmt node;
  if (context->commaExpr() != nullptr) node.value = exprs_.comma(context->commaExpr());
  if (context->initList() != nullptr) node.value = exprs_.init_list(context->initList());
  return nodes_.add_stmt(context, node);
}

StmtId StmtBuilder::transform_call(P::TransformCallContext* context) {
  TransformCallStmt node;
  auto* name = context->TNAME() != nullptr ? context->TNAME() : context->ID();
  node.callee = name->getText();
  node.callee_span = nodes_.span_of(name);
  node.is_spawn = context->getStart()->getText() == "spawn";
  for (auto* arg : context->constExpr()) node.template_args.push_back(exprs_.const_expr(arg));
  node.args = exprs_.args(context->args());
  return nodes_.add_stmt(context, std::move(node));
}

StmtId StmtBuilder::legacy_call(P::LegacyCallContext* context) {
  TransformCallStmt node;
  auto* name = context->TNAME() != nullptr ? context->TNAME() : context->ID();
  node.callee = name->getText();
  node.callee_span = nodes_.span_of(name);
  node.is_spawn = context->getStart()->getText() == "SPAWN";
  node.is_legacy = true;
  for (auto* arg : context->constExpr()) node.template_args.push_back(exprs_.const_expr(arg));
  for (auto* arg : context->expr()) node.args.push_back(exprs_.expr(arg));
  return nodes_.add_stmt(context, std::move(node));
}

StmtId StmtBuilder::decl(P::DeclContext* context) {
  DeclStmt node;
  WrittenType type = type_of_decl(context);
  node.type = type.type;
  node.type_text = std::move(type.text);
  node.is_static = type.is_static;
  for (auto* d : context->declarator()) node.declarators.push_back(declarator(d));
  return nodes_.add_stmt(context, std::move(node));
}

Declarator StmtBuilder::declarator(P::DeclaratorContext* context) {
  Declarator out = nodes_.declarator(context->ID());
  for (auto* pointer : context->pointerOp()) {
    const bool is_pointer = pointer->getStart()->getText() == "*";
    out.pointer_depth += is_pointer ? 1 : 0;
    out.is_reference = out.is_reference || !is_pointer;
  }
  for (auto* extent : context->arrayExtent())
    out.extents.push_back(extent->expr() != nullptr ? exprs_.expr(extent->expr()) : ExprId());
  if (context->expr() != nullptr) out.init = exprs_.expr(context->expr());
  if (context->initList() != nullptr) out.init = exprs_.init_list(context->initList());
  if (auto* values = context->args()) {
    std::vector<ExprId> items = exprs_.args(values);
    out.init = items.size() == 1 ? items[0] : nodes_.add_expr(values, InitListExpr{std::move(items)});
  }
  return out;
}

Body build_body(std::span<const Token> tokens, Span braces, bool is_balanced, const KnownNames& names,
                Diagnostics& diags) {
  Body body;
  body.span = braces;
  body.tokens.reserve(tokens.size());
  for (const Token& token : tokens) body.tokens.push_back({token.text, token.leading, token.spelling, token.expansion});
  try {
    Unit unit(UnitKind::Body, tokens, names);
    unit.parse();
    body.root = StmtBuilder(unit, body, is_balanced, diags).build(unit.body());
  } catch (const TreeTooDeep& error) {
    const Span span = error.token < tokens.size() ? tokens[error.token].expansion : braces;
    diags.emit(DiagKind::NestingTooDeep, span).arg(kMaxTreeDepth).note("counted in nodes of the tree");
    body.stmts = {};
    body.exprs = {};
    const TokenRange whole{0, static_cast<std::uint32_t>(tokens.size())};
    body.root = body.stmts.add({OpaqueStmt{"it is nested too deeply"}, whole, braces});
  }
  return body;
}

}  // namespace pb
