// SPDX-License-Identifier: MIT
// Leaves another device behind when it hangs: an operation that does not end within a limit fails, and so does
// everything after it, while the driver may go on for ever. Chosen by `--device-limit`. See Note [Leaving a device
// behind] in limited_device.cpp.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// Whether a device of this process was left behind. Then the driver's threads may never end, and the process must not
/// wait for them when it ends.
///
/// Threads: any
[[nodiscard]] bool is_any_device_left() noexcept;

class LimitedDevice final : public Device {
 public:
  /// `limit`: how long an operation may take from the end of the one before it. Pre: `device` has memory of its own,
  /// because an operation that hangs may write it late.
  LimitedDevice(std::unique_ptr<Device> device, std::chrono::nanoseconds limit);
  /// Waits for what is under way, unless the device hangs.
  ~LimitedDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override;
  /// A compiler may take its time: this has no limit, unless an operation under way hangs.
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override;
  void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
             Completion& done) override;
  void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
            Completion& done) override;
  void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) override;
  void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) override;
  [[nodiscard]] std::uint64_t min_bytes_beside() const override { return device_->min_bytes_beside(); }
  [[nodiscard]] bool copies_at_enqueue(std::span<const CopyShape>) const override { return true; }
  /// Each call waits for a thread that may hang.
  [[nodiscard]] bool may_serve_workers() const override { return false; }
  void flush() override;
  void poll() override;
  void watch() override;
  void finish() noexcept override;
  [[nodiscard]] std::string failure() const override;
  [[nodiscard]] Counters counters() const override { return device_->counters(); }

  class Core;  // private to limited_device.cpp

 private:
  Device* const device_;  ///< owned, unless it was left behind
  const DeviceInfo info_;
  const std::shared_ptr<Core> core_;  ///< shared with threads that may be left behind, too
  std::thread caller_, watchdog_;
};

}  // namespace pbrt::gpu
