// SPDX-License-Identifier: MIT
// Python's exceptions, raised from the extension. Those of the package are in polybricks/_errors.py.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "runtime/embed/polybricks.h"

namespace pbpy {

/// Raises the package's exception for a status that is not PB_OK.
[[noreturn]] void raise_status(const pb_status& status);
/// Raises `polybricks.ArgumentError`.
[[noreturn]] void raise_argument_error(const std::string& message);
/// Raises one of Python's own exceptions.
[[noreturn]] void raise(PyObject* type, const std::string& message);

}  // namespace pbpy
