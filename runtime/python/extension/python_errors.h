// SPDX-License-Identifier: MIT
// Python's exceptions, raised from the extension. Those of the package are in polybricks/_errors.py.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "runtime/embed/polybricks.h"

namespace pbpy {

/// Raises the package's exception for a status unless it is PB_OK.
void check_status(const pb_status& status);
/// Raises `polybricks.ArgumentError`.
[[noreturn]] void raise_argument_error(const std::string& message);
/// Raises one of Python's own exceptions.
[[noreturn]] void raise(PyObject* type, const std::string& message);

/// The name of an object's type, for messages.
[[nodiscard]] std::string type_name(pybind11::handle object);

}  // namespace pbpy
