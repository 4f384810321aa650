// SPDX-License-Identifier: MIT
// Whether the work-items of a device may exchange values without memory. Private to runtime/gpu.
#pragma once

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// Whether kernels may have the PTX instructions `shfl.sync`: the driver is NVIDIA's, builds a kernel with them, and
/// this kernel then gives the right values. OpenCL C itself has no such functions there.
[[nodiscard]] bool has_ptx_shuffles(Device& device);

}  // namespace pbrt::gpu
