// SPDX-License-Identifier: MIT
#include "lang/index/readable_text.h"

#include <utility>

namespace pb {
namespace {

using Op = IndexExpr::Op;

std::string side_text(const IndexExpr& operand) {
  const bool is_atom = operand.op == Op::Symbol || (operand.op == Op::Const && operand.value >= 0) ||
                       operand.op == Op::Min || operand.op == Op::Max;
  return is_atom ? to_string(operand) : "(" + to_string(operand) + ")";
}

/// Returns `expr` with each division replaced by a symbol with a name such as `n/2`.
IndexExpr with_names(IndexExpr expr, bool is_factor) {
  const bool has_factors = expr.op == Op::Mul || expr.op == Op::FloorDiv;
  for (IndexExpr& operand : expr.operands) operand = with_names(std::move(operand), has_factors);
  if (expr.op != Op::FloorDiv) return expr;
  const std::string text = side_text(expr.operands[0]) + "/" + side_text(expr.operands[1]);
  return index_symbol(is_factor ? "(" + text + ")" : text);
}

}  // namespace

std::string readable_text(const IndexExpr& expr) { return to_string(with_names(expr, false)); }

}  // namespace pb
