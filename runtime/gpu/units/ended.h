// SPDX-License-Identifier: MIT
// The end of an operation that a probe of a device waits for. Private to runtime/gpu.
#pragma once

#include <atomic>
#include <thread>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

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

}  // namespace pbrt::gpu
