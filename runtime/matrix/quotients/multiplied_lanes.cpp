// SPDX-License-Identifier: MIT
#include "runtime/matrix/quotients/multiplied_lanes.h"

#include "runtime/matrix/quotients/quotients.h"

namespace pbrt::simd {
namespace {

template <class S, class T>
void in_packs(const T* a, const T* b, T* quotients, T* roots) {
  constexpr int kWidth = S::kLanes * S::kCount;
  for (int first = 0; first < kNumLanes; first += kWidth) {
    Pack<T, S> x, y;
    for (int i = 0; i < kWidth; ++i) {
      x.v[i / S::kLanes][i % S::kLanes] = a[first + i];
      y.v[i / S::kLanes][i % S::kLanes] = b[first + i];
    }
    const auto ratio = quotient(x, y);
    const auto of_y = root(y);
    for (int i = 0; i < kWidth; ++i) {
      quotients[first + i] = ratio.v[i / S::kLanes][i % S::kLanes];
      roots[first + i] = of_y.v[i / S::kLanes][i % S::kLanes];
    }
  }
}

template <class T>
void in_shape(int shape, const T* a, const T* b, T* quotients, T* roots) {
  switch (shape) {
    case 0:
      return in_packs<typename Shapes<T>::Flat>(a, b, quotients, roots);
    case 1:
      return in_packs<typename Shapes<T>::Tall>(a, b, quotients, roots);
    case 2:
      return in_packs<typename Shapes<T>::Quarter>(a, b, quotients, roots);
    case 3:
      return in_packs<Shape<16, 2, 1>>(a, b, quotients, roots);
    default:
      return in_packs<One>(a, b, quotients, roots);
  }
}

}  // namespace

void multiply_quotients(int shape, std::span<const double> a, std::span<const double> b, std::span<double> quotients,
                        std::span<double> roots) {
  in_shape(shape, a.data(), b.data(), quotients.data(), roots.data());
}

void multiply_quotients(int shape, std::span<const float> a, std::span<const float> b, std::span<float> quotients,
                        std::span<float> roots) {
  in_shape(shape, a.data(), b.data(), quotients.data(), roots.data());
}

}  // namespace pbrt::simd
