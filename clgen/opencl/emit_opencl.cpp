// SPDX-License-Identifier: MIT
#include "clgen/opencl/emit_opencl.h"

#include "clgen/opencl/kernel.h"

namespace pb {

std::string emit_opencl(const Program& program, const Plan& plan, const SourceManager& sources,
                        const EmitOptions& options) {
  std::string out;
  for (const Kernel& kernel : make_kernels(program, plan, {sources, options.is_strict()})) {
    if (!out.empty()) out += "\n";
    out += "// ---- " + kernel.name + "\n" + opencl_dialect().prelude + kernel.source;
  }
  return out;
}

}  // namespace pb
