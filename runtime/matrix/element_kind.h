// SPDX-License-Identifier: MIT
// The element types a matrix can have (docs/reference/language.md 20.1), as a number for code that handles
// matrices of any type, and the mapping from C++ types. Used by everything in runtime/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pbrt {

/// Index type of the language: 32 bits (docs/reference/language.md 9). Offsets and counts are 64-bit.
using IndexT = int;

inline constexpr int kMaxDims = 9;

enum class ElementKind : std::uint8_t { Double, Float, Int, Long, Short, UChar, UShort };

template <class T>
struct ElementKindOf;
template <>
struct ElementKindOf<double> {
  static constexpr ElementKind value = ElementKind::Double;
};
template <>
struct ElementKindOf<float> {
  static constexpr ElementKind value = ElementKind::Float;
};
template <>
struct ElementKindOf<int> {
  static constexpr ElementKind value = ElementKind::Int;
};
template <>
struct ElementKindOf<long> {
  static constexpr ElementKind value = ElementKind::Long;
};
template <>
struct ElementKindOf<short> {
  static constexpr ElementKind value = ElementKind::Short;
};
template <>
struct ElementKindOf<unsigned char> {
  static constexpr ElementKind value = ElementKind::UChar;
};
template <>
struct ElementKindOf<unsigned short> {
  static constexpr ElementKind value = ElementKind::UShort;
};
template <class T>
struct ElementKindOf<const T> : ElementKindOf<T> {};
template <class T>
inline constexpr ElementKind kElementKindOf = ElementKindOf<T>::value;

/// Size of one element in bytes.
[[nodiscard]] constexpr std::size_t element_bytes(ElementKind kind) {
  switch (kind) {
    case ElementKind::Double:
    case ElementKind::Long:
      return 8;
    case ElementKind::Float:
    case ElementKind::Int:
      return 4;
    case ElementKind::Short:
    case ElementKind::UShort:
      return 2;
    case ElementKind::UChar:
      return 1;
  }
  return 0;
}

/// `double`, `float`, `int`, … as written in a header.
[[nodiscard]] const char* element_name(ElementKind kind);

[[nodiscard]] constexpr bool is_floating(ElementKind kind) {
  return kind == ElementKind::Double || kind == ElementKind::Float;
}

}  // namespace pbrt
