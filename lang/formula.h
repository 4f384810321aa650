// SPDX-License-Identifier: MIT
// Formulas of headers: matrix extents, coordinates of regions, `where` relations. After
// resolution every name is bound to a symbol; macros, template parameters and
// `duplicate` variables are already substituted. Evaluated with C integer arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lang/operators.h"
#include "lang/span.h"

namespace pb {

enum class SymbolKind : std::uint8_t { SizeVar, RuleVar, Tunable, TemplateParam, Param, Unresolved };

struct IntLiteral {
  std::int64_t value = 0;
  bool operator==(const IntLiteral&) const = default;
};
struct RealLiteral {
  double value = 0;
  bool operator==(const RealLiteral&) const = default;
};
struct SymbolRef {
  SymbolKind kind = SymbolKind::Unresolved;
  std::string name;
  bool operator==(const SymbolRef&) const = default;
};
struct Formula;
/// `operands` has exactly two elements (a vector because Formula is incomplete here).
struct BinaryFormula {
  FormulaOp op = FormulaOp::Add;
  std::vector<Formula> operands;
  bool operator==(const BinaryFormula&) const;
};
/// `operand` has exactly one element.
struct NegatedFormula {
  std::vector<Formula> operand;
  bool operator==(const NegatedFormula&) const;
};

struct Formula {
  std::variant<IntLiteral, RealLiteral, SymbolRef, BinaryFormula, NegatedFormula> node;
  Span span;
  /// Structural equality; spans do not count.
  bool operator==(const Formula& other) const { return node == other.node; }
};
inline bool BinaryFormula::operator==(const BinaryFormula& o) const { return op == o.op && operands == o.operands; }
inline bool NegatedFormula::operator==(const NegatedFormula& o) const { return operand == o.operand; }

/// The text of a formula with minimal parentheses and without blanks: `w-KWIDTH+1`. It is valid in `.pbcc`, and also in
/// C++ and OpenCL C if it has no `^` (see to_c).
[[nodiscard]] std::string to_string(const Formula& formula);
/// The formula in C; `^` becomes repeated multiplication.
[[nodiscard]] std::string to_c(const Formula& formula);
/// The formula in C for programs that link the runtime, where a division by zero is an error.
[[nodiscard]] std::string to_checked_c(const Formula& formula);
/// The formula in C as the solution of an equation: a product divided by a size that is zero is zero.
[[nodiscard]] std::string to_solution_c(const Formula& formula);
/// The formula in C with values of type `double`: no quotient is rounded.
[[nodiscard]] std::string to_real_c(const Formula& formula);
/// `formula` with the symbols in `names` renamed.
[[nodiscard]] Formula renamed(const Formula& formula, const std::vector<std::pair<std::string, std::string>>& names);
/// Names of all symbols of `kind`, each once, in order of appearance.
[[nodiscard]] std::vector<std::string> symbols_of(const Formula& formula, SymbolKind kind);

/// Names in `formula`, each once, in order of appearance, of every kind.
[[nodiscard]] std::vector<std::string> names_in(const Formula& formula);

/// Whether a number in `formula` is written with a point or an exponent.
[[nodiscard]] bool has_real(const Formula& formula);

struct Relation {
  Formula lhs;
  RelationOp op = RelationOp::Less;
  Formula rhs;
  Span span;
};

}  // namespace pb
