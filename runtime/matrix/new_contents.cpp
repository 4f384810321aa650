// SPDX-License-Identifier: MIT
#include "runtime/matrix/new_contents.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "runtime/matrix/visit_kind.h"

namespace pbrt {

namespace {

template <class T>
constexpr T unwritten_value() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  return std::is_signed_v<T> ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}

}  // namespace

namespace detail {

std::atomic<bool> is_nan_wanted{false};

void fill_new(Storage& storage, ElementKind kind) {
  visit_kind(kind, [&]<class T>(T*) {
    const T value = are_new_matrices_nan() ? unwritten_value<T>() : T(0);
    std::fill_n(static_cast<T*>(storage.data()), storage.bytes() / sizeof(T), value);
  });
}

}  // namespace detail

}  // namespace pbrt
