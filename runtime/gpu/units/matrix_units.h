// SPDX-License-Identifier: MIT
// Units of a device that add products of small matrices of doubles. Kernels use them only where they round as `fma`
// does, one product after the other, so that results are those of a kernel without them.
#pragma once

#include <cstdint>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// How many rows a unit's instruction has (runtime/config/matrix_unit_text.h).
enum class MatrixUnits : std::uint8_t { None = 0, Rows8 = 8, Rows16 = 16 };

/// Returns the largest units that a kernel can use: the device takes a small kernel with them, and this kernel gives
/// the bits of `fma` for numbers of many magnitudes, among them zeros of both signs, subnormal numbers, and sums that
/// overflow. Only GPUs of NVIDIA have such units.
///
/// Errors: throws what the device throws but for refusals and failed builds
[[nodiscard]] MatrixUnits find_matrix_units(Device& device);

/// The options with which kernels are built that use such units; they begin with a blank.
[[nodiscard]] const char* build_options_of(MatrixUnits units);

}  // namespace pbrt::gpu
