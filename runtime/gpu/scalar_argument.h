// SPDX-License-Identifier: MIT
// A scalar argument of a kernel: the bytes that the kernel gets, and the value that may become a build option. Light:
// generated code makes them (launch.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pbrt::gpu {

/// Made of a number, whose type is the parameter's.
class ScalarArgument {
 public:
  ScalarArgument(std::int32_t value);  ///< `const int`
  ScalarArgument(std::int64_t value);  ///< `const long`
  ScalarArgument(float value);
  ScalarArgument(double value);

  /// As the kernel takes it, in the first size_bytes().
  [[nodiscard]] const std::array<std::byte, 8>& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  /// The value of an integer; 0 of others.
  [[nodiscard]] std::int64_t integer() const { return integer_; }

 private:
  template <class T>
  ScalarArgument(T value, std::int64_t integer);

  std::array<std::byte, 8> bytes_ = {};
  std::size_t size_bytes_;
  std::int64_t integer_;
};

}  // namespace pbrt::gpu
