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

/// Each group tries one set of numbers. They follow one another: the sums, the left factors, the right ones.
constexpr const char* kSource = PB_MATRIX_UNIT_TEXT R"cl(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void pb_try_products(__global double* numbers) {
  const int lane = (int)get_local_id(0);
  const int row = lane / 4, place = lane % 4;
  __global double* const sums = numbers + (int)get_group_id(0) * (16 * 8 + 16 * 8 + 8 * 8);
  __global const double* const left = sums + 16 * 8;
  __global const double* const right = left + 16 * 8;
  double c0 = sums[row * 8 + 2 * place], c1 = sums[row * 8 + 2 * place + 1];
  double c2 = sums[(row + 8) * 8 + 2 * place], c3 = sums[(row + 8) * 8 + 2 * place + 1];
  const double a0 = left[row * 8 + place], a1 = left[(row + 8) * 8 + place];
  const double a2 = left[row * 8 + place + 4], a3 = left[(row + 8) * 8 + place + 4];
  const double b0 = right[place * 8 + row], b1 = right[(place + 4) * 8 + row];
  PB_ADD_PRODUCTS(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
  sums[row * 8 + 2 * place] = c0;
  sums[row * 8 + 2 * place + 1] = c1;
  sums[(row + 8) * 8 + 2 * place] = c2;
  sums[(row + 8) * 8 + 2 * place + 1] = c3;
}
)cl";

struct Numbers {
  std::array<double, kRows * kColumns> sums;
  std::array<double, kRows * kProducts> left;
  std::array<double, kProducts * kColumns> right;
};
static_assert(sizeof(Numbers) == sizeof(double) * (kRows * kColumns + kRows * kProducts + kProducts * kColumns));

/// Numbers whose products and sums cancel, are subnormal or overflow, but are never NaN: infinite ones do not occur,
/// and a sum that overflows is only added to numbers of its sign.
std::vector<Numbers> numbers_to_try() {
  std::mt19937_64 random(20261127);
  std::vector<Numbers> out(kTries);
  std::size_t number = 0;
  for (Numbers& each : out) {
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

void add_products(Numbers& numbers) {
  for (std::size_t row = 0; row < kRows; ++row)
    for (std::size_t column = 0; column < kColumns; ++column) {
      double& sum = numbers.sums[row * kColumns + column];
      for (std::size_t i = 0; i < kProducts; ++i)
        sum = std::fma(numbers.left[row * kProducts + i], numbers.right[i * kColumns + column], sum);
    }
}

bool gives_bits_of_fma(Device& device, MatrixUnits units) {
  std::vector<Numbers> expected = numbers_to_try(), found = expected;
  for (Numbers& each : expected) add_products(each);
  const std::size_t bytes = found.size() * sizeof(Numbers);
  const std::unique_ptr<Kernel> kernel = device.build(kSource, "pb_try_products", build_options_of(units));
  const std::unique_ptr<Buffer> buffer = device.allocate(bytes, nullptr);
  if (buffer == nullptr) return false;
  KernelArg argument;
  argument.kind = KernelArg::Kind::Buffer;
  argument.buffer = buffer.get();
  KernelRange range;
  range.num_dims = 1;
  range.global = {kItems * found.size(), 1, 1};
  range.group = {kItems, 1, 1};
  const CopyShape all{.row_bytes = bytes};
  Ended written, launched, copied;
  device.write(*buffer, found.data(), std::span(&all, 1), CopyOrder::InQueue, written);
  const bool was_written = written.wait(device);
  device.launch(*kernel, std::span(&argument, 1), range, launched);
  const bool has_run = launched.wait(device);
  device.read(*buffer, found.data(), std::span(&all, 1), CopyOrder::InQueue, copied);
  return copied.wait(device) && was_written && has_run && std::memcmp(found.data(), expected.data(), bytes) == 0;
}

}  // namespace

MatrixUnits find_matrix_units(Device& device) {
  const DeviceInfo& info = device.info();
  if (info.type != DeviceType::Gpu || !info.has_fp64 || info.platform.find("NVIDIA") == std::string::npos)
    return MatrixUnits::None;
  for (const MatrixUnits units : {MatrixUnits::Rows16, MatrixUnits::Rows8})
    if (holds([&] { return gives_bits_of_fma(device, units); })) return units;
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
