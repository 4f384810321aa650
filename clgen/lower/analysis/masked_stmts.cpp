// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/masked_stmts.h"

#include <algorithm>

#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/operands.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

using Kind = BodyType::Kind;

/// Whether the expression is an integer above 0, written as a number: what may divide in any instance.
bool is_positive_number(const Body& body, ExprId id) {
  const auto* number = std::get_if<IntegerExpr>(&body.exprs[id].node);
  return number != nullptr && number->text.find_first_of("123456789") == 0;
}

/// The condition of a branch or loop; none if the statement has none, or is another one.
ExprId condition_of(const Stmt& stmt) {
  if (const auto* branch = std::get_if<IfStmt>(&stmt.node)) return branch->condition;
  if (const auto* loop = std::get_if<ForStmt>(&stmt.node)) return loop->condition;
  if (const auto* loop = std::get_if<WhileStmt>(&stmt.node)) return loop->condition;
  if (const auto* loop = std::get_if<DoStmt>(&stmt.node)) return loop->condition;
  return ExprId();
}

bool is_varying(ExprId id, const PackFacts& facts) { return !id.is_none() && facts.is_varying[id.index()]; }

/// Whether below `id` is a jump of the loop around it that not all instances make. `is_under`: inside of a branch whose
/// condition varies.
bool has_varying_jump(const Body& body, StmtId id, const PackFacts& facts, bool is_under) {
  const Stmt& stmt = body.stmts[id];
  if (std::holds_alternative<BreakStmt>(stmt.node) || std::holds_alternative<ContinueStmt>(stmt.node)) return is_under;
  if (is_loop(stmt)) return false;
  bool found = false;
  is_under |= is_varying(condition_of(stmt), facts);
  for_each_child(
      stmt, [&](StmtId child) { found |= has_varying_jump(body, child, facts, is_under); }, [](ExprId) {});
  return found;
}

/// Walks over a body; inside of statements with masks, checks all.
class MaskFinder {
 public:
  MaskFinder(const Rule& rule, const PackFacts& facts)
      : rule_(rule), body_(rule.body), types_(rule.body_types), facts_(facts) {}

  std::optional<MaskedStmts> run() {
    find(body_.root);
    return is_fit_ ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  void find(StmtId id) {
    if (needs_mask(body_, id, facts_)) {
      // All instances compute the condition of an outermost branch, once, as they do without masks.
      const bool is_branch = std::holds_alternative<IfStmt>(body_.stmts[id].node);
      is_fit_ = is_fit_ && (is_branch || may_test(id)) && has_fit_condition(id) && is_maskable(id);
      return;
    }
    for_each_child(
        body_.stmts[id], [&](StmtId child) { find(child); }, [](ExprId) {});
  }

  /// Whether all instances may compute the condition of a branch or loop, if there is one.
  bool may_test(StmtId id) const {
    const ExprId condition = condition_of(body_.stmts[id]);
    return condition.is_none() || may_always_run(rule_, condition);
  }
  /// Whether the condition of a branch or loop, if there is one, is a mask or the same for all instances.
  bool has_fit_condition(StmtId id) const {
    const ExprId condition = condition_of(body_.stmts[id]);
    return !is_varying(condition, facts_) || types_.types[condition.index()].kind == Kind::Bool;
  }

  /// Whether a statement inside of one with a mask can run with it, if there is one.
  bool is_inner(StmtId id) { return id.is_none() || (may_test(id) && has_fit_condition(id) && is_maskable(id)); }

  /// Whether a statement can run with a mask, whatever its condition is; notes it.
  bool is_maskable(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    if (is_loop(stmt) || std::holds_alternative<IfStmt>(stmt.node)) found_.stmts.insert(id);
    return std::visit(
        Overloaded{
            [&](const EmptyStmt&) { return true; },
            [&](const BreakStmt&) { return true; },
            [&](const ContinueStmt&) { return true; },
            [&](const BlockStmt& node) {
              return std::all_of(node.stmts.begin(), node.stmts.end(), [&](StmtId child) { return is_inner(child); });
            },
            [&](const IfStmt& node) { return is_inner(node.then_stmt) && is_inner(node.else_stmt); },
            [&](const WhileStmt& node) { return is_inner(node.body); },
            [&](const DoStmt& node) { return is_inner(node.body); },
            [&](const ForStmt& node) {
              return is_inner(node.init) && (node.step.is_none() || is_change(node.step)) && is_inner(node.body);
            },
            [&](const DeclStmt& node) {
              return std::all_of(node.declarators.begin(), node.declarators.end(), [&](const Declarator& declarator) {
                return declarator.extents.empty() && is_packed_number(node.type) &&
                       (declarator.init.is_none() || may_always_run(rule_, declarator.init));
              });
            },
            [&](const ExprStmt& node) { return is_change(node.expr); },
            [&](const ReturnStmt&) { return false; },
            [&](const SwitchStmt&) { return false; },
            [&](const CaseStmt&) { return false; },
            [&](const ForEnoughStmt&) { return false; },
            [&](const TransformCallStmt&) { return false; },
            [&](const SyncStmt&) { return false; },
            [&](const OpaqueStmt&) { return false; },
        },
        stmt.node);
  }

  /// Whether the expression, a statement, changes one number and nothing else.
  bool is_change(ExprId id) {
    if (const ExprId operand = stepped_operand(body_, id); !operand.is_none()) {
      found_.steps.insert(id);
      return is_variable(operand);
    }
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
    if (assign == nullptr || !is_variable(assign->lhs) || !may_always_run(rule_, assign->rhs)) return false;
    const bool divides = assign->is_compound && kind_of(assign->op) == OperatorKind::Quotient;
    return !divides || is_floating(types_.types[assign->lhs.index()]) ||
           is_floating(types_.types[assign->rhs.index()]) || is_positive_number(body_, assign->rhs);
  }

  /// Whether the expression is a local number, or an output that is one.
  bool is_variable(ExprId id) const {
    const NameKind kind = types_.bindings[id.index()].kind;
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) &&
           (kind == NameKind::Local || kind == NameKind::Output) && is_packed_number(types_.types[id.index()]);
  }

  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  const PackFacts& facts_;
  MaskedStmts found_;
  bool is_fit_ = true;
};

/// Whether the expression divides integers, and its divisor may be 0.
bool may_divide_by_zero_at(const Rule& rule, ExprId id) {
  const auto& node = rule.body.exprs[id].node;
  const auto* binary = std::get_if<BinaryExpr>(&node);
  const auto* assign = std::get_if<AssignExpr>(&node);
  const bool divides = binary != nullptr
                           ? kind_of(binary->op) == OperatorKind::Quotient
                           : assign != nullptr && assign->is_compound && kind_of(assign->op) == OperatorKind::Quotient;
  return divides && !is_floating(rule.body_types.types[id.index()]) &&
         !is_positive_number(rule.body, binary != nullptr ? binary->rhs : assign->rhs);
}

}  // namespace

bool needs_mask(const Body& body, StmtId id, const PackFacts& facts) {
  const Stmt& stmt = body.stmts[id];
  if (is_varying(condition_of(stmt), facts)) return true;
  bool jumps = false;
  if (is_loop(stmt))
    for_each_child(
        stmt, [&](StmtId child) { jumps |= has_varying_jump(body, child, facts, false); }, [](ExprId) {});
  return jumps;
}

std::optional<MaskedStmts> find_masked_stmts(const Rule& rule, const PackFacts& facts) {
  return MaskFinder(rule, facts).run();
}

bool may_divide_by_zero(const Rule& rule) {
  bool found = false;
  walk(
      rule.body, rule.body.root, [](StmtId) {}, [&](ExprId id) { found |= may_divide_by_zero_at(rule, id); });
  return found;
}

bool may_always_run(const Rule& rule, ExprId expr) {
  const Body& body = rule.body;
  bool is_harmless = true;
  walk_expr(body, expr, [&](ExprId id) {
    const auto& node = body.exprs[id].node;
    const auto* unary = std::get_if<UnaryExpr>(&node);
    const bool steps = unary != nullptr && kind_of(unary->op) == OperatorKind::Step;
    const bool divides = may_divide_by_zero_at(rule, id);
    const auto* subscript = std::get_if<SubscriptExpr>(&node);
    const bool reads =
        std::holds_alternative<MemberExpr>(node) ||
        (subscript != nullptr && !std::holds_alternative<IntegerExpr>(body.exprs[subscript->index].node));
    if (steps || divides || reads || std::holds_alternative<AssignExpr>(node)) is_harmless = false;
  });
  return is_harmless;
}

}  // namespace pb
