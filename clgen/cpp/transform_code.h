// SPDX-License-Identifier: MIT
// C++ of one transform: its rules and steps, the call that selects among them, and the tables
// through which the runtime sees it.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// Declares `call_T` and `spawn_T`, because bodies may call transforms in any order.
void emit_call_declarations(Writer& out, const CppContext& context, TransformId transform);

/// Prints rules, steps, `run_T`, `call_T` and `spawn_T`.
void emit_transform(Writer& out, const CppContext& context, TransformId transform, const std::vector<Kernel>& kernels);

/// Prints `solve_T`, `extents_T`, `enter_T` and the MatrixDescs.
void emit_transform_tables(Writer& out, const CppContext& context, TransformId transform);

/// Returns the TransformDesc entry in braces.
[[nodiscard]] std::string transform_entry(const CppContext& context, TransformId transform);

/// Returns the parameters of `call_T` after the frame: outputs, then inputs.
[[nodiscard]] std::vector<Parameter> call_params(const Transform& transform);
/// Returns the matrices in the order of a call.
[[nodiscard]] std::vector<MatrixId> call_matrices(const Transform& transform);

/// Returns the value of a size variable. `actual` is the size of the dimension from which it is found.
[[nodiscard]] std::string solution_text(const SizeVar& var, const std::string& actual);

/// Defines `pb_n`, the size of a call for selectors and size-specific values (docs/reference/language.md 6.7).
void emit_largest_size(Writer& out, const Transform& transform);

}  // namespace pb
