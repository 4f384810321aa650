// SPDX-License-Identifier: MIT
#include "runtime/gpu/units/matrix_units.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/errors.h"
#include "runtime/config/matrix_unit_text.h"
#include "runtime/gpu/units/ended.h"

namespace pbrt::gpu {
namespace {

constexpr std::size_t kRows = 16, kColumns = 8, kProducts = 8, kTries = 64;
constexpr std::size_t kItems = 32;  // a warp

/// How far a sum of 8 split products may lie from the right one, as a part of the sum of all magnitudes: 2^-21 for each
/// product (runtime/config/matrix_unit_text.h), and as much for the sum of them.
constexpr double kSplitError = 0x1p-20;

/// Each group tries one set of numbers. They follow one another: the sums, the left factors, the right ones.
/// PB_NUMBER, PB_FACTOR, PB_FACTOR_OF and PB_ADD come before it.
constexpr const char* kTrial = R"cl(
__kernel void pb_try_products(__global PB_NUMBER* numbers) {
  const int lane = (int)get_local_id(0);
  const int row = lane / 4, place = lane % 4;
  __global PB_NUMBER* const sums = numbers + (int)get_group_id(0) * (16 * 8 + 16 * 8 + 8 * 8);
  __global const PB_NUMBER* const left = sums + 16 * 8;
  __global const PB_NUMBER* const right = left + 16 * 8;
  PB_NUMBER c0 = sums[row * 8 + 2 * place], c1 = sums[row * 8 + 2 * place + 1];
  PB_NUMBER c2 = sums[(row + 8) * 8 + 2 * place], c3 = sums[(row + 8) * 8 + 2 * place + 1];
  const PB_FACTOR a0 = PB_FACTOR_OF(left[row * 8 + place]), a1 = PB_FACTOR_OF(left[(row + 8) * 8 + place]);
  const PB_FACTOR a2 = PB_FACTOR_OF(left[row * 8 + place + 4]), a3 = PB_FACTOR_OF(left[(row + 8) * 8 + place + 4]);
  const PB_FACTOR b0 = PB_FACTOR_OF(right[place * 8 + row]), b1 = PB_FACTOR_OF(right[(place + 4) * 8 + row]);
  PB_ADD(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
  sums[row * 8 + 2 * place] = c0;
  sums[row * 8 + 2 * place + 1] = c1;
  sums[(row + 8) * 8 + 2 * place] = c2;
  sums[(row + 8) * 8 + 2 * place + 1] = c3;
}
)cl";

constexpr const char* kHeadOfDoubles =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define PB_NUMBER double\n"
    "#define PB_FACTOR double\n"
    "#define PB_FACTOR_OF(number) (number)\n"
    "#define PB_ADD PB_ADD_PRODUCTS\n" PB_MATRIX_UNIT_TEXT;
constexpr const char* kHeadOfFloats =
    "#define PB_NUMBER float\n"
    "#define PB_FACTOR uint2\n"
    "#define PB_FACTOR_OF(number) PB_SPLIT(number)\n"
    "#define PB_ADD(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1) float t0 = 0, t1 = 0, t2 = 0, t3 = 0; "
    "PB_ADD_PARTS(t0, t1, t2, t3, (a0).y, (a1).y, (a2).y, (a3).y, (b0).x, (b1).x); "
    "PB_ADD_PARTS(t0, t1, t2, t3, (a0).x, (a1).x, (a2).x, (a3).x, (b0).y, (b1).y); "
    "PB_ADD_PARTS(t0, t1, t2, t3, (a0).x, (a1).x, (a2).x, (a3).x, (b0).x, (b1).x); "
    "c0 += t0, c1 += t1, c2 += t2, c3 += t3\n" PB_SPLIT_UNIT_TEXT;

template <class Number>
struct Numbers {
  std::array<Number, kRows * kColumns> sums;
  std::array<Number, kRows * kProducts> left;
  std::array<Number, kProducts * kColumns> right;
};
static_assert(sizeof(Numbers<double>) ==
              sizeof(double) * (kRows * kColumns + kRows * kProducts + kProducts * kColumns));

/// Doubles whose products and sums cancel, are subnormal or overflow, but are never NaN: infinite ones do not occur,
/// and a sum that overflows is only added to numbers of its sign.
std::vector<Numbers<double>> doubles_to_try() {
  std::mt19937_64 random(20261127);
  std::vector<Numbers<double>> out(kTries);
  std::size_t number = 0;
  for (Numbers<double>& each : out) {
    // Magnitudes around 1, near the smallest numbers, and near the largest ones.
    // The last kind has sums that stay -0.
    const int kind = static_cast<int>(number++ % 5);
    const int middle = kind == 1 ? -530 : kind == 2 ? 505 : 0;
    const int width = kind == 3 ? 60 : kind == 0 ? 3 : 12;
    const auto draw = [&] {
      const double mantissa = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
      const double magnitude = std::ldexp(mantissa, middle + static_cast<int>(random() % (2 * width)) - width);
      const bool is_negative = kind != 2 && kind != 4 && random() % 2 == 0;
      if (random() % 16 == 0) return is_negative ? -0.0 : 0.0;
      return is_negative ? -magnitude : magnitude;
    };
    for (double& factor : each.left) factor = draw();
    for (double& factor : each.right) factor = draw();
    for (double& sum : each.sums) sum = kind == 0 ? draw() : draw() * draw();
    if (kind != 4) continue;
    each.right.fill(-0.0);
    for (std::size_t i = 0; i < each.sums.size(); i += 2) each.sums[i] = -0.0;
  }
  return out;
}

/// Floats of many magnitudes, whose products and sums cancel and stay finite. Few are 0.
std::vector<Numbers<float>> floats_to_try() {
  std::mt19937_64 random(20261128);
  std::vector<Numbers<float>> out(kTries);
  std::size_t number = 0;
  for (Numbers<float>& each : out) {
    const int width = 1 + static_cast<int>(number++ % 4) * 12;
    const auto draw = [&] {
      if (random() % 16 == 0) return 0.0F;
      const double mantissa = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
      const int exponent = static_cast<int>(random() % (2 * static_cast<std::size_t>(width))) - width;
      const double magnitude = std::ldexp(mantissa, exponent);
      return static_cast<float>(random() % 2 == 0 ? -magnitude : magnitude);
    };
    for (float& factor : each.left) factor = draw();
    for (float& factor : each.right) factor = draw();
    for (float& sum : each.sums) sum = draw();
  }
  return out;
}

/// Lets the device add products, each group those of one set. Returns whether it did.
template <class Number>
bool add_products(Device& device, MatrixUnits units, const char* head, std::vector<Numbers<Number>>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(Numbers<Number>);
  const std::unique_ptr<Kernel> kernel =
      device.build((std::string(head) + kTrial).c_str(), "pb_try_products", build_options_of(units));
  const std::unique_ptr<Buffer> buffer = device.allocate(bytes, nullptr);
  if (buffer == nullptr) return false;
  KernelArg argument;
  argument.kind = KernelArg::Kind::Buffer;
  argument.buffer = buffer.get();
  KernelRange range;
  range.num_dims = 1;
  range.global = {kItems * numbers.size(), 1, 1};
  range.group = {kItems, 1, 1};
  const CopyShape all{.row_bytes = bytes};
  Ended written, launched, copied;
  device.write(*buffer, numbers.data(), std::span(&all, 1), CopyOrder::InQueue, written);
  const bool was_written = written.wait(device);
  device.launch(*kernel, std::span(&argument, 1), range, launched);
  const bool has_run = launched.wait(device);
  device.read(*buffer, numbers.data(), std::span(&all, 1), CopyOrder::InQueue, copied);
  return copied.wait(device) && was_written && has_run;
}

bool gives_bits_of_fma(Device& device, MatrixUnits units) {
  std::vector<Numbers<double>> expected = doubles_to_try(), found = expected;
  for (Numbers<double>& numbers : expected)
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t column = 0; column < kColumns; ++column) {
        double& sum = numbers.sums[row * kColumns + column];
        for (std::size_t i = 0; i < kProducts; ++i)
          sum = std::fma(numbers.left[row * kProducts + i], numbers.right[i * kColumns + column], sum);
      }
  return add_products(device, units, kHeadOfDoubles, found) &&
         std::memcmp(found.data(), expected.data(), found.size() * sizeof(found[0])) == 0;
}

/// Whether the sums are as near as three products of parts and sums of floats let them be. Sums of doubles of such
/// products are near enough to be called right.
bool splits_well(Device& device, MatrixUnits units) {
  const std::vector<Numbers<float>> given = floats_to_try();
  std::vector<Numbers<float>> found = given;
  if (!add_products(device, units, kHeadOfFloats, found)) return false;
  for (std::size_t set = 0; set < given.size(); ++set)
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t column = 0; column < kColumns; ++column) {
        const std::size_t at = row * kColumns + column;
        double sum = given[set].sums[at], terms = std::fabs(sum);
        for (std::size_t i = 0; i < kProducts; ++i) {
          const double product = static_cast<double>(given[set].left[row * kProducts + i]) *
                                 static_cast<double>(given[set].right[i * kColumns + column]);
          sum += product;
          terms += std::fabs(product);
        }
        if (!(std::fabs(static_cast<double>(found[set].sums[at]) - sum) <= kSplitError * terms)) return false;
      }
  return true;
}

}  // namespace

MatrixUnits find_matrix_units(Device& device, Products products) {
  const DeviceInfo& info = device.info();
  if (info.type != DeviceType::Gpu || info.platform.find("NVIDIA") == std::string::npos) return MatrixUnits::None;
  switch (products) {
    case Products::None:
      break;
    case Products::OfDoubles:
      for (const MatrixUnits units : {MatrixUnits::Rows16, MatrixUnits::Rows8})
        if (info.has_fp64 && holds([&] { return gives_bits_of_fma(device, units); })) return units;
      break;
    case Products::OfSplitFloats:
      if (holds([&] { return splits_well(device, MatrixUnits::Rows16); })) return MatrixUnits::Rows16;
      break;
  }
  return MatrixUnits::None;
}

const char* build_options_of(MatrixUnits units) {
  switch (units) {
    case MatrixUnits::None:
      break;
    case MatrixUnits::Rows8:
      return " -DPB_MATRIX_UNITS=8";
    case MatrixUnits::Rows16:
      return " -DPB_MATRIX_UNITS=16";
  }
  return "";
}

}  // namespace pbrt::gpu
