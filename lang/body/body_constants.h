// SPDX-License-Identifier: MIT
// What rule bodies know by name (docs/reference/language.md 7.7) beside functions: the constants of <math.h>,
// <float.h>, <limits.h>, <stdint.h>, <numbers> and <limits>, with their types and how OpenCL C spells them, and
// std::bit_cast.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/types.h"

namespace pb {

struct BodyConstant {
  std::string_view name;
  BodyType::Kind kind = BodyType::Kind::Double;
  std::string_view opencl = {};  ///< empty: OpenCL C knows it by the name of C
  bool is_unsigned = false;
  bool is_on_devices = true;

  [[nodiscard]] std::string_view on_devices() const { return opencl.empty() ? name : opencl; }
};

/// The constant of that name, or null.
[[nodiscard]] const BodyConstant* find_body_constant(std::string_view name);

/// `std::numeric_limits<TYPE>::MEMBER()`.
struct NumericLimit {
  BodyType type;
  std::string_view member;
};

/// The limit that a call of `callee` without arguments means; none if it is something else.
[[nodiscard]] std::optional<NumericLimit> find_numeric_limit(std::string_view callee);

/// The type `T` that `std::bit_cast<T>` makes: a number of four or eight bytes with the bits of its argument. None if a
/// call of `callee` is something else. `T` may be ElementT, whose size is not known here.
[[nodiscard]] std::optional<BodyType> find_bit_cast(std::string_view callee);

/// Whether the numbers `to` and `from` have the same number of bytes, so that std::bit_cast makes one of the other.
[[nodiscard]] bool have_same_bytes(const BodyType& to, const BodyType& from);

/// The limit `member` in OpenCL C; `type` is what the element type stands for.
[[nodiscard]] std::string opencl_limit(const BodyType& type, std::string_view member);

}  // namespace pb
