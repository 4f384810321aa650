// SPDX-License-Identifier: MIT
// The math functions and constants of rule bodies (LANGUAGE 7.7). One table of each: types, eligibility, the OpenCL printer
// and the vector printer read it.
#pragma once

#include <array>
#include <string_view>

#include "lang/types.h"

namespace pb {

struct MathFunction {
  std::string_view name;  ///< in the body, without `std::`
  int num_args = 1;
  std::string_view opencl;      ///< its OpenCL C name for floating arguments; empty: no device version
  bool keeps_integers = false;  ///< of integers it gives an integer: abs, min, max
  std::string_view opencl_integer = {};
};

inline constexpr std::array<MathFunction, 45> kMathFunctions = {{
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
    // How exact these are is open in OpenCL, or left to the driver.
    {"lgamma", 1, ""},
    {"tgamma", 1, ""},
    {"abs", 1, "fabs", true, "abs"},
    {"min", 2, "min", true, "min"},
    {"max", 2, "max", true, "max"},
}};

/// The function that a call of `callee` in a body means, or null.
[[nodiscard]] inline const MathFunction* find_math_function(std::string_view callee) {
  if (callee.starts_with("std::")) callee.remove_prefix(5);
  for (const MathFunction& function : kMathFunctions) {
    if (function.name == callee) return &function;
  }
  return nullptr;
}

struct BodyConstant {
  std::string_view name;
  BodyType::Kind kind = BodyType::Kind::Double;
  bool is_on_devices = true;  ///< OpenCL C knows it by the name of C
};

inline constexpr std::array<BodyConstant, 18> kBodyConstants = {{
    {"M_PI"},
    {"M_PI_2"},
    {"M_E"},
    {"M_SQRT2"},
    {"M_LN2"},
    {"INT_MAX", BodyType::Kind::Int},
    {"INT_MIN", BodyType::Kind::Int},
    {"RAND_MAX", BodyType::Kind::Int, false},
    {"DBL_MAX"},
    {"DBL_MIN"},
    {"DBL_EPSILON"},
    {"FLT_MAX", BodyType::Kind::Float},
    {"FLT_MIN", BodyType::Kind::Float},
    {"FLT_EPSILON", BodyType::Kind::Float},
    {"INFINITY", BodyType::Kind::Float},
    {"NAN", BodyType::Kind::Float},
    {"ACCURACY_BIN", BodyType::Kind::Int, false},
    {"ACCURACY_TARGET", BodyType::Kind::Double, false},
}};

[[nodiscard]] inline const BodyConstant* find_body_constant(std::string_view name) {
  for (const BodyConstant& constant : kBodyConstants)
    if (constant.name == name) return &constant;
  return nullptr;
}

}  // namespace pb
