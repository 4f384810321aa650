// SPDX-License-Identifier: MIT
// Units of a device that add products of small matrices. Kernels use them for doubles only where they round as `fma`
// does, one product after the other, so that results are those of a kernel without them; and for floats where a program
// allows it (pbc --split-products), whose results then differ.
#pragma once

#include <cstdint>

#include "runtime/gpu/device.h"
#include "runtime/gpu/kernel_desc.h"

namespace pbrt::gpu {

/// How many rows a unit's instruction has (runtime/config/matrix_unit_text.h).
enum class MatrixUnits : std::uint8_t { None = 0, Rows8 = 8, Rows16 = 16 };

/// Returns the largest units that a kernel can use for such products: the device takes a small kernel with them. Of
/// doubles, this kernel gives the bits of `fma` for numbers of many magnitudes, among them zeros of both signs,
/// subnormal numbers, and sums that overflow. Of split floats, it gives sums of numbers of many magnitudes that are off
/// by 2^-20 of the sum of their magnitudes at most. Only GPUs of NVIDIA have such units.
///
/// Errors: throws what the device throws but for refusals and failed builds
[[nodiscard]] MatrixUnits find_matrix_units(Device& device, Products products);

/// The options with which kernels are built that use such units; they begin with a blank.
[[nodiscard]] const char* build_options_of(MatrixUnits units);

}  // namespace pbrt::gpu
