// SPDX-License-Identifier: MIT
#include "choicegraph/passes/analysis/body_formulas.h"

#include <utility>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

Formula number(std::int64_t value) { return {IntLiteral{value}, {}}; }
Formula combined(FormulaOp op, Formula a, Formula b) { return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}}; }
Formula plus(Formula a, std::int64_t value) {
  return value == 0 ? a : combined(FormulaOp::Add, std::move(a), number(value));
}

/// The dimension whose size `region.name(args)` is; none if it is something else.
std::optional<std::size_t> dim_of_size(const Body& body, const MemberExpr& member, int num_dims) {
  if (!member.is_call || member.is_arrow) return std::nullopt;
  const bool is_line = num_dims == 1;
  if (member.name == "width" || (is_line && member.args.empty() && (member.name == "size" || member.name == "count")))
    return 0;
  if (member.name == "height" && num_dims > 1) return 1;
  if (member.name == "depth" && num_dims > 2) return 2;
  if (member.name != "size" || member.args.size() != 1) return std::nullopt;
  const auto dim = constant_value(body, member.args[0]);
  return dim && *dim >= 0 && *dim < num_dims ? std::optional(static_cast<std::size_t>(*dim)) : std::nullopt;
}

std::optional<Formula> formula_of_size(const Rule& rule, const MemberExpr& member) {
  const NameBinding& binding = rule.body_types.bindings[member.object.index()];
  const bool is_known = binding.kind == NameKind::Input || binding.kind == NameKind::Output;
  if (!std::holds_alternative<NameExpr>(rule.body.exprs[member.object].node) || !is_known) return std::nullopt;
  const RegionAccess& access = (binding.kind == NameKind::Input ? rule.inputs : rule.outputs)[binding.index];
  const auto dim = dim_of_size(rule.body, member, access.num_body_dims());
  return dim ? size_of(access, *dim) : std::nullopt;
}

}  // namespace

std::optional<Formula> formula_of(const Rule& rule, ExprId id) {
  const Expr& expr = rule.body.exprs[id];
  const BodyType& type = rule.body_types.types[id.index()];
  const NameBinding& binding = rule.body_types.bindings[id.index()];
  if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return formula_of_size(rule, *member);
  if ((type.kind != Kind::Int && type.kind != Kind::Long) || type.is_unsigned) return std::nullopt;
  if (const auto value = constant_value(rule.body, id)) return number(*value);
  if (const auto* name = std::get_if<NameExpr>(&expr.node)) {
    if (binding.kind == NameKind::SizeVar) return Formula{SymbolRef{SymbolKind::SizeVar, name->text}, {}};
    if (binding.kind == NameKind::RuleVar) return Formula{SymbolRef{SymbolKind::RuleVar, name->text}, {}};
    return std::nullopt;
  }
  const auto* binary = std::get_if<BinaryExpr>(&expr.node);
  const bool is_sum = binary != nullptr && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
  if (!is_sum) return std::nullopt;
  const auto lhs = formula_of(rule, binary->lhs);
  const auto rhs = formula_of(rule, binary->rhs);
  if (!lhs || !rhs) return std::nullopt;
  return combined(binary->op == BinaryOp::Add ? FormulaOp::Add : FormulaOp::Sub, *lhs, *rhs);
}

std::optional<Formula> size_of(const RegionAccess& access, std::size_t body_dim) {
  for (std::size_t d = 0; d < access.lo.size(); ++d)
    if (!access.is_fixed_dim(d) && body_dim-- == 0) return difference(access.hi[d], access.lo[d]);
  return std::nullopt;
}

std::optional<LoopRange> range_of(const Rule& rule, const Fold& loop) {
  const bool is_up = loop.step > 0;
  if (loop.var_type.narrow_bytes != 0 || (loop.var_type.is_unsigned && !is_up)) return std::nullopt;
  if (loop.step != 1 && loop.step != -1) return std::nullopt;
  auto first = formula_of(rule, loop.first), last = formula_of(rule, loop.last);
  if (!first || !last) return std::nullopt;
  if (is_up) return LoopRange{std::move(*first), plus(std::move(*last), loop.is_inclusive ? 1 : 0), true};
  return LoopRange{plus(std::move(*last), loop.is_inclusive ? 0 : 1), plus(std::move(*first), 1), false};
}

Formula difference(Formula a, Formula b) { return combined(FormulaOp::Sub, std::move(a), std::move(b)); }

bool never_holds(const Region& instances, const Formula& lhs, RelationOp op, const Formula& rhs,
                 const FormulaScope& scope) {
  const auto kept = keep_where(instances, {lhs, op, rhs, {}}, scope);
  return kept && kept->is_known() && kept->is_empty();
}

bool are_equal(const Region& instances, const Formula& a, const Formula& b, const FormulaScope& scope) {
  return never_holds(instances, a, RelationOp::Less, b, scope) &&
         never_holds(instances, a, RelationOp::Greater, b, scope);
}

}  // namespace pb::choices
