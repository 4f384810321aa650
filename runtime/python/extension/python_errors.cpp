// SPDX-License-Identifier: MIT
#include "runtime/python/extension/python_errors.h"

namespace py = pybind11;

namespace pbpy {

namespace {

const char* exception_name(pb_code code) {
  switch (code) {
    case PB_OK:
      break;
    case PB_ERROR_ARGUMENT:
      return "ArgumentError";
    case PB_ERROR_CONFIGURATION:
      return "ConfigurationError";
    case PB_ERROR_DEVICE:
      return "DeviceError";
    case PB_ERROR_MEMORY:
      return "OutOfMemoryError";
    case PB_ERROR_CANCELLED:
      return "CancelledError";
    case PB_ERROR_FORKED:
      return "ForkedError";
    case PB_ERROR_RUN:
      return "RunError";
  }
  return "Error";
}

}  // namespace

void check_status(const pb_status& status) {
  if (status.code == PB_OK) return;
  const py::object type = py::module_::import("polybricks._errors").attr(exception_name(status.code));
  raise(type.ptr(), status.message);
}

void raise_argument_error(const std::string& message) {
  raise(py::module_::import("polybricks._errors").attr("ArgumentError").ptr(), message);
}

void raise(PyObject* type, const std::string& message) {
  // Messages may quote bytes that are no UTF-8, such as names of files.
  const auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "replace"));
  if (text) PyErr_SetObject(type, text.ptr());
  throw py::error_already_set();
}

std::string type_name(py::handle object) { return py::str(py::type::handle_of(object).attr("__name__")); }

}  // namespace pbpy
