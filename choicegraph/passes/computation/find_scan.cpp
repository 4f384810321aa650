// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/find_scan.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "choicegraph/passes/computation/loop_effects.h"
#include "choicegraph/passes/computation/updates.h"
#include "choicegraph/passes/computation/value_flow.h"
#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/std_names.h"
#include "lang/region/affine.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

bool is_number_of_scans(const BodyType& type) {
  return is_floating(type) || ((type.kind == Kind::Int || type.kind == Kind::Long) && type.narrow_bytes == 0);
}

/// What an expression is as a function of the value before.
struct Form {
  enum class Kind : std::uint8_t { Free, Affine, Chain, Extremum, Other };
  Kind kind = Kind::Other;
  bool has_factor_one = false;    ///< of an affine function: `before + x`
  bool has_summand_zero = false;  ///< of an affine function: `before * x`
  ScanOp op = ScanOp::Add;        ///< of a chain or an extremum
  ExprId culprit = {};            ///< what makes it Other
};

/// Tells what expressions are as functions of one input.
class Forms {
 public:
  Forms(const Rule& rule, ElementType element, std::size_t input)
      : rule_(rule), body_(rule.body), element_(element), before_{NameKind::Input, static_cast<std::uint32_t>(input)} {}

  [[nodiscard]] bool is_free(ExprId id) const { return count_mentions(rule_, id, before_) == 0; }
  [[nodiscard]] BodyType type_of(ExprId id) const { return settled(rule_.body_types.types[id.index()], element_); }

  [[nodiscard]] Form form_of(ExprId id) const {
    if (is_free(id)) return {Form::Kind::Free};
    const auto& node = body_.exprs[id].node;
    if (std::holds_alternative<NameExpr>(node)) return {Form::Kind::Affine, true, true};
    if (const auto* unary = std::get_if<UnaryExpr>(&node)) return of_unary(id, *unary);
    if (const auto* binary = std::get_if<BinaryExpr>(&node)) return of_binary(id, *binary);
    if (const auto* choice = std::get_if<ConditionalExpr>(&node)) return of_choice(id, *choice);
    if (const auto* call = std::get_if<CallExpr>(&node)) return of_call(id, *call);
    return other(id);
  }

 private:
  [[nodiscard]] static Form other(ExprId id) {
    Form out;
    out.culprit = id;
    return out;
  }
  [[nodiscard]] bool is_before(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) && key_of(binding) == before_;
  }
  [[nodiscard]] bool may_combine(ExprId id) const { return is_number_of_scans(type_of(id)); }

  [[nodiscard]] Form of_unary(ExprId id, const UnaryExpr& unary) const {
    const Form inner = form_of(unary.operand);
    if (inner.kind == Form::Kind::Other) return inner;
    if (inner.kind != Form::Kind::Affine || !may_combine(id)) return other(id);
    if (unary.op == UnaryOp::Plus) return inner;
    if (unary.op == UnaryOp::Minus) return {Form::Kind::Affine, false, inner.has_summand_zero};
    return other(id);
  }

  [[nodiscard]] Form of_binary(ExprId id, const BinaryExpr& binary) const {
    const Form lhs = form_of(binary.lhs), rhs = form_of(binary.rhs);
    for (const Form* side : {&lhs, &rhs})
      if (side->kind == Form::Kind::Other) return *side;
    if (!may_combine(id)) return other(id);
    const bool has_free = lhs.kind == Form::Kind::Free || rhs.kind == Form::Kind::Free;
    const Form& own = lhs.kind == Form::Kind::Free ? rhs : lhs;
    if (const auto op = bit_op(binary.op)) {
      const bool is_start = is_before(binary.lhs) || is_before(binary.rhs);
      const bool continues = own.kind == Form::Kind::Chain && own.op == *op;
      if (!has_free || (!is_start && !continues)) return other(id);
      return {Form::Kind::Chain, false, false, *op};
    }
    const auto is_affine = [](const Form& form) {
      return form.kind == Form::Kind::Affine || form.kind == Form::Kind::Free;
    };
    if (!is_affine(lhs) || !is_affine(rhs)) return other(id);
    if (binary.op == BinaryOp::Add || binary.op == BinaryOp::Sub) {
      const bool keeps_factor = has_free && (binary.op == BinaryOp::Add || rhs.kind == Form::Kind::Free);
      return {Form::Kind::Affine, keeps_factor && own.has_factor_one,
              !has_free && lhs.has_summand_zero && rhs.has_summand_zero};
    }
    const bool divides = binary.op == BinaryOp::Div && rhs.kind == Form::Kind::Free && is_floating(type_of(id));
    if (has_free && (binary.op == BinaryOp::Mul || divides)) return {Form::Kind::Affine, false, own.has_summand_zero};
    return other(id);
  }
  [[nodiscard]] static std::optional<ScanOp> bit_op(BinaryOp op) {
    if (op == BinaryOp::BitAnd) return ScanOp::BitAnd;
    if (op == BinaryOp::BitOr) return ScanOp::BitOr;
    if (op == BinaryOp::BitXor) return ScanOp::BitXor;
    return std::nullopt;
  }

  [[nodiscard]] Form of_choice(ExprId id, const ConditionalExpr& choice) const {
    if (!is_free(choice.condition)) return of_comparison(id, choice);
    const Form a = form_of(choice.if_true), b = form_of(choice.if_false);
    for (const Form* side : {&a, &b})
      if (side->kind == Form::Kind::Other) return *side;
    const auto is_affine = [](const Form& form) {
      return form.kind == Form::Kind::Affine || form.kind == Form::Kind::Free;
    };
    if (!is_affine(a) || !is_affine(b) || !may_combine(id)) return other(id);
    return {Form::Kind::Affine, a.has_factor_one && b.has_factor_one, a.has_summand_zero && b.has_summand_zero};
  }

  /// `x > before ? x : before`, and the other spellings of the smallest or largest.
  [[nodiscard]] Form of_comparison(ExprId id, const ConditionalExpr& choice) const {
    const auto* test = std::get_if<BinaryExpr>(&body_.exprs[choice.condition].node);
    const bool keeps_true = is_before(choice.if_true);
    const ExprId value = keeps_true ? choice.if_false : choice.if_true;
    if (test == nullptr || keeps_true == is_before(choice.if_false) || !is_free(value)) return other(id);
    const bool is_left = is_before(test->lhs);
    const ExprId compared = is_left ? test->rhs : test->lhs;
    if (is_left == is_before(test->rhs) || !is_same_expr(rule_, compared, value)) return other(id);
    const bool is_strict = test->op == BinaryOp::Less || test->op == BinaryOp::Greater;
    if (!is_strict && test->op != BinaryOp::LessEqual && test->op != BinaryOp::GreaterEqual) return other(id);
    const bool is_less = test->op == BinaryOp::Less || test->op == BinaryOp::LessEqual;
    const bool takes = !keeps_true;
    const bool is_min = (is_less != is_left) == takes;
    return extremum(id, is_min ? ScanOp::Min : ScanOp::Max, value, takes && is_strict);
  }

  [[nodiscard]] Form of_call(ExprId id, const CallExpr& call) const {
    const std::string_view name = without_std(call.callee);
    const bool is_max = name == "max";
    if (rule_.body_types.bindings[id.index()].kind != NameKind::BuiltIn || call.args.size() != 2 ||
        (!is_max && name != "min"))
      return other(id);
    const bool is_first = is_before(call.args[0]);
    const ExprId value = call.args[is_first ? 1 : 0];
    if ((!is_first && !is_before(call.args[1])) || !is_free(value)) return other(id);
    return extremum(id, is_max ? ScanOp::Max : ScanOp::Min, value, is_first);
  }

  /// `keeps_first`: a NaN is never taken, and of equal values the one before stays.
  [[nodiscard]] Form extremum(ExprId id, ScanOp op, ExprId value, bool keeps_first) const {
    const BodyType type = type_of(id);
    if (!may_combine(id) || !is_same_number(type, type_of(value)) || (is_floating(type) && !keeps_first))
      return other(id);
    return {Form::Kind::Extremum, false, false, op};
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  VariableKey before_;
};

class ScanFinder {
 public:
  ScanFinder(const Rule& rule, ElementType element) : rule_(rule), body_(rule.body), element_(element) {}

  [[nodiscard]] ScanSearch run() {
    if (!reads_itself()) return {};
    if (rule_.is_dynamic || !rule_.tried.empty()) return refuse("its instances test a condition", rule_.span);
    if (has_opaque_parts(rule_)) return refuse("its body may do more than its tree says", rule_.span);
    for (const RegionAccess& output : rule_.outputs)
      if (output.kind != AccessKind::Cell || output.lo.empty()) return refuse("it writes more than cells", output.span);
    for (std::size_t i = 0; i < rule_.inputs.size() && why_not_.reason.empty(); ++i) add_input(i);
    check_that_values_are_apart();
    if (!why_not_.reason.empty()) return {std::nullopt, std::move(why_not_)};
    return {std::move(scan_), std::nullopt};
  }

 private:
  [[nodiscard]] static ScanSearch refuse(std::string reason, Span span) {
    return {std::nullopt, WhyNotScan{std::move(reason), span}};
  }
  void fail(std::string reason, Span span) {
    if (why_not_.reason.empty()) why_not_ = {std::move(reason), span};
  }
  [[nodiscard]] std::optional<std::size_t> output_of(MatrixId matrix) const {
    for (std::size_t o = 0; o < rule_.outputs.size(); ++o)
      if (rule_.outputs[o].matrix == matrix) return o;
    return std::nullopt;
  }
  [[nodiscard]] bool reads_itself() const {
    return std::any_of(rule_.inputs.begin(), rule_.inputs.end(),
                       [&](const RegionAccess& input) { return output_of(input.matrix).has_value(); });
  }

  void add_input(std::size_t i) {
    const RegionAccess& input = rule_.inputs[i];
    const std::optional<std::size_t> output = output_of(input.matrix);
    if (!output) return;
    const std::size_t count = static_cast<std::size_t>(
        std::count_if(rule_.outputs.begin(), rule_.outputs.end(),
                      [&](const RegionAccess& access) { return access.matrix == input.matrix; }));
    const bool has_value = input.border == Border::None || input.border == Border::Default;
    if (input.kind != AccessKind::Cell || !has_value || !input.tested_dims.empty() || count != 1 || is_known(*output))
      return fail("it reads more of its own output than one cell that exists or has a default", input.span);
    if (!add_direction(input, rule_.outputs[*output])) return;
    add_value(i, *output);
  }
  [[nodiscard]] bool is_known(std::size_t output) const {
    return std::any_of(scan_.values.begin(), scan_.values.end(),
                       [&](const ScannedValue& value) { return value.output == output; });
  }

  /// Finds where the input lies beside the output. All inputs must lie on the same side.
  bool add_direction(const RegionAccess& input, const RegionAccess& output) {
    const std::string reason =
        "what it reads of its own output is not the cell one step back along one of its variables";
    std::optional<std::size_t> dim;
    bool is_backward = false;
    for (std::size_t d = 0; d < output.lo.size(); ++d) {
      const auto to = to_rational(output.lo[d], {}), from = to_rational(input.lo[d], {});
      if (!to || !from || to->denominator != 1 || from->denominator != 1) return fail(reason, input.span), false;
      const IndexExpr distance = index_sub(from->numerator, to->numerator);
      if (distance.is_const(0)) continue;
      is_backward = distance.is_const(1);
      if (dim || (!is_backward && !distance.is_const(-1))) return fail(reason, input.span), false;
      dim = d;
    }
    const std::string var = dim ? var_of(output, *dim) : "";
    if (var.empty()) return fail(reason, input.span), false;
    if (!scan_.values.empty() && (scan_.var != var || scan_.dim != *dim || scan_.is_backward != is_backward))
      return fail("it reads its outputs along several directions", input.span), false;
    scan_.var = var;
    scan_.dim = *dim;
    scan_.is_backward = is_backward;
    return true;
  }

  /// The variable that alone, and with factor 1, is in that coordinate, and in no other one; else empty.
  [[nodiscard]] std::string var_of(const RegionAccess& access, std::size_t dim) const {
    std::string out;
    for (const RuleVar& var : rule_.vars)
      for (std::size_t d = 0; d < access.lo.size(); ++d) {
        const auto factor = coefficient_of(access.lo[d], var.name);
        if (!factor) return "";
        if (*factor == 0) continue;
        if (d == dim && (*factor != 1 || !out.empty())) return "";
        if (d != dim && out == var.name) return "";
        if (d == dim) out = var.name;
      }
    for (std::size_t d = 0; d < access.lo.size() && !out.empty(); ++d)
      if (d != dim && coefficient_of(access.lo[d], out) != 0) return "";
    return out;
  }

  void add_value(std::size_t input, std::size_t output) {
    const std::optional<ExprId> found = value_of(output);
    if (!found) return;
    const Forms forms(rule_, element_, input);
    const VariableKey before{NameKind::Input, static_cast<std::uint32_t>(input)};
    int mentions = 0;
    ExprId outside = {};
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          if (!std::holds_alternative<NameExpr>(body_.exprs[id].node)) return;
          if (key_of(rule_.body_types.bindings[id.index()]) == before) ++mentions, outside = id;
        });
    const Span span = body_.exprs[*found].span;
    if (mentions != count_mentions(rule_, *found, before))
      return fail("it uses the cell one step back elsewhere, too", body_.exprs[outside].span);
    const Form form = forms.form_of(*found);
    if (form.kind == Form::Kind::Free) return fail("its value does not depend on the cell one step back", span);
    if (form.kind == Form::Kind::Other)
      return fail(
          "this is no sum, product, smallest, largest or linear recurrence of the cell one step back, or its "
          "type or a NaN says that its order counts",
          body_.exprs[form.culprit].span);
    const BodyType type = forms.type_of(*found);
    if (!is_same_number(type, type_of_input(input)))
      return fail("each step converts the value to the type of the cell", span);
    ScannedValue value{output, input, *found, form.op, false};
    if (form.kind == Form::Kind::Affine) {
      value.op = form.has_factor_one ? ScanOp::Add : form.has_summand_zero ? ScanOp::Mul : ScanOp::Linear;
      value.rounds = is_floating(type);
    }
    scan_.values.push_back(value);
  }
  /// Checks that no value needs what this step makes of another one, or of itself: in parts of a scan, the values
  /// before are not known yet, and what depends on them is only computed when they are.
  void check_that_values_are_apart() {
    for (const ScannedValue& from : scan_.values) {
      const std::set<VariableKey> reached = variables_reached_by(rule_, from.combine);
      for (const ScannedValue& to : scan_.values) {
        const ExprId source = to.output == from.output ? ExprId() : from.combine;
        if (depends_on(rule_, to.combine, source, reached))
          return fail("its value depends on what another output becomes in the same step",
                      body_.exprs[to.combine].span);
      }
    }
  }
  [[nodiscard]] BodyType type_of_input(std::size_t input) const {
    BodyType out;
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const NameBinding& binding = rule_.body_types.bindings[id.index()];
          if (std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding.kind == NameKind::Input &&
              binding.index == input)
            out = settled(rule_.body_types.types[id.index()], element_);
        });
    return out;
  }

  /// The expression that gives an output its value, whatever the instance is; none after a message.
  [[nodiscard]] std::optional<ExprId> value_of(std::size_t output) {
    ExprId out = {};
    for (const StmtId id : stmts_of(body_, body_.root)) {
      const auto& node = body_.stmts[id].node;
      if (const auto* result = std::get_if<ReturnStmt>(&node)) out = result->value;
      const auto* stmt = std::get_if<ExprStmt>(&node);
      const auto* assign = stmt == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[stmt->expr].node);
      if (assign != nullptr && !assign->is_compound && is_output(assign->lhs, output)) out = assign->rhs;
    }
    if (out.is_none() || num_assignments(output) != 1) {
      fail("its output does not get its value by one assignment at the top of the body", rule_.span);
      return std::nullopt;
    }
    return behind_locals(out);
  }
  [[nodiscard]] bool is_output(ExprId id, std::size_t output) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding.kind == NameKind::Output &&
           binding.index == output;
  }

  /// How many statements give the output a value or end the body.
  [[nodiscard]] int num_assignments(std::size_t output) const {
    int out = 0;
    walk(
        body_, body_.root, [&](StmtId id) { out += std::holds_alternative<ReturnStmt>(body_.stmts[id].node) ? 1 : 0; },
        [&](ExprId id) {
          const ExprId target = assigned(id);
          out += !target.is_none() && is_output(target, output) ? 1 : 0;
        });
    return out;
  }
  /// What the expression assigns to; none if it is no assignment.
  [[nodiscard]] ExprId assigned(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* assign = std::get_if<AssignExpr>(&node)) return assign->lhs;
    const auto* unary = std::get_if<UnaryExpr>(&node);
    return unary != nullptr && kind_of(unary->op) == OperatorKind::Step ? unary->operand : ExprId();
  }

  /// Follows names of locals that keep the value of their declaration, and have its type.
  [[nodiscard]] ExprId behind_locals(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    if (!std::holds_alternative<NameExpr>(body_.exprs[id].node) || binding.kind != NameKind::Local) return id;
    const ExprId init = constant_init(binding.index);
    if (init.is_none()) return id;
    const BodyType own = settled(rule_.body_types.types[id.index()], element_);
    return is_same_number(own, settled(rule_.body_types.types[init.index()], element_)) ? behind_locals(init) : id;
  }
  /// What a local is declared with at the top of the body; none if it may change.
  [[nodiscard]] ExprId constant_init(std::uint32_t local) const {
    ExprId out = {};
    std::uint32_t next = 0;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          if (decl == nullptr) return;
          for (const Declarator& each : decl->declarators)
            if (next++ == local && each.extents.empty() && !each.is_reference && each.pointer_depth == 0)
              out = each.init;
        },
        [&](ExprId) {});
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const ExprId target = assigned(id);
          if (target.is_none()) return;
          const NameBinding& binding = rule_.body_types.bindings[target.index()];
          if (binding.kind == NameKind::Local && binding.index == local) out = {};
        });
    return out;
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  Scan scan_;
  WhyNotScan why_not_;
};

}  // namespace

ScanSearch find_scan(const Rule& rule, ElementType element) { return ScanFinder(rule, element).run(); }

}  // namespace pb::choices
