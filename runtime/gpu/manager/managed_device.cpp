// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/managed_device.h"

#include <cstdint>
#include <cstdio>
#include <utility>

namespace pbrt::gpu {
namespace {

std::uint64_t memory_limit_of(const DeviceInfo& info, const ManagerOptions& options) {
  if (options.memory_limit_bytes != 0) return options.memory_limit_bytes;
  return info.shares_host_memory ? UINT64_MAX : info.memory_bytes / 4 * 3;
}

}  // namespace

ManagedDevice::ManagedDevice(std::unique_ptr<Device> device, const ManagerOptions& options)
    : device_(std::move(device)),
      info_(device_->info()),
      warn_(options.warn),
      warn_context_(options.warn_context),
      memory_limit_(memory_limit_of(info_, options)) {}

std::string ManagedDevice::failure_message() const {
  const std::lock_guard lock(mutex_);
  return "the device failed: " + failure_;
}

bool ManagedDevice::fail(const std::string& why) {
  if (!is_alive_.exchange(false, std::memory_order_relaxed)) return false;
  {
    const std::lock_guard lock(mutex_);
    failure_ = why;
  }
  warn("device `" + info_.name + "` failed and is not used any more, the CPU does its work: " + why);
  return true;
}

void ManagedDevice::warn_of_doubles() {
  if (has_warned_of_doubles_.exchange(true, std::memory_order_relaxed)) return;
  warn("device `" + info_.name + "` has no double precision, the CPU does the work of kernels that need it; programs " +
       "that `pbc --element float` makes compute with floats");
}

void ManagedDevice::warn(const std::string& line) const {
  if (warn_ != nullptr) {
    warn_(warn_context_, line.c_str());
  } else {
    std::fprintf(stderr, "warning: %s\n", line.c_str());
  }
}

}  // namespace pbrt::gpu
