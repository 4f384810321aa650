// SPDX-License-Identifier: MIT
// Converts between IndexExpr and isl's quasi-affine functions.
#include <algorithm>

#include "lang/check.h"
#include "lang/region/isl_access.h"

namespace pb {
namespace {

using Op = IndexExpr::Op;
using State = RegionState;

/// Whether the expression is a product of two unknowns or a division by an unknown. For isl it is a parameter.
bool is_parameter(const IndexExpr& expr) {
  const auto is_const = [](const IndexExpr& e) { return e.op == Op::Const; };
  if (expr.op == Op::Mul) return !is_const(expr.operands[0]) && !is_const(expr.operands[1]);
  return expr.op == Op::FloorDiv && (!is_const(expr.operands[1]) || expr.operands[1].value == 0);
}

/// The name of the parameter for a term: its text, changed because isl refuses names that begin like a number.
std::string term_name(const IndexExpr& term) {
  const std::string text = to_string(term);
  return text[0] == '-' || (text[0] >= '0' && text[0] <= '9') ? "(" + text + ")" : text;
}

SpacePtr add_parameter(SpacePtr space, const std::string& name) {
  if (!space || isl_space_find_dim_by_name(space.get(), isl_dim_param, name.c_str()) >= 0) return space;
  isl_space* out = isl_space_add_dims(space.release(), isl_dim_param, 1);
  const int last = isl_space_dim(out, isl_dim_param) - 1;
  return SpacePtr(isl_space_set_dim_name(out, isl_dim_param, static_cast<unsigned>(last), name.c_str()));
}

PwAffPtr symbol_to_pw_aff(isl_space* space, const std::string& name) {
  if (space == nullptr) return nullptr;  // a limit was exceeded before
  isl_dim_type type = isl_dim_set;
  int position = isl_space_find_dim_by_name(space, isl_dim_set, name.c_str());
  if (position < 0) {
    type = isl_dim_param;
    position = isl_space_find_dim_by_name(space, isl_dim_param, name.c_str());
  }
  PB_CHECK(position >= 0, "every symbol is a dimension or a parameter");
  isl_local_space* local = isl_local_space_from_space(isl_space_copy(space));
  return PwAffPtr(isl_pw_aff_var_on_domain(local, type, static_cast<unsigned>(position)));
}

PwAffPtr constant_to_pw_aff(State& state, isl_space* space, std::int64_t value) {
  isl_local_space* local = isl_local_space_from_space(isl_space_copy(space));
  isl_val* number = isl_val_int_from_si(state.ctx, value);
  return PwAffPtr(isl_pw_aff_from_aff(isl_aff_val_on_domain(local, number)));
}

PwAffPtr combine(Op op, PwAffPtr a, PwAffPtr b) {
  switch (op) {
    case Op::Add:
      return PwAffPtr(isl_pw_aff_add(a.release(), b.release()));
    case Op::Sub:
      return PwAffPtr(isl_pw_aff_sub(a.release(), b.release()));
    case Op::Mul:
      return PwAffPtr(isl_pw_aff_mul(a.release(), b.release()));
    case Op::FloorDiv:
      return PwAffPtr(isl_pw_aff_floor(isl_pw_aff_div(a.release(), b.release())));
    case Op::Min:
      return PwAffPtr(isl_pw_aff_min(a.release(), b.release()));
    case Op::Max:
      return PwAffPtr(isl_pw_aff_max(a.release(), b.release()));
    case Op::Const:
    case Op::Symbol:
      break;
  }
  PB_CHECK(false, "a leaf combines nothing");
  return nullptr;
}

/// The integer `value`, if it fits 64 bits.
std::optional<std::int64_t> to_int64(isl_val* value) {
  const ValPtr owned(value);
  constexpr std::int64_t kBound = std::int64_t{1} << 62;
  if (!owned || isl_val_is_int(owned.get()) != isl_bool_true) return std::nullopt;
  if (isl_val_cmp_si(owned.get(), kBound) > 0 || isl_val_cmp_si(owned.get(), -kBound) < 0) return std::nullopt;
  return isl_val_get_num_si(owned.get());
}

IndexExpr parameter_expr(const State& state, const char* name) {
  const auto term = state.terms.find(name);
  return term != state.terms.end() ? term->second : index_symbol(name);
}

/// Adds the terms of one kind of dimension, each times `denominator`; false if one cannot be said.
bool add_terms(const State& state, isl_aff* aff, isl_dim_type type, isl_val* denominator, IndexExpr& sum) {
  const int count = isl_aff_dim(aff, type);
  for (int i = 0; i < count; ++i) {
    isl_val* coefficient = isl_aff_get_coefficient_val(aff, type, i);
    const auto factor = to_int64(isl_val_mul(coefficient, isl_val_copy(denominator)));
    if (!factor) return false;
    if (*factor == 0) continue;
    IndexExpr item;
    if (type == isl_dim_div) {
      const AffPtr inner(isl_aff_get_div(aff, i));
      const auto quotient = inner ? from_aff(state, inner.get()) : std::nullopt;
      if (!quotient) return false;
      item = *quotient;
    } else {
      const char* name = isl_aff_get_dim_name(aff, type, static_cast<unsigned>(i));
      if (name == nullptr) return false;
      item = parameter_expr(state, name);
    }
    sum = index_add(std::move(sum), index_mul(index_const(*factor), std::move(item)));
  }
  return true;
}

struct AffinePiece {
  SetPtr domain;
  AffPtr function;
};

std::vector<AffinePiece> pieces_of(isl_pw_aff* function) {
  std::vector<AffinePiece> out;
  const auto keep = [](isl_set* domain, isl_aff* aff, void* user) {
    static_cast<std::vector<AffinePiece>*>(user)->push_back({SetPtr(domain), AffPtr(aff)});
    return isl_stat_ok;
  };
  if (isl_pw_aff_foreach_piece(function, keep, &out) < 0) out.clear();
  return out;
}

/// True if each piece is, where it holds, at least (`is_max`) or at most every other one.
bool is_extremum(State& state, const std::vector<AffinePiece>& pieces, bool is_max) {
  for (const AffinePiece& piece : pieces) {
    for (const AffinePiece& other : pieces) {
      if (&piece == &other) continue;
      isl_aff* lesser = isl_aff_copy(is_max ? other.function.get() : piece.function.get());
      isl_aff* greater = isl_aff_copy(is_max ? piece.function.get() : other.function.get());
      isl_set* ordered = isl_set_from_basic_set(isl_aff_le_basic_set(lesser, greater));
      const SetPtr owned(ordered);
      if (!is_true(state, isl_set_is_subset(piece.domain.get(), owned.get()))) return false;
    }
  }
  return true;
}

/// Writes x - floord(a, d) as one division, if that is shorter: `n-floord(n+1, 2)` is `floord(n, 2)`.
IndexExpr join_division(const IndexExpr& expr) {
  if (expr.op != Op::Sub || expr.operands[1].op != Op::FloorDiv) return expr;
  const IndexExpr& divisor = expr.operands[1].operands[1];
  const IndexExpr dividend = index_sub(index_mul(divisor, expr.operands[0]), expr.operands[1].operands[0]);
  const IndexExpr rounded = index_add(dividend, index_const(divisor.value - 1));
  const IndexExpr joined = index_floordiv(rounded, divisor);
  return to_string(joined).size() < to_string(expr).size() ? joined : expr;
}

}  // namespace

SpacePtr add_parameters(State& state, SpacePtr space, const IndexExpr& expr) {
  if (expr.op == Op::Symbol) {
    if (isl_space_find_dim_by_name(space.get(), isl_dim_set, expr.symbol.c_str()) >= 0) return space;
    return add_parameter(std::move(space), expr.symbol);
  }
  if (is_parameter(expr)) {
    const std::string name = term_name(expr);
    state.terms.emplace(name, expr);
    return add_parameter(std::move(space), name);
  }
  for (const IndexExpr& operand : expr.operands) space = add_parameters(state, std::move(space), operand);
  return space;
}

PwAffPtr to_pw_aff(State& state, isl_space* space, const IndexExpr& expr) {
  if (expr.op == Op::Const) return constant_to_pw_aff(state, space, expr.value);
  if (expr.op == Op::Symbol) return symbol_to_pw_aff(space, expr.symbol);
  if (is_parameter(expr)) {
    for (const std::string& name : symbols_of(expr))
      PB_CHECK(isl_space_find_dim_by_name(space, isl_dim_set, name.c_str()) < 0,
               "dimensions occur in affine terms only");
    return symbol_to_pw_aff(space, term_name(expr));
  }
  PwAffPtr out = to_pw_aff(state, space, expr.operands[0]);
  for (std::size_t i = 1; i < expr.operands.size(); ++i)
    out = combine(expr.op, std::move(out), to_pw_aff(state, space, expr.operands[i]));
  return out;
}

std::optional<IndexExpr> from_aff(const State& state, isl_aff* aff) {
  const ValPtr denominator(isl_aff_get_denominator_val(aff));
  const auto divisor = to_int64(isl_val_copy(denominator.get()));
  isl_val* constant = isl_aff_get_constant_val(aff);
  const auto offset = to_int64(isl_val_mul(constant, isl_val_copy(denominator.get())));
  if (!divisor || !offset) return std::nullopt;
  IndexExpr sum = index_const(0);
  if (!add_terms(state, aff, isl_dim_in, denominator.get(), sum) ||
      !add_terms(state, aff, isl_dim_param, denominator.get(), sum) ||
      !add_terms(state, aff, isl_dim_div, denominator.get(), sum)) {
    return std::nullopt;
  }
  return join_division(index_floordiv(index_add(std::move(sum), index_const(*offset)), index_const(*divisor)));
}

std::vector<IndexExpr> terms_of(State& state, isl_pw_aff* function) {
  std::vector<IndexExpr> out;
  for (const AffinePiece& piece : pieces_of(function)) {
    auto item = from_aff(state, piece.function.get());
    if (!item) return {};
    if (std::find(out.begin(), out.end(), *item) == out.end()) out.push_back(std::move(*item));
  }
  return out;
}

std::optional<IndexExpr> from_pw_aff(State& state, isl_pw_aff* function) {
  const PwAffPtr simple(isl_pw_aff_coalesce(isl_pw_aff_copy(function)));
  if (!simple) return std::nullopt;
  const std::vector<AffinePiece> pieces = pieces_of(simple.get());
  if (pieces.empty()) return std::nullopt;
  std::vector<IndexExpr> items;
  for (const AffinePiece& piece : pieces) {
    auto item = from_aff(state, piece.function.get());
    if (!item) return std::nullopt;
    if (std::find(items.begin(), items.end(), *item) == items.end()) items.push_back(std::move(*item));
  }
  if (items.size() == 1) return items.front();
  std::stable_partition(items.begin(), items.end(), [](const IndexExpr& item) { return item.op == Op::Const; });
  if (is_extremum(state, pieces, true)) return index_max(items);
  if (is_extremum(state, pieces, false)) return index_min(items);
  return std::nullopt;
}

}  // namespace pb
