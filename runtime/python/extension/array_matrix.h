// SPDX-License-Identifier: MIT
// An argument of Python as a matrix of the C interface: an array through the buffer protocol, where it lies, or a
// number.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/embed/polybricks.h"

namespace pbpy {

/// Which axis of an array is dimension 0 of a matrix: the last, as of pictures in NumPy, or the first, as in headers.
enum class Axes { NumPy, Pbcc };

/// The axis of an array that is dimension `dim` of a matrix, and the other way round.
[[nodiscard]] constexpr std::size_t axis_of(std::size_t dim, std::size_t rank, Axes axes) {
  return axes == Axes::NumPy ? rank - 1 - dim : dim;
}

/// Keeps the buffer of its object while it lives, so that the object cannot move its memory.
class ArrayMatrix {
 public:
  /// An input is an array, or a number if its rank is 0. It is copied if no strides of the C interface lead through it.
  ///
  /// Errors:  TypeError if the elements are others than the header says, ArgumentError for another rank
  [[nodiscard]] static ArrayMatrix input(pybind11::handle object, const pb_argument& argument, Axes axes);
  /// An output is an array that can be written to.
  ///
  /// Errors:  as those of input, and ArgumentError if the array cannot be written to in place
  [[nodiscard]] static ArrayMatrix output(pybind11::handle object, const pb_argument& argument, Axes axes);

  ArrayMatrix(ArrayMatrix&& other) noexcept;
  ArrayMatrix& operator=(ArrayMatrix&&) = delete;
  ~ArrayMatrix();

  /// Good as long as this object stays where it is.
  [[nodiscard]] const pb_matrix* matrix();

 private:
  ArrayMatrix() = default;
  void take_buffer(pybind11::handle object, const pb_argument& argument, int flags);
  void take_number(pybind11::handle number, const pb_argument& argument);
  void take_layout(Axes axes);
  [[nodiscard]] bool has_strides() const;

  union Number {
    double of_double;
    float of_float;
    std::int32_t of_int;
    std::int64_t of_long;
    std::int16_t of_short;
    std::uint8_t of_uchar;
    std::uint16_t of_ushort;
  };
  Py_buffer buffer_{};  ///< its `obj` is null if there is none
  Number number_{};     ///< where there is no buffer
  pb_matrix matrix_{};
};

/// A new array for an output: dimension 0 is the fastest. It holds zeros if rules may read it before they write it.
[[nodiscard]] pybind11::object new_array(const pb_argument& argument, const std::int64_t* extents, Axes axes);

}  // namespace pbpy
