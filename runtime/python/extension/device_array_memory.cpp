// SPDX-License-Identifier: MIT
#include "runtime/python/extension/device_array_memory.h"

#include "runtime/python/extension/element_types.h"
#include "runtime/python/extension/interpreter_lock.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

namespace {

void check(const pb_status& status) {
  if (status.code != PB_OK) raise_status(status);
}

/// The dimension of a matrix that an axis of an array is, and the other way round.
std::size_t turned(std::size_t axis, std::size_t rank, Axes axes) {
  return axes == Axes::NumPy ? rank - 1 - axis : axis;
}

}  // namespace

DeviceMemory::DeviceMemory(const Context& context, const std::string& dtype, const std::vector<std::int64_t>& shape,
                           Axes axes)
    : context_(context.handle()), axes_(axes) {
  const ElementType* const type = type_of_dtype(dtype);
  if (type == nullptr) raise(PyExc_TypeError, "no matrix has elements of " + dtype);
  if (shape.size() > PB_MAX_RANK)
    raise_argument_error("an array of matrices has at most " + std::to_string(PB_MAX_RANK) + " axes");
  matrix_.element = type->element;
  matrix_.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    matrix_.extents[turned(axis, shape.size(), axes)] = shape[axis];
  check(pb_matrix_create(context_.get(), &matrix_));
}

DeviceMemory::~DeviceMemory() {
  static_cast<void>(pb_matrix_destroy(context_.get(), &matrix_));  // it fails in the child of a fork
}

void DeviceMemory::fetch() const {
  check(without_lock([&] { return pb_matrix_fetch(context_.get(), &matrix_); }));
}

void DeviceMemory::changed() const { check(pb_matrix_changed(context_.get(), &matrix_)); }

py::buffer_info DeviceMemory::buffer() const {
  const ElementType& type = type_of(matrix_.element);
  const auto rank = static_cast<std::size_t>(matrix_.rank);
  std::vector<py::ssize_t> shape(rank);
  std::vector<py::ssize_t> strides(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    shape[turned(d, rank, axes_)] = matrix_.extents[d];
    strides[turned(d, rank, axes_)] = matrix_.strides[d] * static_cast<py::ssize_t>(type.size);
  }
  return {matrix_.data, static_cast<py::ssize_t>(type.size), std::string(1, type.codes[0]), matrix_.rank, shape,
          strides};
}

}  // namespace pbpy
