// SPDX-License-Identifier: MIT
#include "runtime/gpu/lane_exchange.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/config/errors.h"
#include "runtime/config/kernel_prelude.h"
#include "runtime/gpu/units/ended.h"

namespace pbrt::gpu {
namespace {

/// Tries the functions that kernels have. Warps must be made of neighbours, also across the rows of a group.
constexpr const char* kExchangeSource = PB_KERNEL_PRELUDE R"cl(
__kernel void PB_WARP_SIZE pb_try_exchange(__global uint* out) {
  const uint id = get_local_id(1) * get_local_size(0) + get_local_id(0);
  out[2 * id] = pb_opposite_uint(3 * id + 1, 16);
  out[2 * id + 1] = pb_of_lane_uint(3 * id + 1, 5);
}
)cl";

constexpr std::uint32_t kExchangeItems = 64;  // two warps
using Values = std::array<std::uint32_t, std::size_t{2} * kExchangeItems>;

Values expected() {
  Values out{};
  for (std::uint32_t id = 0; id < kExchangeItems; ++id) {
    out[2 * id] = 3 * (id ^ 16) + 1;
    out[2 * id + 1] = 3 * (id / 32 * 32 + 5) + 1;
  }
  return out;
}

bool gives_right_values(Device& device, LaneExchange way) {
  Values found{};
  const std::string options = std::string("-DPB_LANES=32 -DPB_GROUP_ITEMS=64") + build_options_of(way);
  const std::unique_ptr<Kernel> kernel = device.build(kExchangeSource, "pb_try_exchange", options);
  const std::unique_ptr<Buffer> buffer = device.allocate(sizeof found, nullptr);
  if (buffer == nullptr) return false;
  KernelArg out;
  out.kind = KernelArg::Kind::Buffer;
  out.buffer = buffer.get();
  KernelRange range;
  range.num_dims = 2;
  range.global = range.group = {16, kExchangeItems / 16, 1};
  const CopyShape all{.row_bytes = sizeof found};
  Ended launched, copied;
  device.launch(*kernel, std::span(&out, 1), range, launched);
  const bool has_run = launched.wait(device);
  device.read(*buffer, found.data(), std::span(&all, 1), CopyOrder::InQueue, copied);
  return copied.wait(device) && has_run && found == expected();
}

bool is_offered(const DeviceInfo& info, LaneExchange way) {
  if (way == LaneExchange::SubGroups) return info.has_sub_group_shuffles;
  return info.type == DeviceType::Gpu && info.platform.find("NVIDIA") != std::string::npos;
}

}  // namespace

bool can_exchange(Device& device, LaneExchange way) {
  if (way == LaneExchange::Memory) return true;
  if (!is_offered(device.info(), way)) return false;
  return holds([&] { return gives_right_values(device, way); });
}

LaneExchange find_exchange(Device& device) {
  const DeviceInfo& info = device.info();
  if (info.exchange) return *info.exchange;
  if (info.type != DeviceType::Gpu) return LaneExchange::Memory;
  for (const LaneExchange way : {LaneExchange::PtxShuffles, LaneExchange::SubGroups})
    if (can_exchange(device, way)) return way;
  return LaneExchange::Memory;
}

const char* build_options_of(LaneExchange way) {
  switch (way) {
    case LaneExchange::Memory:
      break;
    case LaneExchange::PtxShuffles:
      return " -DPB_HAS_PTX_SHUFFLES=1";
    case LaneExchange::SubGroups:
      return " -cl-std=CL3.0 -DPB_HAS_SUB_GROUPS=1";
  }
  return "";
}

std::optional<LaneExchange> exchange_of_environment() {
  const char* text = std::getenv("POLYBRICKS_LANE_EXCHANGE");
  const std::string_view word = text == nullptr ? "" : text;
  if (word.empty()) return std::nullopt;
  if (word == "memory") return LaneExchange::Memory;
  if (word == "ptx") return LaneExchange::PtxShuffles;
  if (word == "sub-groups") return LaneExchange::SubGroups;
  throw UserError("POLYBRICKS_LANE_EXCHANGE=" + std::string(word) + ": memory, ptx or sub-groups is expected");
}

}  // namespace pbrt::gpu
