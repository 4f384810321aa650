// SPDX-License-Identifier: MIT
// The kernels of a program: each a lowered tree, whose parameters runtime/gpu/launch.h fixes, and its source.
// clgen/cpp writes the launches from the same trees.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/lower/kernel_tree.h"
#include "clgen/opencl/kernel_printer.h"
#include "lang/program.h"

namespace pb {

struct Kernel {
  KernelTree lowered;
  std::vector<StepId> steps;  ///< that run it: they differ in their boxes alone
  std::string name;           ///< of its function
  std::string source;         ///< without the dialect's prelude, which comes first
};

/// All kernels of the program: transforms, steps, then the basic before the local-memory version. Steps share a kernel
/// if their trees are equal.
[[nodiscard]] std::vector<Kernel> make_kernels(const Program& program, const Plan& plan, const KernelContext& context);

}  // namespace pb
