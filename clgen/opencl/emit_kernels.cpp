// SPDX-License-Identifier: MIT
#include "clgen/opencl/emit_kernels.h"

#include "clgen/opencl/kernel.h"

namespace pb {

std::string emit_kernels(const Program& program, const LoweredProgram& lowered, const SourceManager& sources,
                         const EmitOptions& options, const KernelDialect& dialect) {
  std::string out;
  for (const Kernel& kernel : make_kernels(program, lowered, {sources, options.is_strict(), dialect})) {
    if (!out.empty()) out += "\n";
    out += "// ---- " + kernel.name + "\n" + dialect.prelude + dialect.begin_unit(kernel.name) + kernel.source +
           dialect.end_unit(kernel.name);
  }
  return out;
}

}  // namespace pb
