// SPDX-License-Identifier: MIT
// Quotients and roots of arrays by packs of several shapes, compiled for AVX-512 (quotients_test.cpp).
#pragma once

#include <span>

namespace pbrt::simd {

/// The number of elements of the spans here, so that all shapes divide them.
inline constexpr int kNumLanes = 128;

/// Writes `a[i] / b[i]` and `sqrt(b[i])` as packs of the shape make them: 0 to 4.
inline constexpr int kNumShapes = 5;
void multiply_quotients(int shape, std::span<const double> a, std::span<const double> b, std::span<double> quotients,
                        std::span<double> roots);
void multiply_quotients(int shape, std::span<const float> a, std::span<const float> b, std::span<float> quotients,
                        std::span<float> roots);

}  // namespace pbrt::simd
