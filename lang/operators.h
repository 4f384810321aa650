// SPDX-License-Identifier: MIT
// The operators of rule bodies, formulas and conditions: how they are spelled, how tightly they bind, of which kind
// they are. All of it comes from the table lang/operators.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pb {

/// Precedences of C, larger binds tighter. `Power` is that of formulas, where C has no such operator.
enum class Precedence : std::uint8_t {
  Comma = 1,
  Assign,
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Power,
  Unary,
  Postfix,
  Primary,
};

/// The next tighter precedence.
///
/// Pre: `precedence` is not Primary
[[nodiscard]] constexpr Precedence tighter(Precedence precedence) {
  return static_cast<Precedence>(static_cast<int>(precedence) + 1);
}

/// What an operator does. A sign is a Sum, `!` is Logical, `~` is Bitwise.
enum class OperatorKind : std::uint8_t {
  Sum,
  Product,
  Quotient,  ///< division and its remainder
  Shift,
  Comparison,
  Bitwise,
  Logical,
  Sequence,  ///< the comma
  Pointer,   ///< `*p` and `&x`
  Step,      ///< `++` and `--`
};

/// The type of a binary operator's result.
enum class OperatorResult : std::uint8_t {
  Common,  ///< the common type that both operands are converted to
  Left,    ///< the type of the left operand, promoted
  Right,   ///< the type of the right operand
  Truth,
};

/// Whether an operator with such a result has a compound assignment, as `+` has `+=`.
[[nodiscard]] constexpr bool has_assignment(OperatorResult result) {
  return result == OperatorResult::Common || result == OperatorResult::Left;
}

enum class OperatorPlace : std::uint8_t { Prefix, Postfix };

#define PB_BINARY_OP(name, spelling, word, precedence, kind, result) name,
enum class BinaryOp : std::uint8_t {
#include "lang/operators.def"
};
#define PB_UNARY_OP(name, spelling, place, kind) name,
enum class UnaryOp : std::uint8_t {
#include "lang/operators.def"
};
#define PB_FORMULA_OP(name, spelling, precedence) name,
enum class FormulaOp : std::uint8_t {
#include "lang/operators.def"
};
#define PB_RELATION_OP(name, operator_, opposite) name,
enum class RelationOp : std::uint8_t {
#include "lang/operators.def"
};

/// The spelling of the operator, the same in C++, OpenCL C, packs and the language itself.
[[nodiscard]] const char* spelling(BinaryOp op);
[[nodiscard]] const char* spelling(UnaryOp op);
[[nodiscard]] const char* spelling(FormulaOp op);
[[nodiscard]] const char* spelling(RelationOp op);

[[nodiscard]] Precedence precedence_of(BinaryOp op);
[[nodiscard]] Precedence precedence_of(FormulaOp op);

[[nodiscard]] OperatorKind kind_of(BinaryOp op);
[[nodiscard]] OperatorKind kind_of(UnaryOp op);

[[nodiscard]] OperatorResult result_of(BinaryOp op);
[[nodiscard]] OperatorPlace place_of(UnaryOp op);

/// The operator that `text` spells, or none. Words spell some: `and`.
[[nodiscard]] std::optional<BinaryOp> find_binary_op(std::string_view text);
/// The operator that a compound assignment computes: Add for `+=`. None for `=` and all else.
[[nodiscard]] std::optional<BinaryOp> find_assignment_op(std::string_view text);
[[nodiscard]] std::optional<UnaryOp> find_unary_op(std::string_view text, OperatorPlace place);
[[nodiscard]] std::optional<FormulaOp> find_formula_op(std::string_view text);
/// The relation that `text` spells, or none. `=` is an equation, as `==` is.
[[nodiscard]] std::optional<RelationOp> find_relation_op(std::string_view text);

/// Whether two numbers have the relation. `difference` is the left one minus the right one.
[[nodiscard]] bool holds(RelationOp op, std::int64_t difference);

/// The relation that two numbers have exactly if they do not have `op`.
[[nodiscard]] RelationOp opposite(RelationOp op);

}  // namespace pb
