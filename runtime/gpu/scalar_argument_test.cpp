// SPDX-License-Identifier: MIT
#include "runtime/gpu/scalar_argument.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pbrt::gpu {
namespace {

template <class T>
T value_in(const ScalarArgument& argument) {
  EXPECT_EQ(argument.size_bytes(), sizeof(T));
  T value;
  std::memcpy(&value, argument.bytes().data(), sizeof(T));
  return value;
}

TEST(ScalarArgument, HasTheBytesOfItsType) {
  EXPECT_EQ(value_in<std::int32_t>(std::int32_t{-7}), -7);
  EXPECT_EQ(value_in<std::int64_t>(std::int64_t{1} << 40), std::int64_t{1} << 40);
  EXPECT_EQ(value_in<float>(0.5F), 0.5F);
  EXPECT_EQ(value_in<double>(-0.1), -0.1);
}

TEST(ScalarArgument, NarrowIntegersAreInts) {
  EXPECT_EQ(value_in<std::int32_t>(static_cast<short>(-3)), -3);
  EXPECT_EQ(value_in<std::int32_t>(true), 1);
}

TEST(ScalarArgument, OnlyIntegersAreBuildOptions) {
  EXPECT_EQ(ScalarArgument(std::int32_t{-7}).integer(), -7);
  EXPECT_EQ(ScalarArgument(std::int64_t{1} << 40).integer(), std::int64_t{1} << 40);
  EXPECT_EQ(ScalarArgument(2.0).integer(), 0);
  EXPECT_EQ(ScalarArgument(2.0F).integer(), 0);
}

}  // namespace
}  // namespace pbrt::gpu
