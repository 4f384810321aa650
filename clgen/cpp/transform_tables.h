// SPDX-License-Identifier: MIT
// C++ of the tables through which the runtime sees a transform.
#pragma once

#include <string>

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints `solve_T`, `extents_T`, `enter_T` and the MatrixDescs.
void emit_transform_tables(Writer& out, const CppContext& context, TransformId transform);

/// Returns the TransformDesc entry in braces.
[[nodiscard]] std::string transform_entry(const CppContext& context, TransformId transform);

}  // namespace pb
