// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/warp_shuffles.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

#include "runtime/config/kernel_prelude.h"

namespace pbrt::gpu {
namespace {

/// Tries the functions that kernels have.
constexpr const char* kSource = PB_KERNEL_PRELUDE R"cl(
__kernel void pb_try_shuffles(__global uint* out) {
  const uint id = get_local_id(0);
  out[2 * id] = pb_opposite_uint(3 * id + 1, 16);
  out[2 * id + 1] = pb_of_lane_uint(3 * id + 1, 5);
}
)cl";
constexpr const char* kOptions = "-DPB_LANES=32 -DPB_GROUP_ITEMS=64 -DPB_HAS_PTX_SHUFFLES=1";

constexpr std::uint32_t kItems = 64;  // two warps
using Values = std::array<std::uint32_t, std::size_t{2} * kItems>;

Values expected() {
  Values out{};
  for (std::uint32_t id = 0; id < kItems; ++id) {
    out[2 * id] = 3 * (id ^ 16) + 1;
    out[2 * id + 1] = 3 * (id / 32 * 32 + 5) + 1;
  }
  return out;
}

class Ended final : public Completion {
 public:
  void done(bool ok) noexcept override { state_ = ok ? 1 : -1; }
  /// Waits for the end, and returns whether it went well.
  bool wait(Device& device) const {
    device.flush();
    for (; state_ == 0; std::this_thread::yield()) device.poll();
    return state_ == 1;
  }

 private:
  std::atomic<int> state_{0};
};

bool gives_right_values(Device& device) {
  Values found{};
  const std::unique_ptr<Kernel> kernel = device.build(kSource, "pb_try_shuffles", kOptions);
  const std::unique_ptr<Buffer> buffer = device.allocate(sizeof found, nullptr);
  if (buffer == nullptr) return false;
  KernelArg out;
  out.kind = KernelArg::Kind::Buffer;
  out.buffer = buffer.get();
  KernelRange range;
  range.global[0] = range.group[0] = kItems;
  const CopyShape all{.row_bytes = sizeof found};
  Ended launched, copied;
  device.launch(*kernel, std::span(&out, 1), range, launched);
  const bool has_run = launched.wait(device);
  device.read(*buffer, found.data(), std::span(&all, 1), CopyOrder::InQueue, copied);
  return copied.wait(device) && has_run && found == expected();
}

}  // namespace

bool has_ptx_shuffles(Device& device) {
  const DeviceInfo& info = device.info();
  if (info.type != DeviceType::Gpu || info.platform.find("NVIDIA") == std::string::npos) return false;
  try {
    return gives_right_values(device);
  } catch (const BuildFailure&) {
    return false;
  }
}

}  // namespace pbrt::gpu
