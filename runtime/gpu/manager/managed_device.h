// SPDX-License-Identifier: MIT
// The device of a manager, with its state and its warnings. Private to runtime/gpu.
//
// `mutex_` guards the reason of the failure; nothing is called while it is held.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/gpu/device.h"
#include "runtime/gpu/manager_options.h"

namespace pbrt::gpu {

class ManagedDevice {
 public:
  ManagedDevice(std::unique_ptr<Device> device, const ManagerOptions& options);

  /// Threads: manager thread, but for Device::counters. Pre: close() was not called
  [[nodiscard]] Device& operator*() const { return *device_; }
  [[nodiscard]] Device* operator->() const { return device_.get(); }
  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  /// The limit for all buffers together, in bytes.
  [[nodiscard]] std::uint64_t memory_limit() const { return memory_limit_; }

  // Any thread.

  /// False once the device failed.
  [[nodiscard]] bool is_alive() const { return is_alive_.load(std::memory_order_relaxed); }
  /// Why the device is not used any more. Pre: it failed
  [[nodiscard]] std::string failure_message() const;

  /// Warns, once, that the device cannot run a kernel because it has no double precision.
  void warn_of_doubles();

  // Manager thread only.

  /// Notes that the device failed and warns; false if it had failed before.
  [[nodiscard]] bool fail(const std::string& why);
  void warn(const std::string& line) const;
  /// Ends the device: after this it reports nothing. Threads: when the manager's has ended
  void close() { device_.reset(); }

 private:
  std::unique_ptr<Device> device_;
  const DeviceInfo info_;
  void (*const warn_)(void* context, const char* line);
  void* const warn_context_;
  const std::uint64_t memory_limit_;
  /// Relaxed: written by the manager thread only; who acts on it goes through the queue.
  std::atomic<bool> is_alive_{true};
  std::atomic<bool> has_warned_of_doubles_{false};  ///< relaxed: nothing else depends on it
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace pbrt::gpu
