// SPDX-License-Identifier: MIT
// Binding of the names in formulas.
#include <cmath>
#include <string_view>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/fraction.h"
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
  const bool is_default = std::string_view(names.where) == kDefaultValue;
  if (is_default) {
    candidates.emplace_back("OPTIONAL");
    for (const auto& [word, border] : kBorderWords) candidates.emplace_back(word);
  }
  auto diag = names.scope.diags.emit(DiagKind::UnknownNameInFormula, span).arg(name);
  const std::string hint = suggest(name, candidates);
  if (!hint.empty()) diag.hint(hint);
  if (name == "optional") diag.hint("an input that may be missing is marked by `OPTIONAL`");
  if (is_default)
    diag.note("behind `=` stands a formula, `OPTIONAL`, or a border: `wrap`, `clamp`, `mirror`");
  else if (names.rule_vars)
    diag.note("rule variables come from the coordinates of outputs");
}

/// The formula that a name stands for; none after an error, which is reported.
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

/// Checks the exponent of `^`, which must be a small constant (docs/reference/language.md 3.4).
bool check_exponent(const Formula& exponent, Diagnostics& diags) {
  constexpr std::int64_t kMaxExponent = 62;
  const auto* literal = std::get_if<IntLiteral>(&exponent.node);
  if (literal && literal->value >= 0 && literal->value <= kMaxExponent) return true;
  diags.emit(DiagKind::ExponentNotConstant, exponent.span).arg(kMaxExponent);
  return false;
}

}  // namespace

bool may_name(const FormulaNames& names, const std::string& name) {
  return (names.constants && names.constants->contains(name)) || names.scope.constants.contains(name) ||
         names.scope.tunables.contains(name) || names.scope.size_vars.contains(name) ||
         (names.rule_vars && names.rule_vars->contains(name));
}

std::vector<std::string> TransformScope::formula_names() const {
  std::vector<std::string> names(size_vars.begin(), size_vars.end());
  for (const auto& [name, id] : tunables) names.push_back(name);
  return names;
}

namespace {

/// The exponent; a real number without a fraction becomes an integer.
Formula whole_exponent(const Formula& exponent) {
  const auto* real = std::get_if<RealLiteral>(&exponent.node);
  const bool is_whole = real != nullptr && std::floor(real->value) == real->value && std::fabs(real->value) < 1e15;
  return is_whole ? make_int(static_cast<std::int64_t>(real->value), exponent.span) : exponent;
}

/// The formula with its names bound; real numbers stay.
Formula bind_names(const Formula& formula, const FormulaNames& names, bool& ok) {
  return std::visit(
      Overloaded{[&](const SymbolRef& ref) {
                   auto result = bind_name(ref.name, formula.span, names);
                   if (!result) ok = false;
                   return result ? std::move(*result) : make_int(0, formula.span);
                 },
                 [&](const RealLiteral&) { return formula; },
                 [&](const BinaryFormula& binary) {
                   std::vector<Formula> operands;
                   for (const Formula& operand : binary.operands) operands.push_back(bind_names(operand, names, ok));
                   if (binary.op == FormulaOp::Pow) {
                     operands[1] = whole_exponent(operands[1]);
                     if (!check_exponent(operands[1], names.scope.diags)) ok = false;
                   }
                   return Formula{BinaryFormula{binary.op, std::move(operands)}, formula.span};
                 },
                 [&](const NegatedFormula& negated) {
                   return Formula{NegatedFormula{{bind_names(negated.operand.front(), names, ok)}}, formula.span};
                 },
                 [&](const IntLiteral&) { return formula; }},
      formula.node);
}

const Formula* first_real(const Formula& formula) {
  if (std::holds_alternative<RealLiteral>(formula.node)) return &formula;
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) return first_real(negated->operand.front());
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (binary == nullptr) return nullptr;
  const Formula* left = first_real(binary->operands[0]);
  return left != nullptr ? left : first_real(binary->operands[1]);
}

/// The formula as a quotient of whole ones; 0 after an error.
Fraction bind_fraction(const Formula& formula, const FormulaNames& names, bool& ok) {
  Formula bound_formula = bind_names(formula, names, ok);
  const Formula* real = first_real(bound_formula);
  if (!ok || real == nullptr) return {std::move(bound_formula), 1};
  if (auto fraction = as_fraction(bound_formula)) return std::move(*fraction);
  names.scope.diags.emit(DiagKind::RealInFormula, real->span)
      .arg(names.where)
      .hint("a real number here is a short decimal, such as `0.5`, and nothing but numbers divides it");
  ok = false;
  return {make_int(0, formula.span), 1};
}

}  // namespace

Formula bind_formula(const Formula& formula, const FormulaNames& names, bool& ok) {
  if (names.may_be_real) return bind_names(formula, names, ok);
  Fraction fraction = bind_fraction(formula, names, ok);
  if (fraction.den == 1) return std::move(fraction.num);
  return make_binary(FormulaOp::Div, std::move(fraction.num), make_int(fraction.den, formula.span));
}

std::pair<Formula, Formula> bind_sides(const Formula& lhs, const Formula& rhs, const FormulaNames& names, bool& ok) {
  Fraction left = bind_fraction(lhs, names, ok);
  Fraction right = bind_fraction(rhs, names, ok);
  if (left.den == right.den) return {std::move(left.num), std::move(right.num)};
  return {make_binary(FormulaOp::Mul, std::move(left.num), make_int(right.den, lhs.span)),
          make_binary(FormulaOp::Mul, std::move(right.num), make_int(left.den, rhs.span))};
}

}  // namespace pb::resolving
