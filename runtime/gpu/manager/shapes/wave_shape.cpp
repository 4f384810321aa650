// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/shapes/wave_shape.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/gpu/manager/kernel_table.h"
#include "runtime/gpu/manager/work_shape.h"

namespace pbrt::gpu {
namespace {

constexpr std::size_t kSpan = 64;        // of a block along two carried rows
constexpr std::size_t kSmallSpan = 8;    // likewise along three, or beside work-items along a parallel row
constexpr std::size_t kSideBySide = 32;  // places along a parallel row on which the fastest loop lies
constexpr std::size_t kMaxWaves = 8192;
constexpr std::int64_t kMaxLength = std::int64_t{1} << 30;

std::size_t num_rows(const KernelDesc& kernel) { return static_cast<std::size_t>(kernel.num_wave_rows); }

/// The numbers of the carried rows.
std::vector<std::size_t> carried_rows(const KernelDesc& kernel) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < num_rows(kernel); ++r)
    if (kernel.wave_rows[r].is_carried) out.push_back(r);
  return out;
}

/// How many places each row has.
std::array<std::int64_t, 3> lengths_of(const LaunchPlan& plan) {
  std::array<std::int64_t, 3> out = {1, 1, 1};
  for (std::size_t r = 0; r < num_rows(*plan.kernel); ++r)
    for (std::size_t d = 0; d < plan.extent.size(); ++d)
      out[r] += std::abs(plan.kernel->wave_rows[r].coefficients[d]) * (std::int64_t{plan.extent[d]} - 1);
  return out;
}

/// The shape of a device's blocks whose configuration says nothing.
WaveShape chosen_blocks(const LaunchPlan& plan, const DeviceInfo& device) {
  const KernelDesc& kernel = *plan.kernel;
  const std::vector<std::size_t> carried = carried_rows(kernel);
  const bool has_rows_side_by_side = !kernel.wave_rows[0].is_carried;
  WaveShape out;
  for (const std::size_t r : carried) out.span[r] = carried.size() == 2 && !has_rows_side_by_side ? kSpan : kSmallSpan;
  if (has_rows_side_by_side) out.span[0] = kSideBySide;
  if (device.type != DeviceType::Cpu) out.group = out.span;
  return out;
}

WaveShape given_blocks(const LaunchPlan& plan) {
  WaveShape out;
  for (std::size_t r = 0; r < num_rows(*plan.kernel); ++r) {
    out.group[r] = plan.group[r];
    out.span[r] = plan.group[r] * std::max<std::size_t>(1, plan.items[r]);
  }
  return out;
}

std::size_t num_waves(const std::vector<std::size_t>& carried, const WaveShape& shape) {
  std::size_t out = 1;
  for (const std::size_t r : carried) out += shape.blocks[r] - 1;
  return out;
}

void count_blocks(WaveShape& shape, const std::array<std::int64_t, 3>& lengths) {
  for (std::size_t r = 0; r < 3; ++r) shape.blocks[r] = divided_up(static_cast<std::size_t>(lengths[r]), shape.span[r]);
}

/// The launch of the blocks whose numbers along carried rows add up to `wave`.
LaunchStage wave_at(const LaunchPlan& plan, const std::vector<std::size_t>& carried, const WaveShape& shape,
                    Kernel* kernel, std::size_t wave) {
  const std::size_t first_row = carried.front();
  const std::size_t most = num_waves(carried, shape) - shape.blocks[first_row];  // along the other rows
  const std::size_t first = wave > most ? wave - most : 0, last = std::min(wave, shape.blocks[first_row] - 1);
  LaunchStage out{kernel, {}};
  out.range.num_dims = plan.kernel->num_wave_rows;
  out.range.group = shape.group;
  for (std::size_t r = 0; r < 3; ++r) {
    const std::size_t groups = r == first_row ? last - first + 1 : r == carried.back() ? 1 : shape.blocks[r];
    out.range.global[r] = groups * shape.group[r];
  }
  out.numbers = {static_cast<std::int32_t>(wave), static_cast<std::int32_t>(first)};
  for (std::size_t r = 0; r < num_rows(*plan.kernel); ++r)
    out.numbers.push_back(static_cast<std::int32_t>(shape.span[r]));
  return out;
}

}  // namespace

std::optional<WaveShape> wave_shape_of(const LaunchPlan& plan, const DeviceInfo& device) {
  const std::array<std::int64_t, 3> lengths = lengths_of(plan);
  if (std::any_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length > kMaxLength; })) return {};
  const auto is_zero = [](std::size_t value) { return value == 0; };
  const auto rows = static_cast<std::ptrdiff_t>(num_rows(*plan.kernel));
  const bool is_chosen = std::any_of(plan.group.begin(), plan.group.begin() + rows, is_zero);
  WaveShape out = is_chosen ? chosen_blocks(plan, device) : given_blocks(plan);
  const std::vector<std::size_t> carried = carried_rows(*plan.kernel);
  for (std::size_t r = 0; r < 3; ++r) {
    out.span[r] = std::min(out.span[r], static_cast<std::size_t>(lengths[r]));
    out.group[r] = std::min(out.group[r], out.span[r]);
  }
  out.group[carried.back()] = 1;
  out.group = clamp_group(out.group, device, device.max_group_size);
  count_blocks(out, lengths);
  while (num_waves(carried, out) > kMaxWaves) {
    const std::size_t longest = *std::max_element(
        carried.begin(), carried.end(), [&](std::size_t a, std::size_t b) { return out.blocks[a] < out.blocks[b]; });
    out.span[longest] *= 2;
    count_blocks(out, lengths);
  }
  return out;
}

std::vector<LaunchStage> waves_of(const LaunchPlan& plan, const WaveShape& shape, Kernel* kernel) {
  const std::vector<std::size_t> carried = carried_rows(*plan.kernel);
  const std::size_t num = num_waves(carried, shape);
  std::vector<LaunchStage> out;
  out.reserve(num);
  for (std::size_t wave = 0; wave < num; ++wave) out.push_back(wave_at(plan, carried, shape, kernel, wave));
  return out;
}

}  // namespace pbrt::gpu

// Note [Shapes of waves]
//
// Along each row of a wavefront a block has as many places as `work_group` times `items` say. Its group has
// `work_group` work-items along the row, but one along the last carried row, where the number of the front says which
// place a work-item runs. With blocks of s by s places, n by n instances take about 2n/s launches of 2s fronts each. So
// the number of fronts, 4n, does not depend on s; large blocks have fewer launches, small ones more groups at once.
//
// CPUs run the work-items of a group one after the other, so there a group has one.
//
// A long narrow wavefront would have more launches than a queue should hold. Its blocks become longer.
