// SPDX-License-Identifier: MIT
// Every device version in a Plan as text: `--emit=opencl` and the same in other languages of kernels. clgen/cpp embeds
// the same sources.
#pragma once

#include <string>

#include "choicegraph/plan/plan.h"
#include "clgen/emit_options.h"
#include "clgen/opencl/kernel_dialect.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// All kernels of the program, in the order of steps, with one comment each.
[[nodiscard]] std::string emit_kernels(const Program& program, const Plan& plan, const SourceManager& sources,
                                       const EmitOptions& options, const KernelDialect& dialect);

}  // namespace pb
