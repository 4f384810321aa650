// SPDX-License-Identifier: MIT
#include "runtime/python/extension/device_array_memory.h"

#include "runtime/python/extension/element_types.h"
#include "runtime/python/extension/interpreter_lock.h"
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

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
    matrix_.extents[axis_of(axis, shape.size(), axes)] = shape[axis];
  check_status(pb_matrix_create(context_.get(), &matrix_));
}

DeviceMemory::~DeviceMemory() {
  static_cast<void>(pb_matrix_destroy(context_.get(), &matrix_));  // it fails in the child of a fork
}

void DeviceMemory::fetch() const {
  check_status(without_lock([&] { return pb_matrix_fetch(context_.get(), &matrix_); }));
}

void DeviceMemory::changed() const { check_status(pb_matrix_changed(context_.get(), &matrix_)); }

py::buffer_info DeviceMemory::buffer() const {
  const ElementType& type = type_of(matrix_.element);
  const auto rank = static_cast<std::size_t>(matrix_.rank);
  std::vector<py::ssize_t> shape(rank);
  std::vector<py::ssize_t> strides(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    shape[axis_of(d, rank, axes_)] = matrix_.extents[d];
    strides[axis_of(d, rank, axes_)] = matrix_.strides[d] * static_cast<py::ssize_t>(type.size);
  }
  return {matrix_.data, static_cast<py::ssize_t>(type.size), std::string(1, type.codes[0]), matrix_.rank, shape,
          strides};
}

}  // namespace pbpy
