// SPDX-License-Identifier: MIT
// The text of a kernel that runs a wavefront: see Note [Waves on devices] in kernel_waves.cpp. Private to clgen/opencl.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/lower/loops/kernel_tree.h"
#include "clgen/opencl/kernel_dialect.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Returns the parameters that say which blocks the launch runs, and how large these are.
[[nodiscard]] std::vector<std::string> wave_parameters(const Waves& waves);

/// Whether another work-item of the group may have written what the kernel reads of the matrix.
[[nodiscard]] bool is_shared_in_wave(const KernelTree& kernel, MatrixId matrix);

/// Prints what stands in a kernel that runs a wavefront, below its scalars. `print_instance` prints the instance at the
/// rule's variables.
void print_waves(Writer& out, const KernelTree& kernel, const KernelDialect& dialect,
                 const std::function<void()>& print_instance);

}  // namespace pb
