// SPDX-License-Identifier: MIT
// The math functions of rule bodies (LANGUAGE 7.7) that device and vector code know. One
// table: eligibility, the OpenCL printer and the vector printer read it.
#pragma once

#include <array>
#include <string_view>

namespace pb {

struct MathFunction {
  std::string_view name;  ///< in the body, without `std::`
  int num_args = 1;
  std::string_view opencl;      ///< its OpenCL C name for floating arguments
  bool keeps_integers = false;  ///< of integers it gives an integer: abs, min, max
  std::string_view opencl_integer = {};
};

inline constexpr std::array<MathFunction, 31> kMathFunctions = {{
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
    {"abs", 1, "fabs", true, "abs"},
    {"min", 2, "min", true, "min"},
    {"max", 2, "max", true, "max"},
}};

/// The function that a call of `callee` in a body means, or null. `min` and `max` only with `std::`.
[[nodiscard]] inline const MathFunction* find_math_function(std::string_view callee) {
  const bool is_std = callee.starts_with("std::");
  if (is_std) callee.remove_prefix(5);
  for (const MathFunction& function : kMathFunctions) {
    if (function.name != callee) continue;
    if (!is_std && (callee == "min" || callee == "max")) return nullptr;
    return &function;
  }
  return nullptr;
}

}  // namespace pb
