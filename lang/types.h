// SPDX-License-Identifier: MIT
// Element types of matrices and the types of expressions in rule bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pb {

enum class ElementType : std::uint8_t { Double, Float, Int, Long, Short, UChar, UShort };

/// C++ spelling (`double`, `unsigned char`); the same word in OpenCL C where that has it.
[[nodiscard]] std::string_view spell(ElementType type);
/// The word of a header: `uchar`.
[[nodiscard]] std::string_view header_word(ElementType type);
[[nodiscard]] int size_bytes(ElementType type);
[[nodiscard]] bool is_floating(ElementType type);

/// Type of an expression or a local of a rule body, as far as the body grammar knows it.
struct BodyType {
  enum class Kind : std::uint8_t {
    Unknown,  ///< passed through to the C++ compiler; no device version
    Void,
    Bool,
    Char,
    Int,   ///< int, IndexT and every other integer type up to 32 bits: see `is_unsigned`, `narrow_bytes`
    Long,  ///< 64-bit integers, size_t: see `is_unsigned`
    Float,
    Double,
    Region,   ///< a matrix handle: `element`, `num_dims`, `is_const`
    Pointer,  ///< pointer to the arithmetic type in `element`
    Array,    ///< fixed array of `element`, `extent` elements (0: not a constant)
    String,
  };
  Kind kind = Kind::Unknown;
  ElementType element = ElementType::Double;
  int num_dims = 0;
  std::int64_t extent = 0;
  bool is_const = false;
  bool is_unsigned = false;       ///< for Int and Long, and for pointers to them and arrays of them
  std::uint8_t narrow_bytes = 0;  ///< likewise for Int: 1 or 2 bytes if it is narrower than `int`
  bool is_element = false;        ///< spelled `ElementT`: follows --element and the vector width of a SIMD body

  bool operator==(const BodyType&) const = default;
};

/// Whether it is a floating-point number.
[[nodiscard]] bool is_floating(const BodyType& type);
/// Whether it is a number or a truth value.
[[nodiscard]] bool is_number(const BodyType& type);

[[nodiscard]] std::string to_string(const BodyType& type);

/// The type that an element of this type has in a body.
[[nodiscard]] BodyType number_type(ElementType element);
/// The element type that holds numbers of `type`. For integers that no matrix holds, it is one of the same width.
///
/// Pre:     `type` is a number other than `bool` and `char`
[[nodiscard]] ElementType element_of(const BodyType& type);
/// C++ spelling of a number's type: `unsigned short`, `ElementT`.
[[nodiscard]] std::string spell_number(const BodyType& type);

}  // namespace pb
