// SPDX-License-Identifier: MIT
// What probes of a device need, which try whether it can do something: the end of an operation, and answers of devices
// that refuse. Private to runtime/gpu.
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

/// Returns what `probe` finds; false if the device does not build or run what it tries.
template <class Probe>
[[nodiscard]] bool holds(const Probe& probe) {
  try {
    return probe();
  } catch (const BuildFailure&) {
    return false;
  } catch (const DeviceRefusal&) {
    return false;
  }
}

}  // namespace pbrt::gpu
