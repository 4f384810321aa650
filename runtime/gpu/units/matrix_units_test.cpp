// SPDX-License-Identifier: MIT
#include "runtime/gpu/units/matrix_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>

#include "runtime/gpu/testing/fake_device.h"

namespace pbrt::gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Rounding { OfFma, TwicePerProduct, InAnotherOrder, OfZeros };

/// A unit of 16 x 8 sums that rounds in one way or another.
void add_products(double* numbers, Rounding rounding) {
  double* const sums = numbers;
  const double* const left = sums + 16 * 8;
  const double* const right = left + 16 * 8;
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      double& sum = sums[row * 8 + column];
      for (std::size_t step = 0; step < 8; ++step) {
        const std::size_t i = rounding == Rounding::InAnotherOrder ? 7 - step : step;
        const volatile double product = left[row * 8 + i] * right[i * 8 + column];
        sum = rounding == Rounding::TwicePerProduct ? sum + product
                                                    : std::fma(left[row * 8 + i], right[i * 8 + column], sum);
      }
      if (rounding == Rounding::OfZeros && sum == 0) sum = 0.0;
    }
}

enum class Splitting { InTwo, UpperBitsOnly, OneLowerPart };

/// The number with 11 bits of its significand.
float rounded(float number) {
  int exponent = 0;
  const float fraction = std::frexp(number, &exponent);
  return std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11);
}

/// A unit that adds products of parts of floats.
void add_split_products(float* numbers, Splitting splitting) {
  float* const sums = numbers;
  const float* const left = sums + 16 * 8;
  const float* const right = left + 16 * 8;
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      float added = 0;
      for (std::size_t i = 0; i < 8; ++i) {
        const float a = left[row * 8 + i], b = right[i * 8 + column];
        const float upper[] = {rounded(a), rounded(b)};
        const float lower[] = {rounded(a - upper[0]), rounded(b - upper[1])};
        if (splitting == Splitting::InTwo) added += lower[0] * upper[1];
        if (splitting != Splitting::UpperBitsOnly) added += upper[0] * lower[1];
        added += upper[0] * upper[1];
      }
      sums[row * 8 + column] += added;
    }
}

class MatrixUnitsTest : public ::testing::Test {
 protected:
  static DeviceInfo info_of(const char* platform, DeviceType type = DeviceType::Gpu) {
    DeviceInfo info = fake_device_info();
    info.platform = platform;
    info.type = type;
    info.has_fp64 = true;
    return info;
  }
  void add_kernel(Rounding rounding) {
    control->add_kernel("pb_try_products", [rounding](FakeCall& call) {
      constexpr std::size_t kSets = 64, kNumbers = 16 * 8 + 16 * 8 + 8 * 8;
      auto* const numbers = call.memory<double>();
      for (std::size_t set = 0; set < kSets; ++set) add_products(numbers + set * kNumbers, rounding);
    });
  }
  void add_kernel(Splitting splitting) {
    control->add_kernel("pb_try_products", [splitting](FakeCall& call) {
      constexpr std::size_t kSets = 64, kNumbers = 16 * 8 + 16 * 8 + 8 * 8;
      auto* const numbers = call.memory<float>();
      for (std::size_t set = 0; set < kSets; ++set) add_split_products(numbers + set * kNumbers, splitting);
    });
  }

  std::shared_ptr<FakeControl> control = std::make_shared<FakeControl>();
  FakeDevice nvidia{control, info_of("NVIDIA CUDA")};
  FakeDevice other{control, info_of("Some Vendor")};
  FakeDevice cpu{control, info_of("NVIDIA CUDA", DeviceType::Cpu)};
};

TEST_F(MatrixUnitsTest, AreUsedIfAKernelWithThemGivesTheBitsOfFma) {
  add_kernel(Rounding::OfFma);
  EXPECT_EQ(find_matrix_units(nvidia, Products::OfDoubles), MatrixUnits::Rows16);
  EXPECT_THAT(control->build_options(), ElementsAre(HasSubstr("-DPB_MATRIX_UNITS=16")));
}

TEST_F(MatrixUnitsTest, AreNotUsedIfTheyRoundInAnotherWay) {
  for (const Rounding rounding : {Rounding::TwicePerProduct, Rounding::InAnotherOrder, Rounding::OfZeros}) {
    add_kernel(rounding);
    EXPECT_EQ(find_matrix_units(nvidia, Products::OfDoubles), MatrixUnits::None) << static_cast<int>(rounding);
  }
}

TEST_F(MatrixUnitsTest, AreNotUsedIfTheDriverRejectsTheKernel) {
  EXPECT_EQ(find_matrix_units(nvidia, Products::OfDoubles), MatrixUnits::None);
}

TEST_F(MatrixUnitsTest, AreNotUsedElsewhere) {
  add_kernel(Rounding::OfFma);
  EXPECT_EQ(find_matrix_units(other, Products::OfDoubles), MatrixUnits::None);
  EXPECT_EQ(find_matrix_units(cpu, Products::OfDoubles), MatrixUnits::None);
}

TEST_F(MatrixUnitsTest, SplitFloatsIfSumsAreNearEnough) {
  add_kernel(Splitting::InTwo);
  EXPECT_EQ(find_matrix_units(nvidia, Products::OfSplitFloats), MatrixUnits::Rows16);
  EXPECT_THAT(control->build_options(), ElementsAre(HasSubstr("-DPB_MATRIX_UNITS=16")));
  EXPECT_EQ(find_matrix_units(other, Products::OfSplitFloats), MatrixUnits::None);
}

TEST_F(MatrixUnitsTest, DoNotSplitFloatsIfAPartIsLost) {
  for (const Splitting splitting : {Splitting::UpperBitsOnly, Splitting::OneLowerPart}) {
    add_kernel(splitting);
    EXPECT_EQ(find_matrix_units(nvidia, Products::OfSplitFloats), MatrixUnits::None) << static_cast<int>(splitting);
  }
}

}  // namespace
}  // namespace pbrt::gpu
