// SPDX-License-Identifier: MIT
#include "runtime/gpu/scalar_argument.h"

#include <cstring>

namespace pbrt::gpu {

template <class T>
ScalarArgument::ScalarArgument(T value, std::int64_t integer) : size_bytes_(sizeof(T)), integer_(integer) {
  std::memcpy(bytes_.data(), &value, sizeof(T));
}

ScalarArgument::ScalarArgument(std::int32_t value) : ScalarArgument(value, value) {}
ScalarArgument::ScalarArgument(std::int64_t value) : ScalarArgument(value, value) {}
ScalarArgument::ScalarArgument(float value) : ScalarArgument(value, 0) {}
ScalarArgument::ScalarArgument(double value) : ScalarArgument(value, 0) {}

}  // namespace pbrt::gpu
