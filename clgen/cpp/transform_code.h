// SPDX-License-Identifier: MIT
// C++ of one transform: its rules and steps, the call that selects among them, and the tables
// through which the runtime sees it.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/opencl/kernel.h"

namespace pb {

/// `call_T` and `spawn_T`, declared: bodies may call transforms in any order.
void emit_call_declarations(Writer& out, const CppContext& context, TransformId transform);

/// Rules, steps, `run_T`, `call_T`, `spawn_T`.
void emit_transform(Writer& out, const CppContext& context, TransformId transform, const std::vector<Kernel>& kernels);

/// `solve_T`, `extents_T`, `enter_T` and the MatrixDescs.
void emit_transform_tables(Writer& out, const CppContext& context, TransformId transform);

/// The TransformDesc entry in braces.
[[nodiscard]] std::string transform_entry(const CppContext& context, TransformId transform);

/// Parameters of `call_T` after the frame: outputs, then inputs.
[[nodiscard]] std::vector<Parameter> call_params(const Transform& transform);
/// Matrices in the order of a call.
[[nodiscard]] std::vector<MatrixId> call_matrices(const Transform& transform);

/// The value of a size variable, where `actual` is the size of the dimension that tells.
[[nodiscard]] std::string solution_text(const SizeVar& var, const std::string& actual);

/// Defines `pb_n`, the size of a call for selectors and size-specific values (docs/reference/language.md 6.7).
void emit_largest_size(Writer& out, const Transform& transform);

}  // namespace pb
