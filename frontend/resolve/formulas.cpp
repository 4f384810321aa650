// SPDX-License-Identifier: MIT
// Binding of the names in formulas.
#include <cmath>
#include <utility>

#include "frontend/resolve/affine.h"
#include "frontend/resolve/scope.h"
#include "lang/overloaded.h"
#include "lang/suggest.h"

namespace pb::resolving {
namespace {

Formula bound(SymbolKind kind, const std::string& name, Span span) { return {SymbolRef{kind, name}, span}; }

std::optional<Formula> bind_tunable(const std::string& name, Span span, const FormulaNames& names) {
  const auto found = names.scope.tunables.find(name);
  if (found == names.scope.tunables.end()) return std::nullopt;
  const UserTunable& tunable = names.scope.out.tunables[found->second];
  if (tunable.is_real || tunable.array_extent > 0) {
    names.scope.diags.emit(DiagKind::NotAnIntegerInFormula, span)
        .arg(name)
        .arg(names.where)
        .label(tunable.span, tunable.is_real ? "declared here as a real number" : "declared here as an array");
    return std::nullopt;
  }
  return bound(SymbolKind::Tunable, name, span);
}

void report_unknown(const std::string& name, Span span, const FormulaNames& names) {
  if (names.scope.unusable.contains(name)) return;
  if (const auto matrix = names.scope.matrices.find(name); matrix != names.scope.matrices.end()) {
    names.scope.diags.emit(DiagKind::MatrixInFormula, span)
        .arg(name)
        .arg(names.where)
        .label(names.scope.out.matrices[matrix->second].span, "declared here as a matrix");
    return;
  }
  std::vector<std::string> candidates = names.scope.formula_names();
  if (names.rule_vars) candidates.insert(candidates.end(), names.rule_vars->begin(), names.rule_vars->end());
  auto diag = names.scope.diags.emit(DiagKind::UnknownNameInFormula, span).arg(name);
  const std::string hint = suggest(name, candidates);
  if (!hint.empty()) diag.hint(hint);
  if (names.rule_vars) diag.note("rule variables come from the coordinates of outputs");
}

/// None: reported.
std::optional<Formula> bind_name(const std::string& name, Span span, const FormulaNames& names) {
  if (names.constants) {
    if (const auto found = names.constants->find(name); found != names.constants->end()) {
      return Formula{found->second.node, span};
    }
  }
  if (const auto found = names.scope.constants.find(name); found != names.scope.constants.end())
    return Formula{found->second.node, span};
  if (names.scope.tunables.contains(name)) return bind_tunable(name, span, names);
  if (names.scope.size_vars.contains(name)) return bound(SymbolKind::SizeVar, name, span);
  if (names.rule_vars && names.rule_vars->contains(name)) return bound(SymbolKind::RuleVar, name, span);
  report_unknown(name, span, names);
  return std::nullopt;
}

/// `^` is a power with a small constant exponent (LANGUAGE 3.4).
bool check_exponent(const Formula& exponent, Diagnostics& diags) {
  constexpr std::int64_t kMaxExponent = 62;
  const auto* literal = std::get_if<IntLiteral>(&exponent.node);
  if (literal && literal->value >= 0 && literal->value <= kMaxExponent) return true;
  diags.emit(DiagKind::ExponentNotConstant, exponent.span).arg(kMaxExponent);
  return false;
}

}  // namespace

std::vector<std::string> TransformScope::formula_names() const {
  std::vector<std::string> names(size_vars.begin(), size_vars.end());
  for (const auto& [name, id] : tunables) names.push_back(name);
  return names;
}

Formula bind_formula(const Formula& formula, const FormulaNames& names, bool& ok) {
  return std::visit(
      Overloaded{[&](const SymbolRef& ref) {
                   auto result = bind_name(ref.name, formula.span, names);
                   if (!result) ok = false;
                   return result ? std::move(*result) : make_int(0, formula.span);
                 },
                 [&](const RealLiteral& literal) {
                   if (names.may_be_real) return formula;
                   constexpr double kExact = 9007199254740992.0;  // whole numbers up to here are themselves
                   const bool is_whole = std::floor(literal.value) == literal.value && std::fabs(literal.value) <= kExact;
                   if (is_whole) return make_int(static_cast<std::int64_t>(literal.value), formula.span);
                   names.scope.diags.emit(DiagKind::RealInFormula, formula.span).arg(names.where);
                   ok = false;
                   return make_int(0, formula.span);
                 },
                 [&](const BinaryFormula& binary) {
                   std::vector<Formula> operands;
                   for (const Formula& operand : binary.operands) operands.push_back(bind_formula(operand, names, ok));
                   if (binary.op == FormulaOp::Pow && !check_exponent(operands[1], names.scope.diags)) ok = false;
                   return Formula{BinaryFormula{binary.op, std::move(operands)}, formula.span};
                 },
                 [&](const NegatedFormula& negated) {
                   return Formula{NegatedFormula{{bind_formula(negated.operand.front(), names, ok)}}, formula.span};
                 },
                 [&](const IntLiteral&) { return formula; }},
      formula.node);
}

}  // namespace pb::resolving
