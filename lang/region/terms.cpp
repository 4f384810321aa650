// SPDX-License-Identifier: MIT
// Finds what is provable about terms that are not affine: products, and quotients by something that is not constant.
// For isl they are parameters of their own. See Note [Terms].
#include "lang/region/terms.h"

#include <isl/ilp.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/region/isl_access.h"

namespace pb {
namespace {

using Op = IndexExpr::Op;
using Access = RegionAccessor;

/// Larger lower bounds are reduced to this. So their products stay within 64 bits, and greater bounds are never needed.
constexpr std::int64_t kLargestBound = std::int64_t{1} << 20;

struct Bounds {
  std::optional<std::int64_t> lo, hi;
};

/// Bounds of `expr` over the parameter values of `values`.
Bounds bounds_of(const Region& values, const IndexExpr& expr) {
  const std::string name = "value'";
  const Region points = Region::universe(values.context(), {name})
                            .where_zero(index_sub(expr, index_symbol(name)))
                            .intersect_parameters(values);
  isl_set* set = Access::get(points);
  Bounds out;
  if (set == nullptr) return out;
  const auto read = [](isl_val* value) -> std::optional<std::int64_t> {
    const ValPtr owned(value);
    if (!owned || isl_val_is_int(owned.get()) != isl_bool_true) return std::nullopt;
    if (isl_val_cmp_si(owned.get(), kLargestBound) > 0) return kLargestBound;
    if (isl_val_cmp_si(owned.get(), -kLargestBound) < 0) return std::nullopt;
    return isl_val_get_num_si(owned.get());
  };
  out.lo = read(isl_set_dim_min_val(isl_set_copy(set), 0));
  out.hi = read(isl_set_dim_max_val(isl_set_copy(set), 0));
  if (out.hi == kLargestBound) out.hi.reset();
  return out;
}

IndexExpr scaled(std::int64_t factor, const IndexExpr& expr) { return index_mul(index_const(factor), expr); }

/// `term` = x * y between the planes through the corners of their bounds (McCormick, 1976).
void add_product(const Region& values, const IndexExpr& term, std::vector<IndexExpr>& facts) {
  const IndexExpr& x = term.operands[0];
  const IndexExpr& y = term.operands[1];
  const Bounds of_x = bounds_of(values, x);
  const Bounds of_y = bounds_of(values, y);
  // (x - a) * (y - b) has the sign of its corner.
  const auto add = [&](const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b, bool is_above) {
    if (!a || !b) return;
    const IndexExpr plane = index_sub(index_add(scaled(*a, y), scaled(*b, x)), index_const(*a * *b));
    facts.push_back(is_above ? index_sub(term, plane) : index_sub(plane, term));
  };
  add(of_x.lo, of_y.lo, true);
  add(of_x.hi, of_y.hi, true);
  add(of_x.lo, of_y.hi, false);
  add(of_x.hi, of_y.lo, false);
  if (x == y && of_x.lo && of_x.lo != kLargestBound)  // no whole number lies between a and a + 1
    facts.push_back(index_sub(term, index_sub(scaled(2 * *of_x.lo + 1, x), index_const(*of_x.lo * (*of_x.lo + 1)))));
  // floor(a / b) * b
  for (const auto& [quotient, divisor, low] : {std::tuple(&x, &y, of_y.lo), std::tuple(&y, &x, of_x.lo)}) {
    if (quotient->op != Op::FloorDiv || !(quotient->operands[1] == *divisor) || low.value_or(0) < 1) continue;
    const IndexExpr rest = index_sub(quotient->operands[0], term);
    facts.push_back(rest);
    facts.push_back(index_sub(index_sub(*divisor, rest), index_const(1)));
  }
}

/// `term` = floor(a / b), for a >= 0 and b > 0.
void add_quotient(const Region& values, const IndexExpr& term, std::vector<IndexExpr>& facts) {
  const IndexExpr& dividend = term.operands[0];
  const Bounds of_dividend = bounds_of(values, dividend);
  const Bounds of_divisor = bounds_of(values, term.operands[1]);
  if (of_dividend.lo.value_or(-1) < 0 || of_divisor.lo.value_or(0) < 1) return;
  facts.push_back(term);
  facts.push_back(index_sub(dividend, scaled(*of_divisor.lo, term)));
  if (of_divisor.hi)
    facts.push_back(
        index_sub(index_sub(scaled(*of_divisor.hi, index_add(term, index_const(1))), dividend), index_const(1)));
}

/// Adds facts about two products with a common factor: they differ as their other factors do.
void add_difference(const Region& values, const IndexExpr& a, const IndexExpr& b, std::vector<IndexExpr>& facts) {
  if (a.op != Op::Mul || b.op != Op::Mul) return;
  for (const std::size_t i : {0U, 1U}) {
    for (const std::size_t k : {0U, 1U}) {
      const IndexExpr& common = a.operands[i];
      if (!(common == b.operands[k]) || bounds_of(values, common).lo.value_or(-1) < 0) continue;
      const Bounds apart = bounds_of(values, index_sub(a.operands[1 - i], b.operands[1 - k]));
      const IndexExpr difference = index_sub(a, b);
      if (apart.lo) facts.push_back(index_sub(difference, scaled(*apart.lo, common)));
      if (apart.hi) facts.push_back(index_sub(scaled(*apart.hi, common), difference));
    }
  }
}

bool is_term(const IndexExpr& expr) {
  if (expr.op == Op::Mul) return expr.operands[0].op != Op::Const && expr.operands[1].op != Op::Const;
  return expr.op == Op::FloorDiv && expr.operands[1].op != Op::Const;
}

/// The terms in `expr`, inner ones first, each once.
void collect_terms(const IndexExpr& expr, std::vector<IndexExpr>& out) {
  for (const IndexExpr& operand : expr.operands) collect_terms(operand, out);
  if (is_term(expr) && std::find(out.begin(), out.end(), expr) == out.end()) out.push_back(expr);
}

}  // namespace

Region with_term_facts(const Region& region) {
  if (!region.is_known()) return region;
  const auto& stands_for = RegionAccessor::state(region)->terms;
  std::vector<IndexExpr> terms;
  for (const std::string& name : region.parameters())
    if (const auto term = stands_for.find(name); term != stands_for.end()) collect_terms(term->second, terms);
  Region out = region;
  Region values = region.parameter_values();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::vector<IndexExpr> facts;
    if (terms[i].op == Op::Mul) add_product(values, terms[i], facts);
    if (terms[i].op == Op::FloorDiv) add_quotient(values, terms[i], facts);
    for (std::size_t k = 0; k < i; ++k) add_difference(values, terms[i], terms[k], facts);
    for (const IndexExpr& fact : facts) {
      values = values.where_nonnegative(fact);
      out = out.where_nonnegative(fact);
    }
  }
  return out;
}

bool is_empty_for_large(const Region& region, const std::vector<std::string>& names, std::int64_t minimum) {
  Region large = region;
  for (const std::string& name : names)
    large = large.where_nonnegative(index_sub(index_symbol(name), index_const(minimum)));
  return large.is_empty() || with_term_facts(large).is_empty();
}

// Note [Terms]
// Truth is in the sizes, and `n*m` follows from them; isl does not know how. Whether something exists for large sizes
// is asked of isl, so it must be told what is provable: with n, m >= 1000 also n*m >= 1000*n. What is told are planes
// that bound a product on the box of its factors' bounds, which isl itself finds. Nothing is told that does not hold,
// so a part that is empty with these facts is empty; one that is not may still have no sizes, and counts as if it had.

}  // namespace pb
