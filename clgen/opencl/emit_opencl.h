// SPDX-License-Identifier: MIT
// OpenCL C of every device version in a Plan: the basic and the local-memory kernel of
// each eligible rule. Used by frontend/driver (--emit=opencl) and by clgen/cpp, which
// embeds the sources.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/options.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// Returns all kernels of the program, in the order of steps, with one comment each.
[[nodiscard]] std::string emit_opencl(const Program& program, const Plan& plan, const SourceManager& sources,
                                      const EmitOptions& options);

}  // namespace pb
