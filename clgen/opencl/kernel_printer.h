// SPDX-License-Identifier: MIT
// Text of a lowered kernel in a dialect. Prints what the tree says and decides nothing.
#pragma once

#include <string>

#include "clgen/opencl/kernel.h"

namespace pb {

/// The kernel's source without the dialect's prelude.
[[nodiscard]] std::string kernel_text(const Program& program, const Kernel& kernel, const KernelContext& context);

}  // namespace pb
