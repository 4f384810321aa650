// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/loop_head.h"

#include <optional>
#include <utility>

#include "choicegraph/passes/computation/loop_effects.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/operands.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

/// By how much an expression changes the variable; none if it does something else.
std::optional<std::int64_t> step_of(const Body& body, ExprId id, const std::string& var) {
  if (const auto* unary = std::get_if<UnaryExpr>(&body.exprs[id].node)) {
    if (kind_of(unary->op) != OperatorKind::Step || !is_name(body, unary->operand, var)) return std::nullopt;
    return unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc ? 1 : -1;
  }
  const auto* assign = std::get_if<AssignExpr>(&body.exprs[id].node);
  if (assign == nullptr || !is_name(body, assign->lhs, var)) return std::nullopt;
  BinaryOp op = assign->op;
  ExprId by = assign->rhs;
  if (!assign->is_compound) {
    const auto* sum = std::get_if<BinaryExpr>(&body.exprs[assign->rhs].node);
    if (sum == nullptr || !is_name(body, sum->lhs, var)) return std::nullopt;
    op = sum->op;
    by = sum->rhs;
  }
  const auto number =
      std::holds_alternative<IntegerExpr>(body.exprs[by].node) ? constant_value(body, by) : std::nullopt;
  if (!number || (op != BinaryOp::Add && op != BinaryOp::Sub)) return std::nullopt;
  return op == BinaryOp::Add ? *number : -*number;
}

/// A comparison `var op limit`, whichever way it is written.
struct Limit {
  BinaryOp op;
  ExprId limit;
};

std::optional<Limit> limit_of(const Body& body, ExprId id, const std::string& var) {
  const auto* test = std::get_if<BinaryExpr>(&body.exprs[id].node);
  if (test == nullptr) return std::nullopt;
  if (is_name(body, test->lhs, var)) return Limit{test->op, test->rhs};
  if (!is_name(body, test->rhs, var)) return std::nullopt;
  static constexpr std::pair<BinaryOp, BinaryOp> kTurned[] = {{BinaryOp::Less, BinaryOp::Greater},
                                                              {BinaryOp::LessEqual, BinaryOp::GreaterEqual},
                                                              {BinaryOp::Greater, BinaryOp::Less},
                                                              {BinaryOp::GreaterEqual, BinaryOp::LessEqual}};
  for (const auto& [op, turned] : kTurned)
    if (op == test->op) return Limit{turned, test->lhs};
  return std::nullopt;
}

bool is_int_or_long(const BodyType& type) { return type.kind == Kind::Int || type.kind == Kind::Long; }

/// The bits of a whole number that say how large it is.
int value_bits(const BodyType& type) {
  const int bits = type.kind == Kind::Long ? 64 : type.narrow_bytes == 0 ? 32 : 8 * type.narrow_bytes;
  return type.is_unsigned ? bits : bits - 1;
}

/// Whether numbers of 64 bits stand in an expression. Those that count cells do not matter.
bool has_wide_numbers(const Rule& rule, ExprId expr) {
  bool found = false;
  walk_expr(rule.body, expr, [&](ExprId id) {
    const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
    const bool is_number = member != nullptr ? is_cell_call(*member)
                                             : std::holds_alternative<NameExpr>(rule.body.exprs[id].node) ||
                                                   std::holds_alternative<IntegerExpr>(rule.body.exprs[id].node);
    found = found || (is_number && rule.body_types.types[id.index()].kind == Kind::Long);
  });
  return found;
}

/// Whether a variable of this type can hold the value of an expression, as far as types say. What becomes of fractions
/// that do not fit is undefined.
bool holds(const BodyType& variable, const Rule& rule, ExprId id) {
  if (const auto value = constant_value(rule.body, id)) {
    const int bits = value_bits(variable);
    return *value >= 0 ? bits >= 63 || *value < std::int64_t{1} << bits
                       : !variable.is_unsigned && (bits >= 63 || *value >= -(std::int64_t{1} << bits));
  }
  const BodyType& type = rule.body_types.types[id.index()];
  if (is_floating(type)) return true;
  if (!is_int_or_long(type) || (variable.is_unsigned && !type.is_unsigned)) return false;
  const bool counts_cells = type.kind == Kind::Long && !type.is_unsigned && !has_wide_numbers(rule, id);
  return (counts_cells ? 31 : value_bits(type)) <= value_bits(variable);
}

}  // namespace

std::vector<std::uint32_t> first_declarators(const Body& body) {
  std::vector<std::uint32_t> out(body.stmts.size());
  std::uint32_t next = 0;
  walk(
      body, body.root,
      [&](StmtId id) {
        const auto* decl = std::get_if<DeclStmt>(&body.stmts[id].node);
        if (decl == nullptr) return;
        out[id.index()] = next;
        next += static_cast<std::uint32_t>(decl->declarators.size());
      },
      [](ExprId) {});
  return out;
}

LoopHead read_loop_head(const Rule& rule, StmtId id, std::uint32_t first_declarator) {
  const Body& body = rule.body;
  const auto& loop = std::get<ForStmt>(body.stmts[id].node);
  LoopHead out;
  out.fold.loop = id;
  const auto refuse = [&](std::string reason, Span span) {
    out.reason = std::move(reason);
    out.span = span;
    return out;
  };
  const Span all = body.stmts[id].span;
  const auto* decl = loop.init.is_none() ? nullptr : std::get_if<DeclStmt>(&body.stmts[loop.init].node);
  if (decl == nullptr || decl->declarators.size() != 1)
    return refuse("its head does not declare one variable, as in `for (int i = 0; i < n; i++)`", all);
  const Declarator& variable = decl->declarators[0];
  const bool is_plain = variable.extents.empty() && variable.pointer_depth == 0 && !variable.is_reference;
  if (!is_int_or_long(decl->type) || variable.init.is_none() || !is_plain)
    return refuse("`" + variable.name + "` is no whole number that counts", variable.name_span);
  out.fold.var = variable.name;
  out.fold.local = first_declarator;
  out.fold.var_type = decl->type;
  out.fold.first = variable.init;
  // Printers count with 64 bits from this value, which is the variable's only if it is not converted.
  if (!holds(decl->type, rule, variable.init))
    return refuse("`" + variable.name + "` begins with a value that its type may not hold", variable.name_span);
  const auto step = loop.step.is_none() ? std::nullopt : step_of(body, loop.step, variable.name);
  if (!step || *step == 0) return refuse("`" + variable.name + "` does not change by a constant", all);
  out.fold.step = *step;
  const auto limit = loop.condition.is_none() ? std::nullopt : limit_of(body, loop.condition, variable.name);
  out.fold.is_inclusive = limit && (limit->op == BinaryOp::LessEqual || limit->op == BinaryOp::GreaterEqual);
  const bool is_upper = limit && (limit->op == BinaryOp::Less || limit->op == BinaryOp::LessEqual);
  const bool is_lower = limit && (limit->op == BinaryOp::Greater || limit->op == BinaryOp::GreaterEqual);
  if (!(is_upper && *step > 0) && !(is_lower && *step < 0))
    return refuse("its condition does not compare `" + variable.name + "` with a limit", all);
  out.fold.last = limit->limit;
  if (count_mentions(rule, limit->limit, key_of(NameBinding{NameKind::Local, first_declarator})) > 0)
    return refuse("the limit of `" + variable.name + "` changes with it", body.exprs[limit->limit].span);
  if (!is_int_or_long(rule.body_types.types[limit->limit.index()]))
    return refuse("the limit of `" + variable.name + "` is no whole number", body.exprs[limit->limit].span);
  return out;
}

}  // namespace pb::choices
