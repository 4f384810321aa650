// SPDX-License-Identifier: MIT
#include "runtime/python/extension/numpy_functions.h"

#include "runtime/python/extension/element_types.h"

namespace py = pybind11;

namespace pbpy {

const NumpyFunctions& NumpyFunctions::get() {
  static const auto* const functions = new NumpyFunctions();  // Python may end before destructors of statics run
  return *functions;
}

NumpyFunctions::NumpyFunctions() : fortran_order(py::str("F")) {
  const py::module_ numpy = py::module_::import("numpy");
  empty = numpy.attr("empty");
  zeros = numpy.attr("zeros");
  array_type = numpy.attr("ndarray");
  masked_type = py::module_::import("numpy.ma").attr("MaskedArray");
  ascontiguousarray = numpy.attr("ascontiguousarray");
  for (int element = PB_DOUBLE; element <= PB_USHORT; ++element)
    dtypes[element] = numpy.attr("dtype")(type_of(static_cast<pb_element>(element)).dtype);
}

py::object NumpyFunctions::new_array(const py::object& make, const py::tuple& shape, pb_element element,
                                     bool is_first_axis_fastest) const {
  PyObject* const order = is_first_axis_fastest ? fortran_order.ptr() : nullptr;  // null ends the list of arguments
  PyObject* const made = PyObject_CallFunctionObjArgs(make.ptr(), shape.ptr(), dtypes[element].ptr(), order, nullptr);
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

}  // namespace pbpy
