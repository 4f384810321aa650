// SPDX-License-Identifier: MIT
// C++ of conditions, and of what depends on them.
#pragma once

#include <functional>
#include <string>

#include "clgen/lower/schedule/step_conditions.h"
#include "clgen/lower/tree/condition.h"

namespace pb {

/// Returns the name of the variable that holds the choice of a site in a call.
[[nodiscard]] std::string choice_name(SiteId site);

/// How generated code spells the operands of conditions, which differs from place to place.
struct OperandSpelling {
  /// Returns C++ of an expression. Null: it is computed in 64 bits.
  std::function<std::string(const IndexExpr&)> index = nullptr;
  /// Returns C++ of a matrix' view: `Out` or, where the code has handles, `Out.view()`. Null: no condition is about
  /// matrices.
  std::function<std::string(MatrixId)> view = nullptr;
};

/// Returns C++ such as `pb_choice_0 == 1 && (n - 3) >= 0`. Pre: the condition is not about devices
[[nodiscard]] std::string to_cpp(const Condition& condition, const OperandSpelling& spell = {});
/// Returns C++ of a condition as an operand of `&&`, `||` and `?:`, in parentheses where its own operator needs them.
[[nodiscard]] std::string to_operand(const Condition& condition, const OperandSpelling& spell = {});
/// Returns `if (…)` to stand in front of a block; empty for a condition that always holds.
[[nodiscard]] std::string if_text(const Condition& condition, const OperandSpelling& spell = {});
/// Returns the statement, with `if (…)` in front of it where it needs one.
[[nodiscard]] std::string guarded_text(const Condition& condition, const std::string& statement,
                                       const OperandSpelling& spell = {});
/// Returns `condition ? if_true : otherwise`, or only one of them if it is known which one is selected.
[[nodiscard]] std::string selected_text(const Condition& condition, const std::string& if_true,
                                        const std::string& otherwise, const OperandSpelling& spell = {});

/// Returns `pbrt::gpu::CopyOut::May`.
[[nodiscard]] std::string to_cpp(CopyOut copy_out);
/// Returns `(pb_choice_1 == 0) ? pbrt::gpu::CopyOut::Must : pbrt::gpu::CopyOut::May`.
[[nodiscard]] std::string to_cpp(const CopyOutChoice& choice);

}  // namespace pb
