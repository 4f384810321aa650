// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/value_flow.h"

#include <variant>

#include "lang/body/body_walk.h"
#include "lang/operators.h"

namespace pb::choices {
namespace {

class FlowReader {
 public:
  FlowReader(const Rule& rule, ExprId source) : rule_(rule), body_(rule.body), source_(source) {}

  std::set<VariableKey> run() {
    // What a later statement changes may be read by an earlier one in a loop.
    std::size_t before = 0;
    do {
      before = reached_.size();
      next_local_ = 0;
      read(body_.root, false);
    } while (reached_.size() != before);
    return std::move(reached_);
  }

 private:
  [[nodiscard]] bool depends(ExprId expr) const { return depends_on(rule_, expr, source_, reached_); }

  /// `is_under`: whether the statement runs depends on the source.
  void read(StmtId id, bool is_under) {
    const Stmt& stmt = body_.stmts[id];
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) return read_declaration(*decl, is_under);
    // A loop may end, and go on to its next round, wherever a condition inside of it says so.
    is_under |= is_loop(stmt) ? has_such_condition(id) : decides(stmt);
    for_each_child(
        stmt, [&](StmtId child) { read(child, is_under); }, [&](ExprId expr) { read_expr(expr, is_under); });
  }

  void read_declaration(const DeclStmt& decl, bool is_under) {
    for (const Declarator& each : decl.declarators) {
      const VariableKey variable{NameKind::Local, next_local_++};
      if (each.init.is_none()) continue;
      read_expr(each.init, is_under);
      if (is_under || depends(each.init)) reached_.insert(variable);
      // What is assigned to a reference is assigned to what it refers to.
      if ((each.is_reference || each.pointer_depth > 0) && reached_.contains(variable)) reach_names(each.init);
    }
  }

  /// `is_under`: whether the expression is computed depends on the source.
  void read_expr(ExprId id, bool is_under) {
    read_change(id, is_under);
    const ExprId condition = condition_of(id);
    const bool is_branch_under = is_under || (!condition.is_none() && depends(condition));
    for_each_operand(body_.exprs[id],
                     [&](ExprId operand) { read_expr(operand, operand == condition ? is_under : is_branch_under); });
  }

  /// Notes what an assignment or a step changes.
  void read_change(ExprId id, bool is_under) {
    const auto& node = body_.exprs[id].node;
    if (const auto* assign = std::get_if<AssignExpr>(&node)) {
      if (is_under || depends(assign->lhs) || depends(assign->rhs)) reach_names(assign->lhs);
    } else if (const auto* unary = std::get_if<UnaryExpr>(&node)) {
      if (kind_of(unary->op) == OperatorKind::Step && (is_under || depends(unary->operand)))
        reach_names(unary->operand);
    }
  }

  /// The operand that decides which others are computed: the condition of `?:`, the left side of `&&` and `||`.
  [[nodiscard]] ExprId condition_of(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* choice = std::get_if<ConditionalExpr>(&node)) return choice->condition;
    const auto* binary = std::get_if<BinaryExpr>(&node);
    return binary != nullptr && kind_of(binary->op) == OperatorKind::Logical ? binary->lhs : ExprId();
  }

  /// All variables that the text names: `o`, `c` of `c.cell(i)`, `a` and `i` of `a[i]`.
  void reach_names(ExprId expr) {
    walk_expr(body_, expr, [&](ExprId id) {
      if (!std::holds_alternative<NameExpr>(body_.exprs[id].node)) return;
      const NameBinding& binding = rule_.body_types.bindings[id.index()];
      if (binding.kind == NameKind::Local || binding.kind == NameKind::Output) reached_.insert(key_of(binding));
    });
  }

  /// Whether an expression of the statement itself, such as the condition of a branch, depends on the source.
  [[nodiscard]] bool decides(const Stmt& stmt) const {
    if (std::holds_alternative<ExprStmt>(stmt.node)) return false;
    bool out = false;
    for_each_child(
        stmt, [](StmtId) {}, [&](ExprId expr) { out |= depends(expr); });
    return out;
  }
  [[nodiscard]] bool has_such_condition(StmtId loop) const {
    bool out = false;
    walk(
        body_, loop, [&](StmtId id) { out |= decides(body_.stmts[id]); }, [](ExprId) {});
    return out;
  }

  const Rule& rule_;
  const Body& body_;
  ExprId source_;
  std::set<VariableKey> reached_;
  std::uint32_t next_local_ = 0;
};

}  // namespace

bool depends_on(const Rule& rule, ExprId expr, ExprId source, const std::set<VariableKey>& variables) {
  bool out = false;
  walk_expr(rule.body, expr, [&](ExprId id) {
    out |= id == source;
    if (std::holds_alternative<NameExpr>(rule.body.exprs[id].node))
      out |= variables.contains(key_of(rule.body_types.bindings[id.index()]));
  });
  return out;
}

std::set<VariableKey> variables_reached_by(const Rule& rule, ExprId source) { return FlowReader(rule, source).run(); }

}  // namespace pb::choices
