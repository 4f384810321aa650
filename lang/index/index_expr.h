// SPDX-License-Identifier: MIT
// Integer expressions of the Plan: bounds of segments and loops over size variables and
// rule variables. Exact 64-bit integers; division rounds to minus infinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pb {

struct IndexExpr {
  enum class Op : std::uint8_t { Const, Symbol, Add, Sub, Mul, FloorDiv, Min, Max };
  Op op = Op::Const;
  std::int64_t value = 0;           ///< Const
  std::string symbol;               ///< Symbol: name of a size variable, tunable or rule variable
  std::vector<IndexExpr> operands;  ///< two; Min and Max: two or more

  bool operator==(const IndexExpr&) const = default;
  [[nodiscard]] bool is_const(std::int64_t v) const { return op == Op::Const && value == v; }
};

[[nodiscard]] IndexExpr index_const(std::int64_t value);
[[nodiscard]] IndexExpr index_symbol(std::string name);
/// Builders fold constants and drop neutral elements.
[[nodiscard]] IndexExpr index_add(IndexExpr a, IndexExpr b);
[[nodiscard]] IndexExpr index_sub(IndexExpr a, IndexExpr b);
[[nodiscard]] IndexExpr index_mul(IndexExpr a, IndexExpr b);
[[nodiscard]] IndexExpr index_floordiv(IndexExpr a, IndexExpr b);
[[nodiscard]] IndexExpr index_min(const std::vector<IndexExpr>& items);
[[nodiscard]] IndexExpr index_max(const std::vector<IndexExpr>& items);

/// `w-KWIDTH+1`, `max(0, w-2)`, `floord(n, 2)`: the Plan's text form, and C where `min`, `max`, `floord` exist on
/// 64-bit integers.
[[nodiscard]] std::string to_string(const IndexExpr& expr);

using SymbolValues = std::vector<std::pair<std::string, std::int64_t>>;
/// Value for given symbols; none if a symbol has no value, a divisor is 0, or 64 bits do not hold a result.
[[nodiscard]] std::optional<std::int64_t> evaluate(const IndexExpr& expr, const SymbolValues& values);
/// Names of all symbols, each once, in order of appearance.
[[nodiscard]] std::vector<std::string> symbols_of(const IndexExpr& expr);
/// `expr` with each symbol that has an entry replaced by it.
[[nodiscard]] IndexExpr substitute(const IndexExpr& expr,
                                   const std::vector<std::pair<std::string, IndexExpr>>& replacements);
/// By how much `expr` grows with each step of `symbol`; none if it is not affine in it with a constant factor.
[[nodiscard]] std::optional<std::int64_t> affine_coefficient(const IndexExpr& expr, std::string_view symbol);
/// Reads what to_string prints; none if `text` is something else.
[[nodiscard]] std::optional<IndexExpr> parse_index_expr(const std::string& text);

}  // namespace pb
