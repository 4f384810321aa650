// SPDX-License-Identifier: MIT
// The kernel that copies the contents of a matrix on a device. Private to runtime/gpu.
#pragma once

#include "runtime/gpu/kernel_desc.h"

namespace pbrt::gpu {

/// Returns the kernel for matrices of so many dimensions and bytes per element: regions are the copy and the original.
/// Null if there is none: they are 1 to 3, and 1, 2, 4 or 8.
[[nodiscard]] const KernelDesc* copy_kernel_of(int num_dims, int element_bytes);

}  // namespace pbrt::gpu
