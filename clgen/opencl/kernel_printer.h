// SPDX-License-Identifier: MIT
// The text of a lowered kernel in a dialect. The printer follows the tree and decides nothing.
#pragma once

#include <string>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "lang/program.h"

namespace pb {

class SourceManager;

/// What is the same for all kernels of a program.
struct KernelContext {
  const SourceManager& sources;
  bool is_strict = false;  ///< `--fp=strict`
  const KernelDialect& dialect = opencl_dialect();
};

/// Returns the kernel's source without the dialect's prelude. `name` is the name of its function.
[[nodiscard]] std::string kernel_text(const Program& program, const KernelTree& kernel, const std::string& name,
                                      const KernelContext& context);

}  // namespace pb
