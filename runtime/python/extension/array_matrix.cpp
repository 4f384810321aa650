// SPDX-License-Identifier: MIT
#include "runtime/python/extension/array_matrix.h"

#include <limits>
#include <string>
#include <utility>

#include "runtime/python/extension/element_types.h"
#include "runtime/python/extension/numpy_functions.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

namespace {

// The member of polybricks.DeviceArray that has a buffer. The array itself has none, so that NumPy fetches its
// contents.
constexpr const char* kDeviceMemory = "_polybricks_memory";

std::string header_of(const pb_argument& argument) {
  std::string text = std::string("`") + argument.name;
  for (std::int32_t d = 0; d < argument.rank; ++d) text += (d == 0 ? "[" : ", ") + std::string(argument.extents[d]);
  return text + (argument.rank > 0 ? "]`" : "`");
}

[[noreturn]] void refuse(const pb_argument& argument, const std::string& why) {
  raise_argument_error(header_of(argument) + ": " + why);
}

[[noreturn]] void refuse_type(const pb_argument& argument, const std::string& found) {
  const ElementType& wanted = type_of(argument.element);
  raise(PyExc_TypeError, header_of(argument) + ": " + found + ", but the header says " + wanted.name +
                             ", which is numpy." + wanted.dtype);
}

template <class T>
T number_from(py::handle number, const pb_argument& argument) {
  if constexpr (std::numeric_limits<T>::is_integer) {
    if (!PyLong_CheckExact(number.ptr())) refuse_type(argument, "the number is a " + type_name(number));
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      raise(PyExc_OverflowError,
            header_of(argument) + ": " + std::string(py::str(number)) + " is no " + type_of(argument.element).name);
    return static_cast<T>(value);
  } else {
    const double value = PyFloat_AsDouble(number.ptr());
    if (value == -1.0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    return static_cast<T>(value);
  }
}

}  // namespace

ArrayMatrix::ArrayMatrix(ArrayMatrix&& other) noexcept
    : buffer_(std::exchange(other.buffer_, Py_buffer{})), number_(other.number_), matrix_(other.matrix_) {}

ArrayMatrix::~ArrayMatrix() {
  if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
}

const pb_matrix* ArrayMatrix::matrix() {
  if (buffer_.obj == nullptr) matrix_.data = &number_;
  return &matrix_;
}

ArrayMatrix ArrayMatrix::input(py::handle object, const pb_argument& argument, Axes axes) {
  ArrayMatrix made;
  made.matrix_.element = argument.element;
  made.matrix_.rank = argument.rank;
  if (argument.rank == 0 && (PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()))) {
    made.take_number(object, argument);
    return made;
  }
  made.take_buffer(object, argument, PyBUF_RECORDS_RO);
  if (!made.has_strides()) {
    const py::object copy = NumpyFunctions::get().ascontiguousarray(object);
    PyBuffer_Release(&made.buffer_);
    made.take_buffer(copy, argument, PyBUF_RECORDS_RO);
  }
  made.take_layout(axes);
  return made;
}

ArrayMatrix ArrayMatrix::output(py::handle object, const pb_argument& argument, Axes axes) {
  ArrayMatrix made;
  made.matrix_.element = argument.element;
  made.matrix_.rank = argument.rank;
  made.take_buffer(object, argument, PyBUF_RECORDS);
  if (!made.has_strides()) refuse(argument, "the strides of the array are those of no matrix");
  made.take_layout(axes);
  return made;
}

void ArrayMatrix::take_buffer(py::handle object, const pb_argument& argument, int flags) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) {
    if (!py::hasattr(object, kDeviceMemory)) refuse_type(argument, "a " + type_name(object) + " is no array");
    return take_buffer(object.attr(kDeviceMemory), argument, flags);
  }
  const NumpyFunctions& numpy = NumpyFunctions::get();
  if (!py::type::handle_of(object).is(numpy.array_type) && py::isinstance(object, numpy.masked_type))
    raise(PyExc_TypeError,
          header_of(argument) + ": the array has a mask, which no transform sees: give what its `filled()` returns");
  if (PyObject_GetBuffer(object.ptr(), &buffer_, flags) != 0) {
    buffer_.obj = nullptr;
    PyErr_Clear();
    refuse(argument, (flags & PyBUF_WRITABLE) != 0 ? "the array cannot be written to" : "the array has no buffer");
  }
  const ElementType* const type = type_of_format(buffer_.format, static_cast<std::size_t>(buffer_.itemsize));
  if (type == nullptr || type->element != argument.element)
    refuse_type(argument, "the elements of the array are " + (type != nullptr ? std::string(type->dtype)
                                                              : py::hasattr(object, "dtype")
                                                                  ? std::string(py::str(object.attr("dtype")))
                                                                  : "of format `" + std::string(buffer_.format) + "`"));
  if (buffer_.ndim != argument.rank)
    refuse(argument, "the array has " + std::to_string(buffer_.ndim) + (buffer_.ndim == 1 ? " axis" : " axes") +
                         ", the header says " + std::to_string(argument.rank));
}

void ArrayMatrix::take_number(py::handle number, const pb_argument& argument) {
  switch (argument.element) {
    case PB_DOUBLE:
      number_.of_double = number_from<double>(number, argument);
      break;
    case PB_FLOAT:
      number_.of_float = number_from<float>(number, argument);
      break;
    case PB_INT:
      number_.of_int = number_from<std::int32_t>(number, argument);
      break;
    case PB_LONG:
      number_.of_long = number_from<std::int64_t>(number, argument);
      break;
    case PB_SHORT:
      number_.of_short = number_from<std::int16_t>(number, argument);
      break;
    case PB_UCHAR:
      number_.of_uchar = number_from<std::uint8_t>(number, argument);
      break;
    case PB_USHORT:
      number_.of_ushort = number_from<std::uint16_t>(number, argument);
      break;
  }
}

/// Whether strides of the C interface lead through the buffer: they count elements, and strides that are all 0 stand
/// for a dense matrix.
bool ArrayMatrix::has_strides() const {
  bool has_many = false, has_none = false, has_step = false;
  for (int axis = 0; axis < buffer_.ndim; ++axis) {
    if (buffer_.strides[axis] % buffer_.itemsize != 0) return false;
    has_many = has_many || buffer_.shape[axis] > 1;
    has_none = has_none || buffer_.shape[axis] == 0;
    has_step = has_step || buffer_.strides[axis] != 0;
  }
  return has_step || !has_many || has_none;
}

void ArrayMatrix::take_layout(Axes axes) {
  matrix_.data = buffer_.buf;
  const auto rank = static_cast<std::size_t>(buffer_.ndim);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t axis = axis_of(d, rank, axes);
    matrix_.extents[d] = buffer_.shape[axis];
    matrix_.strides[d] = buffer_.strides[axis] / buffer_.itemsize;
  }
}

py::object new_array(const pb_argument& argument, const std::int64_t* extents, Axes axes) {
  const auto rank = static_cast<std::size_t>(argument.rank);
  py::tuple shape(rank);
  for (std::size_t d = 0; d < rank; ++d) shape[axis_of(d, rank, axes)] = extents[d];
  const NumpyFunctions& numpy = NumpyFunctions::get();
  return numpy.new_array(argument.is_read != 0 ? numpy.zeros : numpy.empty, shape, argument.element,
                         axes == Axes::Pbcc);
}

}  // namespace pbpy
