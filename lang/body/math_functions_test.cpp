// SPDX-License-Identifier: MIT
#include "lang/body/math_functions.h"

#include <gtest/gtest.h>

#include <set>

#include "lang/body/body_constants.h"

namespace pb {
namespace {

const MathFunction& function_of(std::string_view name) {
  const MathFunction* function = find_math_function(name);
  EXPECT_NE(function, nullptr) << name;
  return *function;
}

TEST(MathFunctions, EachStandsInTheTableOnce) {
  std::set<std::string_view> names;
  for (const MathFunction& function : kMathFunctions) EXPECT_TRUE(names.insert(function.name).second) << function.name;
}

// If one argument is NaN, `fmin` of OpenCL C returns the other one, and its `min` may return either. std::min returns
// the first argument.
TEST(MathFunctions, KernelsKeepTheFirstArgumentAsStdMinDoes) {
  EXPECT_EQ(device_function(function_of("std::min"), "double").definition,
            "static inline double pb_min_double(const double a, const double b) { return b < a ? b : a; }");
  EXPECT_EQ(device_function(function_of("max"), "float").definition,
            "static inline float pb_max_float(const float a, const float b) { return a < b ? b : a; }");
  EXPECT_EQ(device_function(function_of("std::clamp"), "float").name, "pb_clamp_float");
  EXPECT_EQ(device_function(function_of("fmin"), "double").name, "fmin");
  EXPECT_EQ(device_function(function_of("fmin"), "double").definition, "");
}

TEST(MathFunctions, SomeNeedTheirNamespace) {
  EXPECT_EQ(find_math_function("clamp"), nullptr);
  EXPECT_EQ(find_math_function("popcount"), nullptr);
  EXPECT_NE(find_math_function("std::popcount"), nullptr);
  EXPECT_NE(find_math_function("std::min"), nullptr);
}

TEST(BodyConstants, HaveTheTypesOfC) {
  EXPECT_EQ(find_body_constant("M_SQRT1_2")->kind, BodyType::Kind::Double);
  EXPECT_EQ(find_body_constant("INFINITY")->kind, BodyType::Kind::Float);
  EXPECT_EQ(find_body_constant("UCHAR_MAX")->kind, BodyType::Kind::Int);
  EXPECT_TRUE(find_body_constant("UINT_MAX")->is_unsigned);
  EXPECT_EQ(find_body_constant("std::numbers::pi")->on_devices(), "M_PI");
  EXPECT_EQ(find_body_constant("M_TAU"), nullptr);
}

TEST(BodyConstants, NumericLimitsAreThoseOfTheirType) {
  const auto text = [](std::string_view callee) {
    const auto limit = find_numeric_limit(callee);
    return limit ? opencl_limit(limit->type, limit->member) : "none";
  };
  EXPECT_EQ(text("std::numeric_limits<double>::max"), "DBL_MAX");
  EXPECT_EQ(text("std::numeric_limits<float>::lowest"), "(-FLT_MAX)");
  EXPECT_EQ(text("std::numeric_limits<unsigned char>::max"), "UCHAR_MAX");
  EXPECT_EQ(text("std::numeric_limits<unsigned long>::min"), "0UL");
  EXPECT_EQ(text("std::numeric_limits<int>::epsilon"), "none");
  EXPECT_EQ(text("std::numeric_limits<std::string>::max"), "none");
  EXPECT_EQ(text("std::numeric_limits<std::uint64_t>::max"), "ULONG_MAX");
  EXPECT_TRUE(find_numeric_limit("std::numeric_limits<ElementT>::infinity")->type.is_element);
}

TEST(BodyConstants, BitsAreThoseOfNumbersOfFourAndEightBytes) {
  const auto text = [](std::string_view callee) {
    const auto type = find_bit_cast(callee);
    return type ? to_string(*type) : "none";
  };
  EXPECT_EQ(text("std::bit_cast<long>"), "long");
  EXPECT_EQ(text("std::bit_cast<std::uint32_t>"), "unsigned");
  EXPECT_EQ(text("std::bit_cast<float>"), "float");
  EXPECT_EQ(text("std::bit_cast<ElementT>"), "ElementT");
  EXPECT_EQ(text("std::bit_cast<short>"), "none");
  EXPECT_EQ(text("bit_cast<long>"), "none");
  EXPECT_TRUE(have_same_bytes(*find_bit_cast("std::bit_cast<long>"), *find_bit_cast("std::bit_cast<double>")));
  EXPECT_FALSE(have_same_bytes(*find_bit_cast("std::bit_cast<int>"), *find_bit_cast("std::bit_cast<double>")));
}

}  // namespace
}  // namespace pb
