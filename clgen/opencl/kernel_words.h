// SPDX-License-Identifier: MIT
// How kernels spell types and names of the program.
#pragma once

#include <string>

#include "lang/program.h"

namespace pb {

/// The OpenCL C word for an element type.
[[nodiscard]] std::string opencl_type(ElementType element);

/// A name of the program as an identifier of OpenCL C: reserved words get a suffix.
[[nodiscard]] std::string opencl_name(const std::string& name);

/// Element type of a matrix as the kernel spells it.
[[nodiscard]] std::string element_word(const Matrix& matrix);

}  // namespace pb
