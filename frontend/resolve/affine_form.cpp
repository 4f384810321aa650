// SPDX-License-Identifier: MIT
#include "frontend/resolve/affine_form.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "frontend/resolve/growth.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

__extension__ typedef __int128 Wide;

std::optional<Rational> make_rational(Wide num, Wide den) {
  if (den == 0) return std::nullopt;
  if (den < 0) {
    num = -num;
    den = -den;
  }
  Wide a = num < 0 ? -num : num;
  Wide b = den;
  while (b != 0) std::swap(a %= b, b);
  if (a > 1) {
    num /= a;
    den /= a;
  }
  const Wide limit = Wide{1} << 62;
  if (num > limit || num < -limit || den > limit) return std::nullopt;
  return Rational{static_cast<std::int64_t>(num), static_cast<std::int64_t>(den)};
}

std::optional<Rational> add(Rational a, Rational b) {
  return make_rational(Wide{a.num} * b.den + Wide{b.num} * a.den, Wide{a.den} * b.den);
}
std::optional<Rational> multiply(Rational a, Rational b) {
  return make_rational(Wide{a.num} * b.num, Wide{a.den} * b.den);
}

/// Returns `form * factor`.
std::optional<AffineForm> scale(const AffineForm& form, Rational factor) {
  AffineForm out;
  const auto constant = multiply(form.constant, factor);
  if (!constant) return std::nullopt;
  out.constant = *constant;
  for (const auto& [name, coefficient] : form.terms) {
    const auto scaled = multiply(coefficient, factor);
    if (!scaled) return std::nullopt;
    if (!scaled->is_zero()) out.terms.emplace(name, *scaled);
  }
  return out;
}

std::optional<AffineForm> sum(AffineForm a, const AffineForm& b) {
  const auto constant = add(a.constant, b.constant);
  if (!constant) return std::nullopt;
  a.constant = *constant;
  for (const auto& [name, coefficient] : b.terms) {
    const auto total = add(a.terms[name], coefficient);
    if (!total) return std::nullopt;
    if (total->is_zero()) {
      a.terms.erase(name);
    } else {
      a.terms[name] = *total;
    }
  }
  return a;
}

std::optional<AffineForm> power(const AffineForm& base, const AffineForm& exponent) {
  if (!base.terms.empty() || !exponent.terms.empty()) {
    return exponent.terms.empty() && exponent.constant == Rational{1, 1} ? std::optional(base) : std::nullopt;
  }
  if (!exponent.constant.is_integer() || exponent.constant.num < 0 || exponent.constant.num > 62) return std::nullopt;
  Rational value{1, 1};
  for (std::int64_t i = 0; i < exponent.constant.num; ++i) {
    const auto next = multiply(value, base.constant);
    if (!next) return std::nullopt;
    value = *next;
  }
  return AffineForm{value, {}};
}

std::optional<AffineForm> combine(FormulaOp op, const AffineForm& lhs, const AffineForm& rhs) {
  switch (op) {
    case FormulaOp::Add:
      return sum(lhs, rhs);
    case FormulaOp::Sub: {
      const auto negative = scale(rhs, {-1, 1});
      return negative ? sum(lhs, *negative) : std::nullopt;
    }
    case FormulaOp::Mul:
      if (rhs.terms.empty()) return scale(lhs, rhs.constant);
      if (lhs.terms.empty()) return scale(rhs, lhs.constant);
      return std::nullopt;
    case FormulaOp::Div: {
      if (!rhs.terms.empty()) return std::nullopt;
      const auto inverse = make_rational(rhs.constant.den, rhs.constant.num);
      return inverse ? scale(lhs, *inverse) : std::nullopt;
    }
    case FormulaOp::Pow:
      return power(lhs, rhs);
  }
  return std::nullopt;
}

int count_uses(const Formula& formula, const std::string& name) {
  return std::visit(
      Overloaded{[](const IntLiteral&) { return 0; }, [](const RealLiteral&) { return 0; },
                 [&](const SymbolRef& ref) { return ref.name == name ? 1 : 0; },
                 [&](const BinaryFormula& binary) {
                   return count_uses(binary.operands[0], name) + count_uses(binary.operands[1], name);
                 },
                 [&](const NegatedFormula& negated) { return count_uses(negated.operand.front(), name); }},
      formula.node);
}

/// Takes one step towards solving `lhs op rhs == target` for the wanted name, which is on the left side if `in_lhs`.
std::optional<Formula> undo(const BinaryFormula& binary, bool in_lhs, Formula target, SolutionRank& rank) {
  const Formula& other = binary.operands[in_lhs ? 1 : 0];
  const auto worsen = [&rank](SolutionRank to) { rank = std::max(rank, to); };
  switch (binary.op) {
    case FormulaOp::Add:
      worsen(SolutionRank::WithoutDivision);
      return make_binary(FormulaOp::Sub, std::move(target), other);
    case FormulaOp::Sub:
      worsen(SolutionRank::WithoutDivision);
      return in_lhs ? make_binary(FormulaOp::Add, std::move(target), other)
                    : make_binary(FormulaOp::Sub, other, std::move(target));
    case FormulaOp::Mul:
      worsen(symbols_of(other, SymbolKind::SizeVar).empty() ? SolutionRank::ExactDivision : SolutionRank::BySize);
      return make_binary(FormulaOp::Div, std::move(target), other);
    case FormulaOp::Div:
      worsen(SolutionRank::LossyDivision);
      if (!in_lhs) return std::nullopt;  // `12/n`
      return make_binary(FormulaOp::Mul, std::move(target), other);
    case FormulaOp::Pow:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Solves a formula that names the wanted variable exactly once, by undoing its operators from the outside in.
std::optional<Solution> solve_single_use(const std::string& name, const Formula& formula, const Formula& actual) {
  const Formula* rest = &formula;
  std::optional<Solution> out(std::in_place);
  out->value = actual;
  while (!std::holds_alternative<SymbolRef>(rest->node)) {
    if (const auto* negated = std::get_if<NegatedFormula>(&rest->node)) {
      out->value = make_negated(std::move(out->value));
      out->rank = std::max(out->rank, SolutionRank::WithoutDivision);
      rest = &negated->operand.front();
      continue;
    }
    const auto& binary = std::get<BinaryFormula>(rest->node);
    const bool in_lhs = count_uses(binary.operands[0], name) == 1;
    auto next = undo(binary, in_lhs, std::move(out->value), out->rank);
    if (!next) return std::nullopt;
    out->value = std::move(*next);
    rest = &binary.operands[in_lhs ? 0 : 1];
  }
  return out;
}

Formula term_formula(const std::string& name, Rational coefficient, const Formula& like) {
  Formula symbol{SymbolRef{SymbolKind::SizeVar, name}, like.span};
  return make_binary(FormulaOp::Mul, make_int(coefficient.num, like.span), std::move(symbol));
}

/// Solves an affine formula that names the wanted variable several times (`n+n`): all
/// coefficients are brought to one denominator first.
std::optional<Solution> solve_affine(const std::string& name, const Formula& formula, const Formula& actual) {
  const auto form = affine_form(formula);
  if (!form || !form->terms.contains(name)) return std::nullopt;
  std::int64_t common = form->constant.den;
  for (const auto& [unused, coefficient] : form->terms) common = std::lcm(common, coefficient.den);
  const auto whole = scale(*form, {common, 1});
  if (!whole) return std::nullopt;
  Formula target = make_binary(FormulaOp::Mul, actual, make_int(common, formula.span));
  target = make_binary(FormulaOp::Sub, std::move(target), make_int(whole->constant.num, formula.span));
  for (const auto& [other, coefficient] : whole->terms) {
    if (other != name)
      target = make_binary(FormulaOp::Sub, std::move(target), term_formula(other, coefficient, formula));
  }
  const std::int64_t factor = whole->terms.at(name).num;
  target = make_binary(FormulaOp::Div, std::move(target), make_int(factor, formula.span));
  const SolutionRank rank = common != 1   ? SolutionRank::LossyDivision
                            : factor == 1 ? SolutionRank::WithoutDivision
                                          : SolutionRank::ExactDivision;
  return Solution{std::move(target), rank};
}

/// `formula` as `factor*name + rest`, both without the name.
struct Linear {
  Formula factor;
  Formula rest;
};

std::optional<Linear> linear_in(const std::string& name, const Formula& formula) {
  const Span span = formula.span;
  if (count_uses(formula, name) == 0) return Linear{make_int(0, span), formula};
  if (std::holds_alternative<SymbolRef>(formula.node)) return Linear{make_int(1, span), make_int(0, span)};
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    auto inner = linear_in(name, negated->operand.front());
    if (!inner) return std::nullopt;
    return Linear{make_negated(std::move(inner->factor)), make_negated(std::move(inner->rest))};
  }
  const auto& binary = std::get<BinaryFormula>(formula.node);
  const auto lhs = linear_in(name, binary.operands[0]);
  const auto rhs = linear_in(name, binary.operands[1]);
  if (!lhs || !rhs) return std::nullopt;
  if (binary.op == FormulaOp::Add || binary.op == FormulaOp::Sub)
    return Linear{make_binary(binary.op, lhs->factor, rhs->factor), make_binary(binary.op, lhs->rest, rhs->rest)};
  if (binary.op != FormulaOp::Mul) return std::nullopt;
  const bool in_lhs = count_uses(binary.operands[0], name) > 0;
  if (in_lhs && count_uses(binary.operands[1], name) > 0) return std::nullopt;  // `n*n`
  const Linear& form = in_lhs ? *lhs : *rhs;
  const Formula& other = binary.operands[in_lhs ? 1 : 0];
  return Linear{make_binary(FormulaOp::Mul, form.factor, other), make_binary(FormulaOp::Mul, form.rest, other)};
}

/// Solves `m*n + n` for n.
std::optional<Solution> solve_linear(const std::string& name, const Formula& formula, const Formula& actual) {
  auto form = linear_in(name, formula);
  if (!form) return std::nullopt;
  const bool by_size = !symbols_of(form->factor, SymbolKind::SizeVar).empty();
  Formula product = make_binary(FormulaOp::Sub, actual, std::move(form->rest));
  return Solution{make_binary(FormulaOp::Div, std::move(product), std::move(form->factor)),
                  by_size ? SolutionRank::BySize : SolutionRank::ExactDivision};
}

/// Solves formulas such as `n*n` by a search: a call looks for the n that fits.
std::optional<Solution> solve_by_search(const std::string& name, const Formula& formula) {
  if (!grows_with(name, formula)) return std::nullopt;
  return Solution{formula, SolutionRank::BySearch};
}

const std::int64_t* int_value(const Formula& formula) {
  const auto* literal = std::get_if<IntLiteral>(&formula.node);
  return literal ? &literal->value : nullptr;
}

std::optional<std::int64_t> fold(FormulaOp op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case FormulaOp::Add:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case FormulaOp::Sub:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case FormulaOp::Mul:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case FormulaOp::Div:
      if (b == 0 || b == -1) return b == -1 ? fold(FormulaOp::Sub, 0, a) : std::nullopt;
      return a / b;
    case FormulaOp::Pow:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Joins the constants of `(x + c) op d`, with constants c and d and op `+` or `-`.
std::optional<Formula> join_constants(FormulaOp op, const Formula& lhs, std::int64_t right) {
  const auto* inner = std::get_if<BinaryFormula>(&lhs.node);
  if (!inner || (inner->op != FormulaOp::Add && inner->op != FormulaOp::Sub)) return std::nullopt;
  const std::int64_t* constant = int_value(inner->operands[1]);
  if (!constant) return std::nullopt;
  const auto left = inner->op == FormulaOp::Add ? std::optional(*constant) : fold(FormulaOp::Sub, 0, *constant);
  const auto total = left ? fold(op, *left, right) : std::nullopt;
  if (!total || *total == INT64_MIN) return std::nullopt;
  const FormulaOp sign = *total < 0 ? FormulaOp::Sub : FormulaOp::Add;
  return make_binary(sign, inner->operands[0], make_int(*total < 0 ? -*total : *total, lhs.span));
}

}  // namespace

std::optional<AffineForm> affine_form(const Formula& formula) {
  return std::visit(Overloaded{[](const IntLiteral& literal) -> std::optional<AffineForm> {
                                 return AffineForm{{literal.value, 1}, {}};
                               },
                               [](const RealLiteral&) -> std::optional<AffineForm> { return std::nullopt; },
                               [](const SymbolRef& ref) -> std::optional<AffineForm> {
                                 return AffineForm{{0, 1}, {{ref.name, Rational{1, 1}}}};
                               },
                               [](const BinaryFormula& binary) -> std::optional<AffineForm> {
                                 const auto lhs = affine_form(binary.operands[0]);
                                 const auto rhs = affine_form(binary.operands[1]);
                                 return lhs && rhs ? combine(binary.op, *lhs, *rhs) : std::nullopt;
                               },
                               [](const NegatedFormula& negated) -> std::optional<AffineForm> {
                                 const auto operand = affine_form(negated.operand.front());
                                 return operand ? scale(*operand, {-1, 1}) : std::nullopt;
                               }},
                    formula.node);
}

std::optional<Solution> solve_for(const std::string& name, const Formula& formula, const Formula& actual) {
  if (count_uses(formula, name) == 1) {
    auto solution = solve_single_use(name, formula, actual);
    return solution ? solution : solve_by_search(name, formula);
  }
  if (auto solution = solve_affine(name, formula, actual)) return solution;
  if (auto solution = solve_linear(name, formula, actual)) return solution;
  return solve_by_search(name, formula);
}

Formula substitute(const Formula& formula, const std::map<std::string, Formula>& values) {
  return std::visit(
      Overloaded{[&](const SymbolRef& ref) {
                   const auto found = values.find(ref.name);
                   if (found == values.end()) return formula;
                   return Formula{found->second.node, formula.span};
                 },
                 [&](const BinaryFormula& binary) {
                   return Formula{
                       BinaryFormula{binary.op,
                                     {substitute(binary.operands[0], values), substitute(binary.operands[1], values)}},
                       formula.span};
                 },
                 [&](const NegatedFormula& negated) {
                   return Formula{NegatedFormula{{substitute(negated.operand.front(), values)}}, formula.span};
                 },
                 [&](const IntLiteral&) { return formula; }, [&](const RealLiteral&) { return formula; }},
      formula.node);
}

Formula make_int(std::int64_t value, Span span) {
  if (value >= 0) return {IntLiteral{value}, span};
  return {NegatedFormula{{Formula{IntLiteral{-value}, span}}}, span};
}

Formula make_binary(FormulaOp op, Formula lhs, Formula rhs) {
  const Span span = lhs.span;
  if (const auto* negated = std::get_if<NegatedFormula>(&rhs.node); negated && int_value(negated->operand.front())) {
    Formula positive = negated->operand.front();
    if (op == FormulaOp::Add) return make_binary(FormulaOp::Sub, std::move(lhs), std::move(positive));
    if (op == FormulaOp::Sub) return make_binary(FormulaOp::Add, std::move(lhs), std::move(positive));
  }
  const std::int64_t* left = int_value(lhs);
  const std::int64_t* right = int_value(rhs);
  if (left && right) {
    if (const auto value = fold(op, *left, *right); value && *value != INT64_MIN) return make_int(*value, span);
  }
  const bool is_sum = op == FormulaOp::Add || op == FormulaOp::Sub;
  const bool is_product = op == FormulaOp::Mul || op == FormulaOp::Div;
  if (right && ((is_sum && *right == 0) || (is_product && *right == 1))) return lhs;
  if (left && ((op == FormulaOp::Add && *left == 0) || (op == FormulaOp::Mul && *left == 1))) return rhs;
  if (op == FormulaOp::Mul && ((left && *left == 0) || (right && *right == 0))) return make_int(0, span);
  if (right && is_sum) {
    if (auto joined = join_constants(op, lhs, *right)) return std::move(*joined);
  }
  std::vector<Formula> operands;
  operands.push_back(std::move(lhs));
  operands.push_back(std::move(rhs));
  return {BinaryFormula{op, std::move(operands)}, span};
}

Formula make_negated(Formula operand) {
  const Span span = operand.span;
  if (const auto* inner = std::get_if<NegatedFormula>(&operand.node)) return inner->operand.front();
  return {NegatedFormula{{std::move(operand)}}, span};
}

}  // namespace pb
