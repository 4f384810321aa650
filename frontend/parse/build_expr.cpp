// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string_view>

#include "frontend/parse/body_builder.h"
#include "frontend/parse/body_types.h"
#include "lang/check.h"
#include "lang/operators.h"

namespace pb {
namespace {

BinaryOp binary_op(std::string_view text) {
  const auto op = find_binary_op(text);
  PB_CHECK(op.has_value(), "the grammar lists the binary operators");
  return *op;
}

UnaryOp unary_op(std::string_view text, OperatorPlace place) {
  const auto op = find_unary_op(text, place);
  PB_CHECK(op.has_value(), "the grammar lists the unary operators");
  return *op;
}

}  // namespace

ExprId ExprBuilder::comma(P::CommaExprContext* context) {
  const auto parts = context->expr();
  if (parts.size() > kMaxTreeDepth) throw TreeTooDeep{Unit::index_of(context->start)};
  ExprId out = expr(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    out = nodes_.add_expr(context, BinaryExpr{BinaryOp::Comma, out, expr(parts[i])});
    Expr& node = nodes_.body().exprs[out];
    node.tokens.end = Unit::range_of(parts[i]).end;
    node.span = nodes_.span_of(node.tokens);
  }
  return out;
}

std::vector<ExprId> ExprBuilder::args(P::ArgsContext* context) {
  std::vector<ExprId> out;
  if (context == nullptr) return out;
  for (auto* arg : context->expr()) out.push_back(expr(arg));
  return out;
}

ExprId ExprBuilder::expr(P::ExprContext* context) {
  const DepthGuard guard = nodes_.enter(context);
  if (auto* n = dynamic_cast<P::PrimaryExprContext*>(context)) return primary(n->primary());
  if (auto* n = dynamic_cast<P::BinaryExprContext*>(context)) return binary(n);
  if (auto* n = dynamic_cast<P::MemberExprContext*>(context)) return member(n);
  if (auto* n = dynamic_cast<P::CallExprContext*>(context)) return call(n);
  if (auto* n = dynamic_cast<P::AssignExprContext*>(context)) return assign(n);
  if (auto* n = dynamic_cast<P::PrefixExprContext*>(context)) return prefix(n);
  if (auto* n = dynamic_cast<P::PostfixExprContext*>(context)) {
    const UnaryOp op = unary_op(n->op->getText(), OperatorPlace::Postfix);
    return nodes_.add_expr(context, UnaryExpr{op, expr(n->expr())});
  }
  if (auto* n = dynamic_cast<P::SubscriptExprContext*>(context)) {
    const ExprId object = expr(n->expr());
    return nodes_.add_expr(context, SubscriptExpr{object, comma(n->commaExpr())});
  }
  if (auto* n = dynamic_cast<P::CastExprContext*>(context)) {
    WrittenType type = type_of(n->castType());
    return nodes_.add_expr(context, CastExpr{type.type, std::move(type.text), expr(n->expr())});
  }
  auto* n = dynamic_cast<P::ConditionalExprContext*>(context);
  PB_CHECK(n != nullptr, "every expression of the grammar is built");
  const ExprId test = expr(n->expr(0));
  const ExprId if_true = comma(n->commaExpr());
  return nodes_.add_expr(context, ConditionalExpr{test, if_true, expr(n->expr(1))});
}

ExprId ExprBuilder::binary(P::BinaryExprContext* context) {
  const ExprId lhs = expr(context->expr(0));
  const ExprId rhs = expr(context->expr(1));
  // `>>` is read as two tokens, so that it can close template arguments.
  const bool is_shift = context->children.size() == 4;
  return nodes_.add_expr(context, BinaryExpr{is_shift ? BinaryOp::Shr : binary_op(context->op->getText()), lhs, rhs});
}

ExprId ExprBuilder::assign(P::AssignExprContext* context) {
  const auto op = find_assignment_op(context->op->getText());
  AssignExpr node;
  node.is_compound = op.has_value();
  if (op) node.op = *op;
  node.lhs = expr(context->expr(0));
  node.rhs = expr(context->expr(1));
  return nodes_.add_expr(context, node);
}

ExprId ExprBuilder::prefix(P::PrefixExprContext* context) {
  const UnaryOp op = unary_op(context->op->getText(), OperatorPlace::Prefix);
  return nodes_.add_expr(context, UnaryExpr{op, expr(context->expr())});
}

ExprId ExprBuilder::member(P::MemberExprContext* context) {
  MemberExpr node;
  node.object = expr(context->expr());
  node.name = context->ID()->getText();
  node.is_arrow = context->op->getText() == "->";
  node.is_call = context->stop->getText() == ")" && context->children.size() > 3;
  node.args = args(context->args());
  return nodes_.add_expr(context, std::move(node));
}

/// Adds a call. `f(…)` is a call by name; a call of something else (`JASSERT(c)(v)`) is the member `operator()`.
ExprId ExprBuilder::call(P::CallExprContext* context) {
  auto* callee = dynamic_cast<P::PrimaryExprContext*>(context->expr());
  auto* name = callee != nullptr ? callee->primary()->qualifiedName() : nullptr;
  if (name != nullptr) return nodes_.add_expr(context, CallExpr{compact_text(name), args(context->args())});
  MemberExpr node;
  node.object = expr(context->expr());
  node.name = "operator()";
  node.is_call = true;
  node.args = args(context->args());
  return nodes_.add_expr(context, std::move(node));
}

ExprId ExprBuilder::primary(P::PrimaryContext* context) {
  if (context->qualifiedName() != nullptr) return nodes_.add_expr(context, NameExpr{compact_text(context)});
  if (context->INT() != nullptr) return nodes_.add_expr(context, IntegerExpr{context->getText()});
  if (context->FLOAT() != nullptr) return nodes_.add_expr(context, FloatExpr{context->getText()});
  if (context->CHAR() != nullptr) return nodes_.add_expr(context, CharExpr{context->getText()});
  if (context->commaExpr() != nullptr) return comma(context->commaExpr());
  if (auto* n = context->functionalCast()) return functional_cast(n);
  if (auto* n = context->opaquePrimary()) return opaque_primary(n);
  if (auto* n = context->lambda()) return lambda(n);
  if (auto* n = context->templateCall()) {
    const std::string callee = compact_text(n->qualifiedName()) + compact_text(n->templateArgs());
    return nodes_.add_expr(context, CallExpr{callee, args(n->args())});
  }
  if (auto* n = context->namedCast()) return named_cast(n);
  if (!context->STRING().empty()) {
    std::string text;
    for (auto* part : context->STRING()) text += (text.empty() ? "" : " ") + part->getText();
    return nodes_.add_expr(context, StringExpr{std::move(text)});
  }
  const std::string word = context->getText();
  PB_CHECK(word == "true" || word == "false", "every primary expression of the grammar is built");
  return nodes_.add_expr(context, BoolExpr{word == "true"});
}

ExprId ExprBuilder::functional_cast(P::FunctionalCastContext* context) {
  const std::vector<ExprId> values = args(context->args());
  WrittenType type = type_of_word(compact_text(context->children.front()));
  if (values.size() != 1) return nodes_.add_opaque_expr(context, fmt::format("it constructs a `{}`", type.text));
  return nodes_.add_expr(context, CastExpr{type.type, std::move(type.text), values[0]});
}

ExprId ExprBuilder::named_cast(P::NamedCastContext* context) {
  WrittenType type = type_of(context->typeName());
  return nodes_.add_expr(context, CastExpr{type.type, std::move(type.text), comma(context->commaExpr())});
}

ExprId ExprBuilder::opaque_primary(P::OpaquePrimaryContext* context) {
  const std::string word = context->getStart()->getText();
  if (word == "sizeof") return nodes_.add_opaque_expr(context, "`sizeof` depends on the types of the host");
  if (word == "new" || word == "delete")
    return nodes_.add_opaque_expr(context, fmt::format("`{}` manages memory of the host", word));
  return nodes_.add_opaque_expr(context, fmt::format("`{}` is for the C++ compiler alone", word));
}

ExprId ExprBuilder::lambda(P::LambdaContext* context) {
  const DepthGuard guard = nodes_.enter(context);
  LambdaExpr node;
  node.captures = Unit::range_of(context->captures());
  for (auto* item : context->captures()->capture())
    if (item->expr() != nullptr) node.locals.push_back(capture(item));
  if (auto* params = context->lambdaParams())
    for (auto* param : params->lambdaParam())
      if (param->ID() != nullptr) node.locals.push_back(lambda_param(param));
  node.body = stmts_.block(context->block());
  return nodes_.add_expr(context, std::move(node));
}

/// Adds the statement of a capture: `[x = 2 * a]` declares a variable, as `auto x = 2 * a;` does.
StmtId ExprBuilder::capture(P::CaptureContext* context) {
  Declarator declarator = nodes_.declarator(context->ID());
  declarator.is_reference = context->getStart()->getText() == "&";
  declarator.init = expr(context->expr());
  return nodes_.add_stmt(context, DeclStmt{{}, "auto", false, {std::move(declarator)}});
}

StmtId ExprBuilder::lambda_param(P::LambdaParamContext* context) {
  Declarator declarator = nodes_.declarator(context->ID());
  WrittenType type = type_of(context->typeName());
  return nodes_.add_stmt(context, DeclStmt{type.type, std::move(type.text), false, {std::move(declarator)}});
}

ExprId ExprBuilder::const_expr(P::ConstExprContext* context) {
  const DepthGuard guard = nodes_.enter(context);
  const auto operands = context->constExpr();
  if (auto* name = context->qualifiedName()) {
    const bool is_call = context->children.size() > 1;
    if (!is_call) return nodes_.add_expr(context, NameExpr{compact_text(name)});
    return nodes_.add_expr(context, CallExpr{compact_text(name), args(context->args())});
  }
  if (context->inner != nullptr) return comma(context->inner);
  if (auto* cast = context->functionalCast()) return functional_cast(cast);
  if (auto* cast = context->namedCast()) return named_cast(cast);
  if (context->castType() != nullptr) {
    WrittenType type = type_of(context->castType());
    return nodes_.add_expr(context, CastExpr{type.type, std::move(type.text), const_expr(operands[0])});
  }
  if (context->expr() != nullptr) {
    const ExprId object = const_expr(operands[0]);
    return nodes_.add_expr(context, SubscriptExpr{object, expr(context->expr())});
  }
  if (context->ID() != nullptr) {
    MemberExpr node;
    node.object = const_expr(operands[0]);
    node.name = context->ID()->getText();
    node.is_call = context->children.size() > 3;
    node.args = args(context->args());
    return nodes_.add_expr(context, std::move(node));
  }
  if (operands.size() == 2) {
    const ExprId lhs = const_expr(operands[0]);
    return nodes_.add_expr(context, BinaryExpr{binary_op(context->op->getText()), lhs, const_expr(operands[1])});
  }
  if (operands.size() == 1) {
    const UnaryOp op = unary_op(context->op->getText(), OperatorPlace::Prefix);
    return nodes_.add_expr(context, UnaryExpr{op, const_expr(operands[0])});
  }
  if (context->INT() != nullptr) return nodes_.add_expr(context, IntegerExpr{context->getText()});
  if (context->CHAR() != nullptr) return nodes_.add_expr(context, CharExpr{context->getText()});
  return nodes_.add_expr(context, BoolExpr{context->getText() == "true"});
}

ExprId ExprBuilder::init_list(P::InitListContext* context) {
  const DepthGuard guard = nodes_.enter(context);
  InitListExpr node;
  for (auto* item : context->initItem())
    node.items.push_back(item->expr() != nullptr ? expr(item->expr()) : init_list(item->initList()));
  return nodes_.add_expr(context, std::move(node));
}

}  // namespace pb
