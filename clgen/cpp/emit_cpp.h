// SPDX-License-Identifier: MIT
// C++ of a whole program: one file that includes runtime/generated.h and
// carries the OpenCL kernels as strings. Used by frontend/driver.
#pragma once

#include <string>
#include <string_view>

#include "choicegraph/plan/plan.h"
#include "clgen/facts/emit_options.h"
#include "clgen/lower/lower.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// How generated files begin, by which pbc knows its own.
inline constexpr std::string_view kGeneratedBegin = "// Made by pbc from";

/// What `#line` directives call the generated file: `separable_convolution.cpp`.
[[nodiscard]] std::string generated_name(const Program& program);

/// Returns the generated C++ file. The same input gives the same bytes, and the text has no paths of this machine.
///
/// Pre: `lowered` was made from `plan`, and that from `program`
[[nodiscard]] std::string emit_cpp(const Program& program, const Plan& plan, const LoweredProgram& lowered,
                                   const SourceManager& sources, const EmitOptions& options);

}  // namespace pb
