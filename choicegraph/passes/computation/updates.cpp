// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/updates.h"

#include <algorithm>
#include <utility>

#include "lang/body/body_walk.h"
#include "lang/body/std_names.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

bool is_whole(const BodyType& type) {
  return type.kind == Kind::Int || type.kind == Kind::Long || type.kind == Kind::Char;
}

std::optional<FoldOp> fold_op(BinaryOp op) {
  static constexpr std::pair<BinaryOp, FoldOp> kOps[] = {
      {BinaryOp::Add, FoldOp::Add},        {BinaryOp::Sub, FoldOp::Add},     {BinaryOp::Mul, FoldOp::Mul},
      {BinaryOp::BitAnd, FoldOp::BitAnd},  {BinaryOp::BitOr, FoldOp::BitOr}, {BinaryOp::BitXor, FoldOp::BitXor},
      {BinaryOp::LogicalAnd, FoldOp::And}, {BinaryOp::LogicalOr, FoldOp::Or}};
  for (const auto& [binary, fold] : kOps)
    if (binary == op) return fold;
  return std::nullopt;
}

/// Matches the forms of updates of one variable.
class Matcher {
 public:
  Matcher(const Rule& rule, ElementType element, ExprId target, VariableKey variable)
      : rule_(rule), body_(rule.body), element_(element), target_(target), variable_(variable) {
    Accumulator& out = matched_.accumulator;
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[target].node);
    const ExprId named = cell != nullptr ? cell->object : target;
    out.target = target;
    out.name = std::get<NameExpr>(body_.exprs[named].node).text;
    out.binding = rule.body_types.bindings[named.index()];
    out.type = type_of(target);
    matched_.variable = variable;
  }

  [[nodiscard]] bool match_assignment(const OuterAssignment& assignment) {
    matched_.assignments = {assignment.expr};
    matched_.accumulator.updates = {{assignment.stmt, {}}};
    matched_.num_mentions = count_mentions(rule_, assignment.expr, variable_);
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[assignment.expr].node);
    if (assign == nullptr) return set_op(FoldOp::Add, {});  // ++ or --
    if (assign->is_compound) {
      const auto op = own_op(assign->op);
      return op && is_free(assign->rhs) && set_op(*op, assign->rhs);
    }
    return match_value(assign->rhs);
  }

  /// Matches the condition of `if (x < s)`, or `c && x < s`, where the statement then assigns `value`.
  [[nodiscard]] bool match_condition(ExprId condition, ExprId value) {
    const auto* binary = std::get_if<BinaryExpr>(&body_.exprs[condition].node);
    if (binary == nullptr) return false;
    if (binary->op == BinaryOp::LogicalAnd) {
      if (is_free(binary->lhs)) return match_condition(binary->rhs, value);
      return is_free(binary->rhs) && match_condition(binary->lhs, value);
    }
    return match_comparison(*binary, value, true);
  }

  [[nodiscard]] MatchedUpdate take() { return std::move(matched_); }
  [[nodiscard]] MatchedUpdate& matched() { return matched_; }

 private:
  [[nodiscard]] BodyType type_of(ExprId id) const { return settled(rule_.body_types.types[id.index()], element_); }
  [[nodiscard]] bool is_target(ExprId id) const { return is_same_expr(rule_, id, target_); }
  [[nodiscard]] bool is_free(ExprId id) const { return count_mentions(rule_, id, variable_) == 0; }

  /// The operator of updates by `op`. Truth values have no differences: `b -= c` is true for 0 - 1, and no sum of parts
  /// says how often.
  [[nodiscard]] std::optional<FoldOp> own_op(BinaryOp op) const {
    const bool is_truth = matched_.accumulator.type.kind == Kind::Bool;
    return is_truth && op == BinaryOp::Sub ? std::nullopt : fold_op(op);
  }

  bool set_op(FoldOp op, ExprId value) {
    Accumulator& out = matched_.accumulator;
    out.op = op;
    if (out.type.kind == Kind::Bool && op == FoldOp::BitAnd) out.op = FoldOp::And;
    if (out.type.kind == Kind::Bool && op == FoldOp::BitOr) out.op = FoldOp::Or;
    out.updates.front().value = value;
    const bool rounds = op == FoldOp::Add || op == FoldOp::Mul;
    out.regrouping = rounds && is_floating(out.type) ? Regrouping::Rounds : Regrouping::Exact;
    const bool is_truth = op == FoldOp::And || op == FoldOp::Or;
    if (is_truth && (out.type.kind != Kind::Bool || (!value.is_none() && !may_always_run(value)))) return false;
    return why_not_regrouped(out, value.is_none() ? out.type : type_of(value)).empty();
  }

  /// Whether an operand of `&&` or `||` may be computed where the source does not need it: it neither divides whole
  /// numbers nor reads at computed places.
  [[nodiscard]] bool may_always_run(ExprId value) const {
    bool is_harmless = true;
    walk_expr(body_, value, [&](ExprId id) {
      const auto& node = body_.exprs[id].node;
      const auto* binary = std::get_if<BinaryExpr>(&node);
      if (binary != nullptr && kind_of(binary->op) == OperatorKind::Quotient && !is_floating(type_of(id)))
        is_harmless = false;
      const auto* cell = std::get_if<MemberExpr>(&node);
      if (cell == nullptr) return;
      for (const ExprId arg : cell->args)
        walk_expr(body_, arg, [&](ExprId part) {
          const auto& inner = body_.exprs[part].node;
          if (std::holds_alternative<MemberExpr>(inner) || std::holds_alternative<SubscriptExpr>(inner))
            is_harmless = false;
        });
    });
    return is_harmless;
  }

  /// Matches what a plain assignment assigns.
  bool match_value(ExprId id) {
    const Expr& expr = body_.exprs[id];
    if (const auto* truth = std::get_if<BoolExpr>(&expr.node))
      return matched_.accumulator.type.kind == Kind::Bool && set_op(truth->value ? FoldOp::Or : FoldOp::And, {});
    if (const auto* call = std::get_if<CallExpr>(&expr.node)) return match_call(id, *call);
    if (const auto* choice = std::get_if<ConditionalExpr>(&expr.node)) return match_conditional(*choice);
    const auto* binary = std::get_if<BinaryExpr>(&expr.node);
    if (binary == nullptr) return false;
    const auto op = own_op(binary->op);
    if (!op || !match_chain(id, *op)) return false;
    const bool is_short = is_target(binary->lhs) || is_target(binary->rhs);
    const ExprId other = is_target(binary->lhs) ? binary->rhs : binary->lhs;
    if (!is_short) {
      // `s + x + y`: the operand stands in parts, and the type is that of the whole.
      const std::string reason = why_not_regrouped(matched_.accumulator, type_of(id));
      return reason.empty() && set_op(*op, {});
    }
    return set_op(*op, other);
  }

  /// Whether an expression combines the accumulator, once, with other operands: `s + x - y`, but not `x - s`.
  bool match_chain(ExprId id, FoldOp op) const {
    if (is_target(id)) return true;
    const auto* binary = std::get_if<BinaryExpr>(&body_.exprs[id].node);
    if (binary == nullptr || fold_op(binary->op) != op) return false;
    if (is_free(binary->rhs)) return match_chain(binary->lhs, op);
    return binary->op != BinaryOp::Sub && is_free(binary->lhs) && match_chain(binary->rhs, op);
  }

  bool match_call(ExprId id, const CallExpr& call) {
    if (rule_.body_types.bindings[id.index()].kind != NameKind::BuiltIn || call.args.size() != 2) return false;
    const std::string_view name = without_std(call.callee);
    const bool is_max = name == "max" || name == "fmax";
    if (!is_max && name != "min" && name != "fmin") return false;
    const bool is_first = is_target(call.args[0]);
    const ExprId value = call.args[is_first ? 1 : 0];
    if (!is_first && !is_target(call.args[1])) return false;
    // `max(s, x)` takes x if s < x; `max(x, s)` takes it unless x < s, so also if it is NaN. What `fmax` does with
    // zeros of two signs is the library's choice.
    return is_free(value) && set_extremum(is_max ? FoldOp::Max : FoldOp::Min, value, is_first && name[0] != 'f',
                                          is_first ? FoldTies::First : FoldTies::Last);
  }

  /// Matches `x > s ? x : s` and `c ? s + x : s`, whichever branch keeps the accumulator.
  bool match_conditional(const ConditionalExpr& choice) {
    const bool keeps_true = is_target(choice.if_true), keeps_false = is_target(choice.if_false);
    if (keeps_true == keeps_false) return false;
    const ExprId other = keeps_true ? choice.if_false : choice.if_true;
    if (is_free(choice.condition)) return match_value(other);
    const auto* test = std::get_if<BinaryExpr>(&body_.exprs[choice.condition].node);
    return test != nullptr && match_comparison(*test, other, keeps_false);
  }

  /// Matches a comparison of the accumulator with `value`. `takes`: the accumulator becomes `value` if the comparison
  /// holds; else it stays if the comparison holds.
  bool match_comparison(const BinaryExpr& test, ExprId value, bool takes) {
    const bool is_left = is_target(test.lhs);
    if (!is_left && !is_target(test.rhs)) return false;
    const ExprId other = is_left ? test.rhs : test.lhs;
    if (!is_free(other) || !is_same_expr(rule_, other, value)) return false;
    const bool is_strict = test.op == BinaryOp::Less || test.op == BinaryOp::Greater;
    if (!is_strict && test.op != BinaryOp::LessEqual && test.op != BinaryOp::GreaterEqual) return false;
    const bool is_less = test.op == BinaryOp::Less || test.op == BinaryOp::LessEqual;
    // `x < s` and `s > x` say that the value is smaller.
    const bool is_value_smaller = is_less != is_left;
    const bool is_min = is_value_smaller == takes;
    const bool is_first = is_strict == takes;
    return set_extremum(is_min ? FoldOp::Min : FoldOp::Max, value, takes, is_first ? FoldTies::First : FoldTies::Last);
  }

  /// `leaves_nan`: a NaN among the values is never taken.
  bool set_extremum(FoldOp op, ExprId value, bool leaves_nan, FoldTies ties) {
    Accumulator& out = matched_.accumulator;
    if (!is_same_number(out.type, type_of(value)) || out.type.kind == Kind::Bool) return false;
    out.op = op;
    out.updates.front().value = value;
    out.ties = ties;
    const bool is_exact = !is_floating(out.type) || (leaves_nan && ties == FoldTies::First);
    out.regrouping = is_exact ? Regrouping::Exact : Regrouping::Never;
    return true;
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  ExprId target_;
  VariableKey variable_;
  MatchedUpdate matched_;
};

/// The plain assignments of `if (…) { a = b; … }`, if there is nothing else in it; else none.
std::vector<OuterAssignment> assignments_in(const Body& body, const IfStmt& node,
                                            const std::vector<OuterAssignment>& assignments) {
  std::vector<OuterAssignment> out;
  if (!node.else_stmt.is_none()) return {};
  for (const StmtId stmt : stmts_of(body, node.then_stmt)) {
    const auto found = std::find_if(assignments.begin(), assignments.end(),
                                    [&](const OuterAssignment& each) { return each.stmt == stmt; });
    if (found == assignments.end()) return {};
    const auto* assign = std::get_if<AssignExpr>(&body.exprs[found->expr].node);
    if (assign == nullptr || assign->is_compound) return {};
    out.push_back(*found);
  }
  return out;
}

FoldPlace place_of(const Rule& rule, ElementType element, const OuterAssignment& assignment) {
  const auto& assign = std::get<AssignExpr>(rule.body.exprs[assignment.expr].node);
  const auto& name = std::get<NameExpr>(rule.body.exprs[assignment.target].node);
  const std::size_t index = assignment.target.index();
  return {assignment.target, name.text, rule.body_types.bindings[index], settled(rule.body_types.types[index], element),
          assign.rhs};
}

}  // namespace

bool is_same_number(const BodyType& a, const BodyType& b) {
  return a.kind == b.kind && a.is_unsigned == b.is_unsigned && a.narrow_bytes == b.narrow_bytes;
}

BodyType settled(const BodyType& type, ElementType element) {
  if (!type.is_element || type.kind == Kind::Region || type.kind == Kind::Array || type.kind == Kind::Pointer)
    return type;
  BodyType out = number_type(element);
  out.is_const = type.is_const;
  return out;
}

std::string why_not_regrouped(const Accumulator& accumulator, const BodyType& operands) {
  if (!is_number(operands) || !is_number(accumulator.type)) return "its type is not known";
  if (is_floating(accumulator.type) || is_whole(operands)) {
    if (accumulator.type.kind != Kind::Bool) return "";
    return "it is a truth value and takes numbers";
  }
  if (operands.kind == Kind::Bool) return "";
  return "it is a whole number, and each update cuts off what lies behind the point";
}

std::optional<MatchedUpdate> match_assignment(const Rule& rule, ElementType element,
                                              const OuterAssignment& assignment) {
  if (assignment.stmt.is_none()) return std::nullopt;
  Matcher matcher(rule, element, assignment.target, assignment.variable);
  if (!matcher.match_assignment(assignment)) return std::nullopt;
  return matcher.take();
}

std::optional<MatchedUpdate> match_if(const Rule& rule, ElementType element, StmtId stmt,
                                      const std::vector<OuterAssignment>& assignments) {
  const auto& node = std::get<IfStmt>(rule.body.stmts[stmt].node);
  const std::vector<OuterAssignment> inside = assignments_in(rule.body, node, assignments);
  for (const OuterAssignment& candidate : inside) {
    const auto& assign = std::get<AssignExpr>(rule.body.exprs[candidate.expr].node);
    Matcher matcher(rule, element, candidate.target, candidate.variable);
    MatchedUpdate& matched = matcher.matched();
    matched.accumulator.updates = {{stmt, {}}};
    if (!matcher.match_condition(node.condition, assign.rhs)) continue;
    matched.num_mentions = count_mentions(rule, node.condition, candidate.variable);
    for (const OuterAssignment& each : inside) {
      matched.assignments.push_back(each.expr);
      matched.num_mentions += count_mentions(rule, each.expr, candidate.variable);
      if (each.expr == candidate.expr) continue;
      // A place that notes the former value, as the second smallest does, depends on the order.
      const bool is_plain = std::holds_alternative<NameExpr>(rule.body.exprs[each.target].node);
      if (!is_plain || count_mentions(rule, each.expr, candidate.variable) != 0) return std::nullopt;
      matched.accumulator.places.push_back(place_of(rule, element, each));
    }
    // A place that a later equal value overwrites depends on the order of equal values.
    if (matched.accumulator.ties == FoldTies::Last && !matched.accumulator.places.empty())
      matched.accumulator.regrouping = Regrouping::Never;
    return matcher.take();
  }
  return std::nullopt;
}

}  // namespace pb::choices
