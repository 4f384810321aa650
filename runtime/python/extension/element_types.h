// SPDX-License-Identifier: MIT
// The element types of matrices, as NumPy and the buffers of Python name them.
#pragma once

#include <cstddef>
#include <string_view>

#include "runtime/embed/polybricks.h"

namespace pbpy {

struct ElementType {
  pb_element element;
  const char* name;   ///< in the language
  const char* dtype;  ///< in NumPy
  const char* codes;  ///< of buffers: any of these letters, if the size agrees
  std::size_t size;
};

/// The type of a matrix's elements.
[[nodiscard]] const ElementType& type_of(pb_element element);
/// The type with this name in NumPy; null if no matrix has it.
[[nodiscard]] const ElementType* type_of_dtype(std::string_view dtype);
/// The type that a buffer's format and size of an item mean; null if no matrix has it.
[[nodiscard]] const ElementType* type_of_format(const char* format, std::size_t size);

}  // namespace pbpy
