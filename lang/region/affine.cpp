// SPDX-License-Identifier: MIT
#include "lang/region/affine.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "lang/region/region_box.h"

namespace pb {
namespace {

using Op = IndexExpr::Op;
constexpr std::int64_t kMaxPower = 16;
constexpr std::int64_t kMaxDenominator = std::int64_t{1} << 30;

/// True if each term and the constant of a sum is known to be >= 0.
bool is_nonnegative(const IndexExpr& expr, const FormulaScope& scope) {
  const auto all = [&] {
    return std::all_of(expr.operands.begin(), expr.operands.end(),
                       [&](const IndexExpr& e) { return is_nonnegative(e, scope); });
  };
  switch (expr.op) {
    case Op::Const:
      return expr.value >= 0;
    case Op::Symbol:
      return std::find(scope.nonnegative.begin(), scope.nonnegative.end(), expr.symbol) != scope.nonnegative.end();
    case Op::Add:
    case Op::Mul:
    case Op::FloorDiv:
    case Op::Min:
      return all();
    case Op::Max:
      return std::any_of(expr.operands.begin(), expr.operands.end(),
                         [&](const IndexExpr& e) { return is_nonnegative(e, scope); });
    case Op::Sub:
      return false;
  }
  return false;
}

/// True if `expr` is >= 0 at all values of the scope for sure.
bool is_nonnegative_there(const IndexExpr& expr, const FormulaScope& scope) {
  if (!scope.values.is_known()) return false;
  for (const std::string& dim : scope.values.dims())
    if (!affine_coefficient(expr, dim)) return false;
  return scope.values.where_nonnegative(index_sub(index_const(-1), expr)).is_empty();
}

/// The quotient a / b of C, which is rounded towards zero. Exact for constant `b`; else for a >= 0, b > 0.
std::optional<IndexExpr> divide_truncating(IndexExpr a, IndexExpr b, const FormulaScope& scope) {
  if (b.op != Op::Const) return index_floordiv(std::move(a), std::move(b));
  if (b.value == 0) return std::nullopt;
  if (b.value < 0) {
    a = index_sub(index_const(0), std::move(a));
    b = index_const(-b.value);
  }
  if (a.op == Op::Const) return index_const(a.value / b.value);
  if (b.value == 1 || is_nonnegative(a, scope) || is_nonnegative_there(a, scope))
    return index_floordiv(std::move(a), std::move(b));
  const IndexExpr down = index_floordiv(a, b);
  const IndexExpr up = index_floordiv(index_add(a, index_const(b.value - 1)), b);
  if (down == up) return down;
  return index_max({down, index_min({up, index_const(0)})});
}

std::optional<IndexExpr> power(const IndexExpr& base, const IndexExpr& exponent) {
  if (exponent.op != Op::Const || exponent.value < 0 || exponent.value > kMaxPower) return std::nullopt;
  IndexExpr out = index_const(1);
  for (std::int64_t i = 0; i < exponent.value; ++i) out = index_mul(std::move(out), base);
  return out;
}

RationalExpr normal(IndexExpr numerator, std::int64_t denominator) {
  if (denominator < 0) {
    numerator = index_sub(index_const(0), std::move(numerator));
    denominator = -denominator;
  }
  return {std::move(numerator), denominator};
}

std::optional<RationalExpr> add_rational(const RationalExpr& a, const RationalExpr& b, bool subtract) {
  const std::int64_t common = std::lcm(a.denominator, b.denominator);
  if (common > kMaxDenominator) return std::nullopt;
  const IndexExpr left = index_mul(index_const(common / a.denominator), a.numerator);
  const IndexExpr right = index_mul(index_const(common / b.denominator), b.numerator);
  return RationalExpr{subtract ? index_sub(left, right) : index_add(left, right), common};
}

std::optional<RationalExpr> multiply_rational(const RationalExpr& a, const RationalExpr& b) {
  if (a.numerator.op != Op::Const && b.numerator.op != Op::Const) return std::nullopt;
  const std::int64_t denominator = a.denominator * b.denominator;
  if (denominator > kMaxDenominator) return std::nullopt;
  IndexExpr product = index_mul(a.numerator, b.numerator);
  if (product.op == Op::Const && product.value % denominator == 0)
    return RationalExpr{index_const(product.value / denominator), 1};
  return RationalExpr{std::move(product), denominator};
}

std::optional<RationalExpr> divide_rational(const RationalExpr& a, const RationalExpr& b) {
  if (b.numerator.op != Op::Const || b.numerator.value == 0) return std::nullopt;
  if (std::abs(b.numerator.value) > kMaxDenominator || a.denominator * std::abs(b.numerator.value) > kMaxDenominator)
    return std::nullopt;
  return normal(index_mul(index_const(b.denominator), a.numerator), a.denominator * b.numerator.value);
}

std::optional<RationalExpr> combine_rational(const BinaryFormula& node, const FormulaScope& scope) {
  const auto a = to_rational(node.operands[0], scope);
  const auto b = to_rational(node.operands[1], scope);
  if (!a || !b) return std::nullopt;
  switch (node.op) {
    case FormulaOp::Add:
      return add_rational(*a, *b, false);
    case FormulaOp::Sub:
      return add_rational(*a, *b, true);
    case FormulaOp::Mul:
      return multiply_rational(*a, *b);
    case FormulaOp::Div:
      return divide_rational(*a, *b);
    case FormulaOp::Pow: {
      if (a->denominator != 1 || b->denominator != 1 || a->numerator.op != Op::Const) return std::nullopt;
      auto value = power(a->numerator, b->numerator);
      if (!value) return std::nullopt;
      return RationalExpr{std::move(*value), 1};
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> to_integer(double value) {
  if (value != std::floor(value) || std::fabs(value) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<IndexExpr> combine_value(const BinaryFormula& node, const FormulaScope& scope) {
  auto a = to_index_expr(node.operands[0], scope);
  auto b = to_index_expr(node.operands[1], scope);
  if (!a || !b) return std::nullopt;
  switch (node.op) {
    case FormulaOp::Add:
      return index_add(std::move(*a), std::move(*b));
    case FormulaOp::Sub:
      return index_sub(std::move(*a), std::move(*b));
    case FormulaOp::Mul:
      return index_mul(std::move(*a), std::move(*b));
    case FormulaOp::Div:
      return divide_truncating(std::move(*a), std::move(*b), scope);
    case FormulaOp::Pow:
      return power(*a, *b);
  }
  return std::nullopt;
}

}  // namespace

std::optional<IndexExpr> to_index_expr(const Formula& formula, const FormulaScope& scope) {
  if (const auto* literal = std::get_if<IntLiteral>(&formula.node)) return index_const(literal->value);
  if (const auto* symbol = std::get_if<SymbolRef>(&formula.node)) return index_symbol(symbol->name);
  if (const auto* node = std::get_if<BinaryFormula>(&formula.node)) return combine_value(*node, scope);
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    auto value = to_index_expr(negated->operand[0], scope);
    if (!value) return std::nullopt;
    return index_sub(index_const(0), std::move(*value));
  }
  const auto whole = to_integer(std::get<RealLiteral>(formula.node).value);
  if (!whole) return std::nullopt;
  return index_const(*whole);
}

std::optional<RationalExpr> to_rational(const Formula& formula, const FormulaScope& scope) {
  std::optional<RationalExpr> out;
  if (const auto* node = std::get_if<BinaryFormula>(&formula.node)) {
    out = combine_rational(*node, scope);
  } else if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto inner = to_rational(negated->operand[0], scope);
    if (inner) out = RationalExpr{index_sub(index_const(0), inner->numerator), inner->denominator};
  } else if (auto leaf = to_index_expr(formula, scope)) {
    out = RationalExpr{std::move(*leaf), 1};
  }
  if (out || has_rule_var(formula)) return out;
  auto value = to_index_expr(formula, scope);
  if (!value) return std::nullopt;
  return RationalExpr{std::move(*value), 1};
}

Formula difference_of(const Relation& relation) {
  Formula out;
  out.node = BinaryFormula{FormulaOp::Sub, {relation.lhs, relation.rhs}};
  return out;
}

bool is_affine(const Relation& relation) { return to_rational(difference_of(relation), {}).has_value(); }

std::optional<std::int64_t> coefficient_of(const Formula& formula, std::string_view symbol) {
  if (std::holds_alternative<IntLiteral>(formula.node) || std::holds_alternative<RealLiteral>(formula.node)) return 0;
  if (const auto* name = std::get_if<SymbolRef>(&formula.node)) return name->name == symbol ? 1 : 0;
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    const auto inner = coefficient_of(negated->operand[0], symbol);
    return inner ? std::optional(-*inner) : std::nullopt;
  }
  const auto& binary = std::get<BinaryFormula>(formula.node);
  const auto a = coefficient_of(binary.operands[0], symbol);
  const auto b = coefficient_of(binary.operands[1], symbol);
  if (!a || !b) return std::nullopt;
  if (*a == 0 && *b == 0) return 0;
  if (binary.op == FormulaOp::Add) return *a + *b;
  if (binary.op == FormulaOp::Sub) return *a - *b;
  const auto* factor = std::get_if<IntLiteral>(&binary.operands[*a == 0 ? 0 : 1].node);
  if (binary.op == FormulaOp::Mul && factor != nullptr) return (*a + *b) * factor->value;
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> constant_extents(const std::vector<Formula>& extents) {
  std::vector<std::int64_t> out;
  for (const Formula& extent : extents) {
    const auto value = to_index_expr(extent, {});
    if (!value || value->op != Op::Const) return std::nullopt;
    out.push_back(std::max<std::int64_t>(0, value->value));
  }
  return out;
}

bool has_rule_var(const Formula& formula) { return !symbols_of(formula, SymbolKind::RuleVar).empty(); }

const Formula* find_non_affine(const Formula& formula) {
  if (to_rational(formula, {})) return nullptr;
  if (const auto* node = std::get_if<BinaryFormula>(&formula.node)) {
    for (const Formula& operand : node->operands)
      if (const Formula* inner = find_non_affine(operand)) return inner;
  } else if (const auto* negated = std::get_if<NegatedFormula>(&formula.node)) {
    if (const Formula* inner = find_non_affine(negated->operand[0])) return inner;
  }
  return &formula;
}

std::vector<std::string> cell_dims(int num_dims) {
  static constexpr const char* kNames[] = {"x'", "y'", "z'"};
  std::vector<std::string> out;
  for (int i = 0; i < num_dims; ++i) out.push_back(i < 3 ? kNames[i] : "d" + std::to_string(i) + "'");
  return out;
}

Region known_sizes(const RegionContext& context, const Transform& transform) {
  Region out = Region::universe(context, {});
  for (const UserTunable& tunable : transform.tunables) {
    if (tunable.is_real || tunable.array_extent != 0) continue;
    const auto min = to_integer(std::ceil(tunable.min));
    const auto max = to_integer(std::floor(tunable.max));
    const IndexExpr symbol = index_symbol(tunable.name);
    if (min) out = out.where_nonnegative(index_sub(symbol, index_const(*min)));
    if (max) out = out.where_nonnegative(index_sub(index_const(*max), symbol));
  }
  // Extents that are a lone size variable come first, because they make the divisions of the others simple.
  for (const bool lone : {true, false}) {
    const FormulaScope scope = formula_scope(transform, out);
    for (const Matrix& matrix : transform.matrices) {
      // A temporary of negative size has no cells.
      if (matrix.role == MatrixRole::Through) continue;
      for (const Formula& extent : matrix.extents) {
        if (std::holds_alternative<SymbolRef>(extent.node) != lone) continue;
        const auto value = to_index_expr(extent, scope);
        if (value) out = out.where_nonnegative(*value);
      }
    }
  }
  return out.coalesce();
}

FormulaScope formula_scope(const Transform& transform, const Region& known) {
  FormulaScope scope;
  const auto consider = [&](const std::string& name) {
    const Region negative = known.where_nonnegative(index_sub(index_const(-1), index_symbol(name)));
    if (negative.is_empty()) scope.nonnegative.push_back(name);
  };
  for (const SizeVar& var : transform.size_vars) consider(var.name);
  for (const UserTunable& tunable : transform.tunables)
    if (!tunable.is_real && tunable.array_extent == 0) consider(tunable.name);
  scope.values = known;
  return scope;
}

std::optional<Region> matrix_cells(const RegionContext& context, const Matrix& matrix, const FormulaScope& scope) {
  RegionBox box;
  for (const Formula& extent : matrix.extents) {
    auto size = to_index_expr(extent, scope);
    if (!size) return std::nullopt;
    box.dims.push_back({index_const(0), std::move(*size)});
  }
  return region_of_box(context, cell_dims(matrix.num_dims()), box);
}

std::optional<Region> keep_where(const Region& domain, const Relation& relation, const FormulaScope& scope) {
  Formula difference;
  difference.node = BinaryFormula{FormulaOp::Sub, {relation.lhs, relation.rhs}};
  const auto exact = to_rational(difference, scope);
  if (!exact) return std::nullopt;
  const IndexExpr& value = exact->numerator;  // the denominator is positive
  const IndexExpr negated = index_sub(index_const(0), value);
  const auto less = [&] { return domain.where_nonnegative(index_sub(negated, index_const(1))); };
  const auto greater = [&] { return domain.where_nonnegative(index_sub(value, index_const(1))); };
  switch (relation.op) {
    case RelationOp::Less:
      return less();
    case RelationOp::LessEqual:
      return domain.where_nonnegative(negated);
    case RelationOp::Greater:
      return greater();
    case RelationOp::GreaterEqual:
      return domain.where_nonnegative(value);
    case RelationOp::Equal:
      return domain.where_zero(value);
    case RelationOp::NotEqual:
      return less().unite(greater());
  }
  return std::nullopt;
}

namespace {

/// A coordinate as a condition: the exact rational function of its rule variables. A coordinate without rule variables
/// is a value of the call.
std::optional<RationalExpr> to_bound(const Formula& formula, const FormulaScope& scope) {
  if (has_rule_var(formula)) return to_rational(formula, scope);
  auto value = to_index_expr(formula, scope);
  if (!value) return std::nullopt;
  return RationalExpr{std::move(*value), 1};
}

}  // namespace

bool may_be_cut_off(const Formula& formula) {
  const auto exact = has_rule_var(formula) ? to_rational(formula, {}) : std::nullopt;
  return exact && exact->denominator != 1;
}

std::optional<std::vector<IndexExpr>> inside_terms(const RegionAccess& access, std::size_t dim, const IndexExpr& size,
                                                   const FormulaScope& scope) {
  const auto lo = to_bound(access.lo[dim], scope);
  const auto hi = to_bound(access.hi[dim], scope);
  if (!lo || !hi) return std::nullopt;
  // hi - 1 < size with hi = numerator/denominator, in integers.
  const IndexExpr limit = index_mul(index_const(hi->denominator), index_add(size, index_const(1)));
  return std::vector{lo->numerator, index_sub(index_sub(limit, hi->numerator), index_const(1))};
}

namespace {

/// The points of `exact` at which [lo, hi) is inside also as it is computed. At the points of `exact` it is inside as
/// rational numbers, but rounding can lead out if a division is subtracted, as in `n-i/2`.
std::optional<Region> keep_computed(const Region& exact, const Formula& lo, const Formula& hi, const IndexExpr& size,
                                    const FormulaScope& scope) {
  const Region inside = exact.intersect_parameters(scope.values);
  const FormulaScope there{scope.nonnegative, inside};
  const auto begin = to_index_expr(lo, there);
  const auto end = to_index_expr(hi, there);
  if (!begin || !end) return std::nullopt;
  Region computed = inside.where_nonnegative(*begin).where_nonnegative(index_sub(size, *end));
  return inside.is_subset(computed) ? exact : computed;
}

}  // namespace

std::optional<Region> keep_inside(const Region& domain, const RegionAccess& access, const Matrix& matrix,
                                  const FormulaScope& scope) {
  Region out = domain;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const auto size = to_index_expr(matrix.extents[d], scope);
    if (!size) return std::nullopt;
    if (access.is_mapped_dim(d)) {  // the border maps every coordinate to one inside, if there is one
      out = out.where_nonnegative(index_sub(*size, index_const(1)));
      continue;
    }
    if (std::find(access.tested_dims.begin(), access.tested_dims.end(), d) != access.tested_dims.end()) continue;
    const auto terms = inside_terms(access, d, *size, scope);
    if (!terms) return std::nullopt;
    for (const IndexExpr& term : *terms) out = out.where_nonnegative(term);
    if (!may_be_cut_off(access.lo[d]) && !may_be_cut_off(access.hi[d])) continue;
    auto computed = keep_computed(out, access.lo[d], access.hi[d], *size, scope);
    if (!computed) return std::nullopt;
    out = std::move(*computed);
  }
  return out;
}

}  // namespace pb
