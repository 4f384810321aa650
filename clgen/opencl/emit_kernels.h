// SPDX-License-Identifier: MIT
// The text of every device version of a program, for `--emit=opencl` and for the other languages of kernels. clgen/cpp
// embeds the same sources.
#pragma once

#include <string>

#include "clgen/facts/emit_options.h"
#include "clgen/lower/lower.h"
#include "clgen/opencl/kernel_dialect.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// Returns the text of all kernels of the program, in the order of steps, with a comment before each.
[[nodiscard]] std::string emit_kernels(const Program& program, const LoweredProgram& lowered,
                                       const SourceManager& sources, const EmitOptions& options,
                                       const KernelDialect& dialect);

}  // namespace pb
