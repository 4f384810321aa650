// SPDX-License-Identifier: MIT
// Waits for the end of one operation of a device. Used by the devices of this folder.
#pragma once

#include <condition_variable>
#include <mutex>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

class WaitedEnd final : public Completion {
 public:
  void done(bool ok) noexcept override {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    is_ok_ = ok;
    changed_.notify_all();
  }
  /// Returns whether the operation, which the device was given, has succeeded.
  bool wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended_; });
    return is_ok_;
  }
  /// Sends the operation to the device first.
  bool wait(Device& device) {
    device.flush();
    device.watch();
    return wait();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  bool is_ok_ = false;
};

}  // namespace pbrt::gpu
