// SPDX-License-Identifier: MIT
// C++ of one transform: its rules and steps, and the call that selects among them.
#pragma once

#include <vector>

#include "clgen/cpp/context/cpp_context.h"
#include "clgen/opencl/kernel.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints rules, steps, `run_T`, `call_T` and `spawn_T`. `kernels`: of the whole program.
void emit_transform(Writer& out, const CppContext& context, TransformId transform, const std::vector<Kernel>& kernels);

}  // namespace pb
