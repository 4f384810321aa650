// SPDX-License-Identifier: MIT
#include "choicegraph/plan/checked_sums.h"

#include <algorithm>
#include <optional>
#include <set>

#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/math_functions.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

/// Whether the coordinates of the access are the rule's variables, each once: an instance is a cell.
bool is_one_cell(const Rule& rule, const RegionAccess& output) {
  if (output.is_slice || output.lo.size() != rule.vars.size()) return false;
  if (output.kind != AccessKind::Cell && !output.lo.empty()) return false;
  std::set<std::string> names;
  for (const Formula& lo : output.lo) {
    const auto* symbol = std::get_if<SymbolRef>(&lo.node);
    if (symbol == nullptr || symbol->kind != SymbolKind::RuleVar) return false;
    names.insert(symbol->name);
  }
  return names.size() == rule.vars.size();
}

/// Whether the place of the access depends on the configuration.
bool names_tunable(const RegionAccess& access) {
  const auto is_tuned = [](const Formula& bound) { return !symbols_of(bound, SymbolKind::Tunable).empty(); };
  return std::any_of(access.lo.begin(), access.lo.end(), is_tuned) ||
         std::any_of(access.hi.begin(), access.hi.end(), is_tuned);
}

/// Whether an instance of the rule makes one cell, wherever it applies, from inputs of the transform alone.
bool makes_cell(const Transform& transform, const Rule& rule) {
  const auto is_plain_input = [&](const RegionAccess& input) {
    return transform.matrices[input.matrix].role == MatrixRole::From && !input.is_guest && !input.is_slice &&
           !input.may_be_outside() && input.tested_dims.empty() && !names_tunable(input);
  };
  const bool is_simple = rule.where.empty() && rule.where_any.empty() && !rule.is_dynamic && rule.tried.empty() &&
                         rule.temporaries.empty() && !has_opaque_parts(rule);
  return is_simple && rule.outputs.size() == 1 && is_one_cell(rule, rule.outputs.front()) &&
         std::all_of(rule.inputs.begin(), rule.inputs.end(), is_plain_input);
}

/// Reads the body of one rule.
///
/// Expressions are of four kinds, each of which may stand for the next. *Exact* ones have the same value wherever they
/// are computed. *Factors* have a small relative error. *Sums* are accumulators, scaled and added to each other and to
/// factors. All else is refused, and so is each use of an accumulator that is no sum. The cell that the rule assigns to
/// is an accumulator, too.
class SumReader {
 public:
  SumReader(const Rule& rule, const Computation& computation, ElementType output, ElementType element)
      : body_(rule.body), types_(rule.body_types), returns_(rule.is_return_form), output_(output), element_(element) {
    for (const Fold& fold : computation.folds)
      for (const Accumulator& each : fold.accumulators)
        if (is_sum(each)) note_sum(each);
  }

  /// Returns the tokens of the accumulators' types, or none if the cell is something else than sums.
  std::optional<std::vector<std::uint32_t>> run() {
    if (!has_sums_) return std::nullopt;
    std::vector<StmtId> stmts = stmts_of(body_, body_.root);
    ExprId result;
    if (returns_) {
      const auto* last = stmts.empty() ? nullptr : std::get_if<ReturnStmt>(&body_.stmts[stmts.back()].node);
      if (last == nullptr || last->value.is_none()) return std::nullopt;
      result = last->value;
      stmts.pop_back();
    } else if (!begins_with_assignment(stmts)) {
      return std::nullopt;
    }
    const bool fits = std::all_of(stmts.begin(), stmts.end(), [&](StmtId id) { return check_stmt(id, false); });
    if (!fits || (returns_ && !is_sum_of_accumulators(result)) || declared_ != accumulators_) return std::nullopt;
    return types_of_accumulators_;
  }

 private:
  [[nodiscard]] const BodyType& type_of(ExprId id) const { return types_.types[id.index()]; }
  [[nodiscard]] const NameBinding& binding_of(ExprId id) const { return types_.bindings[id.index()]; }
  [[nodiscard]] bool is_output_type(const BodyType& type) const {
    return is_floating(type) && (type.is_element ? element_ : element_of(type)) == output_;
  }

  [[nodiscard]] bool is_sum(const Accumulator& each) const {
    return each.op == FoldOp::Add && each.regrouping == Regrouping::Rounds && is_output_type(each.type) &&
           std::holds_alternative<NameExpr>(body_.exprs[each.target].node);
  }

  void note_sum(const Accumulator& each) {
    has_sums_ = true;
    if (each.binding.kind == NameKind::Local) accumulators_.insert(each.binding.index);
  }

  [[nodiscard]] bool is_output(ExprId id) const { return binding_of(id).kind == NameKind::Output; }
  [[nodiscard]] bool is_accumulator(ExprId id) const {
    if (!std::holds_alternative<NameExpr>(body_.exprs[id].node)) return false;
    return is_output(id) || (binding_of(id).kind == NameKind::Local && accumulators_.contains(binding_of(id).index));
  }

  /// The assignment that the statement is; null if it is none.
  [[nodiscard]] const AssignExpr* assignment(StmtId id) const {
    const auto* stmt = std::get_if<ExprStmt>(&body_.stmts[id].node);
    return stmt == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[stmt->expr].node);
  }

  /// Whether the output has a new value before the body uses it otherwise.
  [[nodiscard]] bool begins_with_assignment(const std::vector<StmtId>& stmts) const {
    for (const StmtId id : stmts) {
      int num_uses = 0;
      walk(
          body_, id, [](StmtId) {}, [&](ExprId expr) { num_uses += is_output(expr) ? 1 : 0; });
      if (num_uses == 0) continue;
      const AssignExpr* assign = assignment(id);
      return num_uses == 1 && assign != nullptr && !assign->is_compound && is_output(assign->lhs);
    }
    return false;
  }

  bool check_stmt(StmtId id, bool is_in_loop) {
    const Stmt& stmt = body_.stmts[id];
    if (const AssignExpr* assign = assignment(id); assign != nullptr && is_accumulator(assign->lhs))
      return is_in_loop ? is_update(*assign) : is_change(*assign);
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) return check_declaration(stmt, *decl);
    const bool is_for = std::holds_alternative<ForStmt>(stmt.node);
    bool fits = is_for || std::holds_alternative<EmptyStmt>(stmt.node) ||
                std::holds_alternative<BlockStmt>(stmt.node) || std::holds_alternative<IfStmt>(stmt.node) ||
                std::holds_alternative<ExprStmt>(stmt.node);
    for_each_child(
        stmt, [&](StmtId child) { fits = fits && check_stmt(child, is_in_loop || is_for); },
        [&](ExprId child) { fits = fits && is_exact(child); });
    return fits;
  }

  /// Accumulators begin with a number, and a word is their type, which another word can replace. Other floating-point
  /// variables keep the value that they begin with, because no assignment to them is exact.
  bool check_declaration(const Stmt& stmt, const DeclStmt& decl) {
    std::size_t num_sums = 0;
    for (const Declarator& each : decl.declarators) {
      const bool is_sum = accumulators_.contains(next_local_);
      const bool is_plain = each.pointer_depth == 0 && !each.is_reference && each.extents.empty();
      if (!is_plain || (each.init.is_none() && is_floating(decl.type))) return false;
      if (!each.init.is_none() && !is_exact(each.init)) {
        if (is_sum || !is_factor(each.init)) return false;
        factors_.insert(next_local_);
      }
      if (is_sum) declared_.insert(next_local_);
      num_sums += is_sum ? 1 : 0;
      ++next_local_;
    }
    if (num_sums == 0) return !decl.is_static;
    types_of_accumulators_.push_back(stmt.tokens.begin);
    return num_sums == decl.declarators.size() && body_.tokens[stmt.tokens.begin].text == decl.type_text;
  }

  /// `s += x`, `s = s + x` and `s = x`: each counts as a term, so that no chain of operations has more than terms.
  [[nodiscard]] bool is_update(const AssignExpr& assign) const {
    if (assign.is_compound) return (assign.op == BinaryOp::Add || assign.op == BinaryOp::Sub) && is_factor(assign.rhs);
    if (is_factor(assign.rhs)) return true;
    const auto* sum = std::get_if<BinaryExpr>(&body_.exprs[assign.rhs].node);
    if (sum == nullptr || kind_of(sum->op) != OperatorKind::Sum) return false;
    return (is_accumulator(sum->lhs) && is_factor(sum->rhs)) || (is_accumulator(sum->rhs) && is_factor(sum->lhs));
  }

  /// Outside of loops sums may be scaled, too: few times, for which the bound has room.
  [[nodiscard]] bool is_change(const AssignExpr& assign) const {
    if (is_update(assign)) return true;
    if (!assign.is_compound) return is_sum_of_accumulators(assign.rhs);
    return (assign.op == BinaryOp::Mul || assign.op == BinaryOp::Div) && is_factor(assign.rhs);
  }

  [[nodiscard]] bool is_exact(ExprId id) const {
    return std::visit(
        Overloaded{
            [](const IntegerExpr&) { return true; },
            [](const FloatExpr&) { return true; },
            [](const BoolExpr&) { return true; },
            [&](const NameExpr&) { return is_exact_name(id); },
            [&](const MemberExpr& node) { return is_exact_member(node); },
            [&](const UnaryExpr& node) { return kind_of(node.op) != OperatorKind::Pointer && is_exact(node.operand); },
            [&](const BinaryExpr& node) {
              return !is_floating(type_of(id)) && is_exact(node.lhs) && is_exact(node.rhs);
            },
            [&](const AssignExpr& node) {
              return !is_floating(type_of(id)) && is_exact(node.lhs) && is_exact(node.rhs);
            },
            [&](const ConditionalExpr& node) {
              return is_exact(node.condition) && is_exact(node.if_true) && is_exact(node.if_false);
            },
            [&](const CastExpr& node) { return is_number(node.type) && is_exact(node.operand); },
            [](const CharExpr&) { return false; },
            [](const StringExpr&) { return false; },
            [](const CallExpr&) { return false; },
            [](const SubscriptExpr&) { return false; },
            [](const InitListExpr&) { return false; },
            [](const LambdaExpr&) { return false; },
            [](const OpaqueExpr&) { return false; },
        },
        body_.exprs[id].node);
  }

  [[nodiscard]] bool is_exact_name(ExprId id) const {
    const NameBinding& binding = binding_of(id);
    switch (binding.kind) {
      case NameKind::Local:
        return !accumulators_.contains(binding.index) && !factors_.contains(binding.index);
      case NameKind::Input:
      case NameKind::SizeVar:
      case NameKind::RuleVar:
      case NameKind::ScalarInput:
      case NameKind::Constant:
        return is_number(type_of(id));
      case NameKind::Unknown:
      case NameKind::Output:
      case NameKind::Temporary:
      case NameKind::Tunable:
      case NameKind::Param:
      case NameKind::BuiltIn:
        return false;
    }
    return false;
  }

  /// `a.cell(i)` and `a.size(0)`.
  [[nodiscard]] bool is_exact_member(const MemberExpr& node) const {
    const bool is_input = std::holds_alternative<NameExpr>(body_.exprs[node.object].node) &&
                          binding_of(node.object).kind == NameKind::Input && node.is_call && !node.is_arrow;
    return is_input && (is_cell_call(node) || is_size_member(node.name)) &&
           std::all_of(node.args.begin(), node.args.end(), [&](ExprId arg) { return is_exact(arg); });
  }

  [[nodiscard]] bool is_factor(ExprId id) const {
    if (is_exact(id)) return true;
    if (!is_floating(type_of(id))) return false;
    const auto& node = body_.exprs[id].node;
    if (std::holds_alternative<NameExpr>(node))
      return binding_of(id).kind == NameKind::Local && factors_.contains(binding_of(id).index);
    if (const auto* binary = std::get_if<BinaryExpr>(&node)) {
      if (binary->op == BinaryOp::Mul || binary->op == BinaryOp::Div)
        return is_factor(binary->lhs) && is_factor(binary->rhs);
      return kind_of(binary->op) == OperatorKind::Sum && is_exact(binary->lhs) && is_exact(binary->rhs);
    }
    if (const auto* unary = std::get_if<UnaryExpr>(&node))
      return kind_of(unary->op) == OperatorKind::Sum && is_factor(unary->operand);
    if (const auto* choice = std::get_if<ConditionalExpr>(&node))
      return is_exact(choice->condition) && is_factor(choice->if_true) && is_factor(choice->if_false);
    const auto* call = std::get_if<CallExpr>(&node);
    return call != nullptr && binding_of(id).kind == NameKind::BuiltIn && call->callee == "fabs" &&
           is_factor(call->args.front());
  }

  /// Whether it is made of one accumulator or more; each operation has one that `WideSum` has.
  [[nodiscard]] bool is_sum_of_accumulators(ExprId id) const {
    if (is_accumulator(id)) return true;
    const auto& node = body_.exprs[id].node;
    if (const auto* unary = std::get_if<UnaryExpr>(&node))
      return unary->op == UnaryOp::Minus && is_sum_of_accumulators(unary->operand);
    const auto* binary = std::get_if<BinaryExpr>(&node);
    if (binary == nullptr) return false;
    const bool is_left = is_sum_of_accumulators(binary->lhs), is_right = is_sum_of_accumulators(binary->rhs);
    const bool is_beside_factor = (is_left && is_factor(binary->rhs)) || (is_right && is_factor(binary->lhs));
    if (binary->op == BinaryOp::Mul) return is_beside_factor;
    if (binary->op == BinaryOp::Div) return is_left && is_factor(binary->rhs);
    return kind_of(binary->op) == OperatorKind::Sum && (is_beside_factor || (is_left && is_right));
  }

  const Body& body_;
  const BodyTypes& types_;
  const bool returns_;
  const ElementType output_, element_;
  bool has_sums_ = false;
  std::set<std::uint32_t> accumulators_, declared_;  ///< by number of declaration
  std::set<std::uint32_t> factors_;                  ///< variables that are factors and not exact, likewise
  std::vector<std::uint32_t> types_of_accumulators_;
  std::uint32_t next_local_ = 0;
};

/// Returns what the rule adds up, or none.
std::optional<CheckedSum> checked_sum(const Transform& transform, const TransformPlan& plan, RuleId id,
                                      ElementType element) {
  const Rule& rule = transform.rules[id];
  if (!makes_cell(transform, rule)) return std::nullopt;
  const Matrix& output = transform.matrices[rule.outputs.front().matrix];
  const ElementType type = output.is_element_t ? element : output.element;
  auto types = SumReader(rule, computation_of(plan, id), type, element).run();
  if (!types) return std::nullopt;
  return CheckedSum{id, rule.outputs.front().matrix, std::move(*types)};
}

}  // namespace

std::vector<CheckedSum> find_checked_sums(const Transform& transform, const TransformPlan& plan, ElementType element) {
  std::vector<CheckedSum> out;
  if (plan.computations.empty()) return out;
  for (const MatrixId output : transform.matrices_of(MatrixRole::To)) {
    std::vector<const Segment*> segments;
    for (const Segment& segment : plan.segments)
      if (segment.matrix == output) segments.push_back(&segment);
    if (segments.size() != 1 || !segments[0]->conditions.empty() || !segments[0]->guards.empty()) continue;
    std::vector<CheckedSum> found;
    for (const RuleId rule : segments[0]->candidates)
      if (auto sum = checked_sum(transform, plan, rule, element)) found.push_back(std::move(*sum));
    if (!found.empty() && found.size() == segments[0]->candidates.size()) out.push_back(std::move(found.front()));
  }
  return out;
}

std::string to_words(const CheckedSum& sum, const Transform& transform) {
  return "cells of `" + transform.matrices[sum.output].name + "` are held to sums of rule " +
         transform.rules[sum.rule].name + " in wider numbers";
}

}  // namespace pb
