// SPDX-License-Identifier: MIT
#include "runtime/python/extension/element_types.h"

#include <bit>
#include <cstring>

namespace pbpy {

namespace {

// By the numbers of pb_element.
constexpr ElementType kTypes[] = {
    {PB_DOUBLE, "double", "float64", "d", 8}, {PB_FLOAT, "float", "float32", "f", 4},
    {PB_INT, "int", "int32", "il", 4},        {PB_LONG, "long", "int64", "lq", 8},
    {PB_SHORT, "short", "int16", "h", 2},     {PB_UCHAR, "uchar", "uint8", "B", 1},
    {PB_USHORT, "ushort", "uint16", "H", 2},
};

}  // namespace

const ElementType& type_of(pb_element element) { return kTypes[element]; }

const ElementType* type_of_dtype(std::string_view dtype) {
  for (const ElementType& type : kTypes)
    if (dtype == type.dtype) return &type;
  return nullptr;
}

const ElementType* type_of_format(const char* format, std::size_t size) {
  if (format == nullptr) format = "B";
  const char own_order = std::endian::native == std::endian::little ? '<' : '>';
  if (*format == '@' || *format == '=' || *format == own_order) ++format;
  if (std::strlen(format) != 1) return nullptr;
  for (const ElementType& type : kTypes)
    if (type.size == size && std::strchr(type.codes, *format) != nullptr) return &type;
  return nullptr;
}

}  // namespace pbpy
