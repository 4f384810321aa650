// SPDX-License-Identifier: MIT
// The math functions of rule bodies (docs/reference/language.md 7.7), in one table: types, eligibility, the OpenCL
// printer and the vector printer read it. Constants are in lang/body/body_constants.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lang/body/std_names.h"
#include "lang/types.h"

namespace pb {

/// The type of a function's result.
enum class MathResult : std::uint8_t {
  Real,       ///< float if every argument is one, else double
  KeepsType,  ///< the result has the arguments' type: abs, min, max, clamp
  Integer,    ///< a `long`: lround
  Truth,      ///< isnan
  Count,      ///< an `int`, of an unsigned integer: std::popcount
};

struct MathFunction {
  std::string_view name;  ///< in the body, without `std::`
  int num_args = 1;
  std::string_view opencl;  ///< its OpenCL C name for floating arguments
  MathResult result = MathResult::Real;
  std::string_view opencl_integer = {};  ///< the name for integer arguments, if the result keeps their type
  /// An expression for the function of floating arguments `a`, `b` and `c`, if no function of OpenCL C gives the result
  /// of C++. Kernels then define a function of their own.
  std::string_view definition = {};
  bool needs_std = false;  ///< C++ knows it only with `std::`

  [[nodiscard]] constexpr bool is_on_devices() const { return !opencl.empty() || !definition.empty(); }
  [[nodiscard]] constexpr bool is_in_packs() const { return result != MathResult::Count && num_args <= 2; }
};

inline constexpr std::array<MathFunction, 58> kMathFunctions = {{
    {"sqrt", 1, "sqrt"},
    {"fabs", 1, "fabs"},
    {"floor", 1, "floor"},
    {"ceil", 1, "ceil"},
    {"round", 1, "round"},
    {"trunc", 1, "trunc"},
    {"exp", 1, "exp"},
    {"exp2", 1, "exp2"},
    {"log", 1, "log"},
    {"log2", 1, "log2"},
    {"log10", 1, "log10"},
    {"pow", 2, "pow"},
    {"sin", 1, "sin"},
    {"cos", 1, "cos"},
    {"tan", 1, "tan"},
    {"asin", 1, "asin"},
    {"acos", 1, "acos"},
    {"atan", 1, "atan"},
    {"atan2", 2, "atan2"},
    {"sinh", 1, "sinh"},
    {"cosh", 1, "cosh"},
    {"tanh", 1, "tanh"},
    {"cbrt", 1, "cbrt"},
    {"hypot", 2, "hypot"},
    {"fmod", 2, "fmod"},
    {"fmin", 2, "fmin"},
    {"fmax", 2, "fmax"},
    {"fma", 3, "fma"},
    {"acosh", 1, "acosh"},
    {"asinh", 1, "asinh"},
    {"atanh", 1, "atanh"},
    {"copysign", 2, "copysign"},
    {"erf", 1, "erf"},
    {"erfc", 1, "erfc"},
    {"expm1", 1, "expm1"},
    {"fdim", 2, "fdim"},
    {"log1p", 1, "log1p"},
    {"nearbyint", 1, "rint"},
    {"remainder", 2, "remainder"},
    {"rint", 1, "rint"},
    // Kernels have no `lgamma` and `tgamma`, because OpenCL does not fix their accuracy or leaves it to the driver.
    {"lgamma", 1, ""},
    {"tgamma", 1, ""},
    {"logb", 1, "logb"},
    {"nextafter", 2, "nextafter"},
    {"abs", 1, "fabs", MathResult::KeepsType, "abs"},
    // OpenCL C leaves open what its own `min`, `max` and `clamp` do with NaN, and its `fmin` returns the other argument
    // if one is NaN.
    {"min", 2, "", MathResult::KeepsType, "min", "b < a ? b : a"},
    {"max", 2, "", MathResult::KeepsType, "max", "a < b ? b : a"},
    {"clamp", 3, "", MathResult::KeepsType, "clamp", "a < b ? b : c < a ? c : a", true},
    {"lround", 1, "round", MathResult::Integer},
    {"llround", 1, "round", MathResult::Integer},
    {"lrint", 1, "rint", MathResult::Integer},
    {"llrint", 1, "rint", MathResult::Integer},
    {"isnan", 1, "isnan", MathResult::Truth},
    {"isinf", 1, "isinf", MathResult::Truth},
    {"isfinite", 1, "isfinite", MathResult::Truth},
    {"isnormal", 1, "isnormal", MathResult::Truth},
    {"signbit", 1, "signbit", MathResult::Truth},
    {"popcount", 1, "popcount", MathResult::Count, "popcount", "", true},
}};

/// The functions that take long and that C libraries have for whole vectors, too (runtime/matrix/vector_math.h).
inline constexpr std::array<std::string_view, 25> kVectorFunctions = {
    "acos", "acosh", "asin",  "asinh", "atan",  "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "hypot", "log",   "log10", "log1p", "log2",  "pow",  "sin", "sinh", "tan", "tanh"};

[[nodiscard]] constexpr bool is_vector_function(const MathFunction& function) {
  for (const std::string_view name : kVectorFunctions)
    if (name == function.name) return true;
  return false;
}

/// The function that a call of `callee` in a body means, or null.
[[nodiscard]] inline const MathFunction* find_math_function(std::string_view callee) {
  const std::string_view name = without_std(callee);
  const bool has_std = name.size() < callee.size();
  for (const MathFunction& function : kMathFunctions) {
    if (function.name == name) return has_std || !function.needs_std ? &function : nullptr;
  }
  return nullptr;
}

/// The function that a kernel calls, and the text that defines it there if OpenCL C does not.
struct DeviceFunction {
  std::string name;
  std::string definition;
};

/// The function that a kernel calls for `function` with floating arguments.
///
/// Pre: the function is on devices; `real` is `double` or `float`
[[nodiscard]] DeviceFunction device_function(const MathFunction& function, std::string_view real);

}  // namespace pb
