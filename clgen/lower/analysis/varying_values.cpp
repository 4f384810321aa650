// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/varying_values.h"

#include <string>

#include "clgen/lower/analysis/masked_stmts.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

/// Marks until nothing changes, because a loop may carry a varying value back to statements that were marked before.
class VaryingMarker {
 public:
  VaryingMarker(const Rule& rule, PackFacts& facts)
      : rule_(rule), body_(rule.body), types_(rule.body_types), facts_(facts) {}

  void run() {
    facts_.is_varying.assign(body_.exprs.size(), false);
    do {
      changed_ = false;
      next_local_ = 0;
      mark_stmt(body_.root);
    } while (changed_);
  }

 private:
  void set_varying(ExprId id) {
    if (facts_.is_varying[id.index()]) return;
    facts_.is_varying[id.index()] = true;
    changed_ = true;
  }
  void set_local_varying(std::uint32_t local) {
    if (facts_.varying_locals.insert(local).second) changed_ = true;
  }

  void mark_stmt(StmtId id) {
    const Stmt& stmt = body_.stmts[id];
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) {
      for (const Declarator& declarator : decl->declarators) {
        const std::uint32_t local = next_local_++;
        for (ExprId extent : declarator.extents)
          if (!extent.is_none()) mark_expr(extent);
        if (declarator.init.is_none()) continue;
        mark_expr(declarator.init);
        if (facts_.is_varying[declarator.init.index()]) set_local_varying(local);
      }
      return;
    }
    for_each_child(
        stmt, [&](StmtId child) { mark_stmt(child); }, [&](ExprId expr) { mark_expr(expr); });
    if (needs_mask(body_, id, facts_)) mark_changed(id);
  }

  void mark_expr(ExprId id) {
    const Expr& expr = body_.exprs[id];
    bool varies = false;
    for_each_operand(expr, [&](ExprId operand) {
      mark_expr(operand);
      varies |= facts_.is_varying[operand.index()];
    });
    if (std::holds_alternative<NameExpr>(expr.node)) varies = name_varies(id);
    if (is_missing_test(rule_, id)) varies = false;
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) varies = member->name == "cell" && varies;
    if (const auto* assign = std::get_if<AssignExpr>(&expr.node); assign != nullptr && varies) mark_target(assign->lhs);
    if (varies) set_varying(id);
  }

  /// Marks what a statement changes that instances go through in different ways.
  void mark_changed(StmtId stmt) {
    walk(
        body_, stmt, [](StmtId) {},
        [&](ExprId id) {
          const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
          const auto* unary = std::get_if<UnaryExpr>(&body_.exprs[id].node);
          if (assign != nullptr) mark_target(assign->lhs);
          if (unary != nullptr && kind_of(unary->op) == OperatorKind::Step) mark_target(unary->operand);
        });
  }

  void mark_target(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (const auto* subscript = std::get_if<SubscriptExpr>(&expr.node)) return mark_target(subscript->object);
    if (!std::holds_alternative<NameExpr>(expr.node)) return;
    const NameBinding& binding = types_.bindings[id.index()];
    if (binding.kind == NameKind::Local) set_local_varying(binding.index);
  }

  bool name_varies(ExprId id) const {
    const NameBinding& binding = types_.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::Local:
        return facts_.varying_locals.contains(binding.index);
      case NameKind::Output:
        return true;
      case NameKind::Input:
        return !facts_.inputs[binding.index].is_uniform();
      case NameKind::RuleVar: {
        const std::string& name = rule_.vars[binding.index].name;
        return name == facts_.lane_var || (facts_.is_tall && name == facts_.row_var);
      }
      case NameKind::Temporary:
      case NameKind::SizeVar:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::ScalarInput:
      case NameKind::BuiltIn:
      case NameKind::Constant:
      case NameKind::Unknown:
        return false;
    }
    return false;
  }

  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  PackFacts& facts_;
  std::uint32_t next_local_ = 0;  ///< number of the next declaration
  bool changed_ = false;
};

}  // namespace

void mark_varying_values(const Rule& rule, PackFacts& facts) { VaryingMarker(rule, facts).run(); }

bool is_missing_test(const Rule& rule, ExprId id) {
  const auto* call = std::get_if<CallExpr>(&rule.body.exprs[id].node);
  return call != nullptr && call->callee == "IS_MISSING" &&
         rule.body_types.bindings[id.index()].kind == NameKind::BuiltIn;
}

}  // namespace pb
