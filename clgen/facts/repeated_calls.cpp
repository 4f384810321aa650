// SPDX-License-Identifier: MIT
#include "clgen/facts/repeated_calls.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/reaches_itself.h"
#include "clgen/facts/rule_facts.h"
#include "lang/body/body_walk.h"
#include "lang/body/math_functions.h"
#include "lang/body/new_matrix.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

/// Members of a region that read none of its elements.
bool is_part_or_size(const MemberExpr& member) {
  constexpr std::array<std::string_view, 7> kNames = {"region",     "row",   "column", "all",
                                                      "transposed", "slice", "isSize"};
  return is_size_member(member.name) || std::find(kNames.begin(), kNames.end(), member.name) != kNames.end();
}

/// Reads a body. A value is *fixed* if the sizes and numbers of the call decide it.
class RepeatedCalls {
 public:
  RepeatedCalls(const Program& program, const Transform& transform, const Rule& rule,
                std::vector<const TransformCall*> calls)
      : program_(program), transform_(transform), rule_(rule), body_(rule.body), calls_(std::move(calls)) {}

  bool depend_on_contents() {
    if (calls_.empty()) return false;
    if (rule_.is_dynamic || !rule_.tried.empty() || has_unknown_parts()) return true;
    find_changed_locals();
    return depends(body_.root, false);
  }

 private:
  bool has_unknown_parts() const {
    bool found = false;
    walk(
        body_, body_.root,
        [&](StmtId id) { found = found || std::holds_alternative<OpaqueStmt>(body_.stmts[id].node); },
        [&](ExprId id) {
          const auto& node = body_.exprs[id].node;
          found = found || std::holds_alternative<OpaqueExpr>(node) || std::holds_alternative<LambdaExpr>(node);
        });
    return found;
  }

  const TransformCall* call_at(StmtId id) const {
    for (const TransformCall* call : calls_)
      if (call->stmt == id) return call;
    return nullptr;
  }

  bool is_number(ExprId id) const { return rule_.body_types.types[id.index()].kind != BodyType::Kind::Region; }

  std::size_t num_outputs(const TransformCall& call) const {
    if (call.targets.empty()) return call.args.size();
    return program_.transforms[call.targets.front()].matrices_of(MatrixRole::To).size();
  }

  // ---- Locals ----

  /// Finds the locals whose values are not fixed, by their names. A local is fixed if its first value is and only the
  /// step of a loop that declares it changes it.
  void find_changed_locals() {
    for (const TransformCall& call : rule_.calls)
      for (std::size_t i = 0; i < std::min(call.args.size(), num_outputs(call)); ++i)
        if (is_number(call.args[i])) change(call.args[i]);
    walk(
        body_, body_.root, [&](StmtId id) { note_changes(body_.stmts[id]); },
        [&](ExprId id) { note_changes(body_.exprs[id]); });
    std::size_t num = 0;
    do {
      num = changed_.size();
      walk(
          body_, body_.root, [&](StmtId id) { note_first_values(body_.stmts[id]); }, [](ExprId) {});
    } while (num != changed_.size());
  }

  /// Whether the step changes a variable of the loop alone. One from outside tells behind the loop where it ended.
  bool declares_its_variable(const ForStmt& loop) const {
    if (loop.step.is_none() || loop.init.is_none()) return false;
    const auto* decl = std::get_if<DeclStmt>(&body_.stmts[loop.init].node);
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[loop.step].node);
    const auto* unary = std::get_if<UnaryExpr>(&body_.exprs[loop.step].node);
    if (decl == nullptr || (assign == nullptr && unary == nullptr)) return false;
    const ExprId target = assign != nullptr ? assign->lhs : unary->operand;
    const auto* name = std::get_if<NameExpr>(&body_.exprs[target].node);
    return name != nullptr && std::any_of(decl->declarators.begin(), decl->declarators.end(),
                                          [&](const Declarator& each) { return each.name == name->text; });
  }

  void note_changes(const Stmt& stmt) {
    if (const auto* loop = std::get_if<ForStmt>(&stmt.node); loop != nullptr && declares_its_variable(*loop))
      steps_.insert(loop->step.index());
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node))
      for (const Declarator& declarator : decl->declarators)
        if (declarator.is_reference && !declarator.init.is_none()) change(declarator.init);
  }

  void note_changes(const Expr& expr) {
    if (const auto* call = std::get_if<CallExpr>(&expr.node)) {
      if (find_math_function(call->callee) != nullptr || !allocated_element(call->callee).empty()) return;
      for (const ExprId arg : call->args) change(arg);
    }
    if (const auto* member = std::get_if<MemberExpr>(&expr.node); member != nullptr && member->is_call)
      if (!is_part_or_size(*member) && !is_cell_call(*member) && member->name != "copyTo") change(member->object);
    if (const auto* assign = std::get_if<AssignExpr>(&expr.node)) change_unless_step(expr, assign->lhs);
    if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) {
      const bool is_step = unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PreDec ||
                           unary->op == UnaryOp::PostInc || unary->op == UnaryOp::PostDec;
      if (is_step) change_unless_step(expr, unary->operand);
      if (unary->op == UnaryOp::AddressOf) change(unary->operand);
    }
  }

  void change_unless_step(const Expr& expr, ExprId target) {
    const bool is_step = std::any_of(steps_.begin(), steps_.end(),
                                     [&](std::uint32_t step) { return &body_.exprs[ExprId(step)] == &expr; });
    if (!is_step) change(target);
  }

  /// Notes what is changed by a change of the expression: the local `x` of `x`, `x.member` and `x[i]`. Elements of
  /// regions are no locals.
  void change(ExprId id) {
    const auto& node = body_.exprs[id].node;
    if (const auto* name = std::get_if<NameExpr>(&node)) changed_.insert(name->text);
    if (const auto* member = std::get_if<MemberExpr>(&node); member != nullptr && !member->is_call)
      change(member->object);
    if (const auto* subscript = std::get_if<SubscriptExpr>(&node)) change(subscript->object);
    if (const auto* conditional = std::get_if<ConditionalExpr>(&node)) {
      change(conditional->if_true);
      change(conditional->if_false);
    }
  }

  void note_first_values(const Stmt& stmt) {
    if (const auto* loop = std::get_if<ForStmt>(&stmt.node); loop != nullptr && !loop->step.is_none())
      if (const auto* step = std::get_if<AssignExpr>(&body_.exprs[loop->step].node))
        if (!is_fixed(step->rhs)) change(step->lhs);
    const auto* decl = std::get_if<DeclStmt>(&stmt.node);
    if (decl == nullptr) return;
    for (const Declarator& declarator : decl->declarators) {
      const bool is_plain = !decl->is_static && !declarator.is_reference && declarator.pointer_depth == 0 &&
                            declarator.extents.empty() && !declarator.init.is_none();
      if (!is_plain || !is_fixed(declarator.init)) changed_.insert(declarator.name);
    }
  }

  // ---- Values ----

  bool is_fixed(ExprId id) const {
    if (id.is_none()) return true;
    const Expr& expr = body_.exprs[id];
    if (std::holds_alternative<NameExpr>(expr.node)) return is_fixed_name(id);
    if (const auto* unary = std::get_if<UnaryExpr>(&expr.node); unary != nullptr && unary->op == UnaryOp::Deref)
      return false;
    if (const auto* call = std::get_if<CallExpr>(&expr.node))
      if (find_math_function(call->callee) == nullptr && allocated_element(call->callee).empty()) return false;
    if (const auto* member = std::get_if<MemberExpr>(&expr.node))
      if (member->is_arrow || !is_part_or_size(*member)) return false;
    if (std::holds_alternative<SubscriptExpr>(expr.node) || std::holds_alternative<InitListExpr>(expr.node))
      return false;
    bool all = true;
    for_each_operand(expr, [&](ExprId operand) { all = all && is_fixed(operand); });
    return all;
  }

  bool is_fixed_name(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    switch (binding.kind) {
      case NameKind::SizeVar:
      case NameKind::RuleVar:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::ScalarInput:
      case NameKind::BuiltIn:
      case NameKind::Constant:
        return true;
      case NameKind::Temporary:
        return !rule_.temporaries[binding.index].extents.empty();
      case NameKind::Local:
        return !changed_.contains(std::get<NameExpr>(body_.exprs[id].node).text);
      case NameKind::Output:
        return !is_element(rule_.outputs[binding.index]);
      case NameKind::Input: {
        const RegionAccess& access = rule_.inputs[binding.index];
        const Matrix& matrix = transform_.matrices[access.matrix];
        return !is_element(access) || (matrix.role == MatrixRole::From && matrix.extents.empty());
      }
      case NameKind::Unknown:
        return false;
    }
    return false;
  }

  // ---- Calls ----

  bool has_changing_args(const TransformCall& call) const {
    if (call.targets.empty()) return true;
    const auto* stmt = std::get_if<TransformCallStmt>(&body_.stmts[call.stmt].node);
    if (stmt == nullptr ||
        std::any_of(stmt->template_args.begin(), stmt->template_args.end(), [&](ExprId arg) { return !is_fixed(arg); }))
      return true;
    // What an output held that is one number does not matter.
    const std::size_t first_input = num_outputs(call);
    for (std::size_t i = 0; i < call.args.size(); ++i)
      if (!(i < first_input && is_number(call.args[i])) && !is_fixed(call.args[i])) return true;
    return false;
  }

  /// Whether a call is below the statement, or what leaves the body or a loop around calls.
  bool leads_to_calls(StmtId id, bool is_in_loop) const {
    bool found = false;
    walk(
        body_, id,
        [&](StmtId inner) {
          const auto& node = body_.stmts[inner].node;
          const bool leaves_loop =
              std::holds_alternative<BreakStmt>(node) || std::holds_alternative<ContinueStmt>(node);
          found = found || call_at(inner) != nullptr || std::holds_alternative<ReturnStmt>(node) ||
                  (is_in_loop && leaves_loop);
        },
        [](ExprId) {});
    return found;
  }

  /// `is_in_loop`: the statement is in a loop or `switch` that leads to calls.
  bool depends(StmtId id, bool is_in_loop) const {
    const Stmt& stmt = body_.stmts[id];
    if (const TransformCall* call = call_at(id); call != nullptr && has_changing_args(*call)) return true;
    const ExprId condition = std::visit(
        Overloaded{[](const IfStmt& s) { return s.condition; }, [](const ForStmt& s) { return s.condition; },
                   [](const WhileStmt& s) { return s.condition; }, [](const DoStmt& s) { return s.condition; },
                   [](const SwitchStmt& s) { return s.value; }, [](const auto&) { return ExprId(); }},
        stmt.node);
    const bool is_around = is_loop(stmt) || std::holds_alternative<SwitchStmt>(stmt.node);
    const bool is_inside = is_in_loop || (is_around && leads_to_calls(id, false));
    if (!is_fixed(condition) && leads_to_calls(id, is_inside)) return true;
    bool found = false;
    for_each_child(
        stmt, [&](StmtId child) { found = found || depends(child, is_inside); }, [](ExprId) {});
    return found;
  }

  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const Body& body_;
  std::vector<const TransformCall*> calls_;
  std::set<std::uint32_t> steps_;  ///< expressions that are steps of loops
  std::set<std::string> changed_;
};

}  // namespace

bool may_recur_by_contents(const Program& program, const Plan& plan, TransformId transform, const Rule& rule) {
  const auto leads_back = [&](TransformId callee) {
    return reaches_itself(transform, [&](TransformId id) {
      return id == transform ? std::vector<TransformId>{callee} : plan.transforms[id.index()].calls;
    });
  };
  std::vector<const TransformCall*> calls;
  for (const TransformCall& call : rule.calls)
    if (std::any_of(call.targets.begin(), call.targets.end(), leads_back)) calls.push_back(&call);
  return RepeatedCalls(program, program.transforms[transform], rule, std::move(calls)).depend_on_contents();
}

}  // namespace pb
