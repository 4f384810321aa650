// SPDX-License-Identifier: MIT
// Makes another device fail, for tests of whole programs: at one launch, or in what it says of itself. Chosen by
// POLYBRICKS_DEVICE_FAULTS. Tests of the runtime inject faults through testing/fake_device.h.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

enum class DeviceFault : std::uint8_t {
  Hang,       ///< the launch does not end, and nothing does that comes after it in the queue
  Spoil,      ///< the first element that the launch's first matrix has is wrong afterwards
  Fail,       ///< the launch ends without success
  Refuse,     ///< the driver does not take the launch, and the device goes on
  NoDoubles,  ///< the device says that it has no double precision
};

struct DeviceFaults {
  DeviceFault fault = DeviceFault::Fail;
  std::int64_t launch = 0;  ///< which launch of the device, from 0 on; without meaning for NoDoubles
};

/// The faults that the environment asks for: `hang:N`, `spoil:N`, `fail:N`, `refuse:N` or `no-doubles`; none if it asks
/// for none.
///
/// Errors: UserError if it is something else
[[nodiscard]] std::optional<DeviceFaults> faults_of_environment();

/// Threads: those of Device; ends may come from any thread
class FaultyDevice final : public Device {
 public:
  FaultyDevice(std::unique_ptr<Device> device, const DeviceFaults& faults);
  /// Waits for ever if the device hangs, as a driver does.
  ~FaultyDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override;
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override;
  void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
             Completion& done) override;
  void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
            Completion& done) override;
  void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) override {
    if (!is_hung_) device_->clear(buffer, first_byte, size_bytes, done);
  }
  void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) override;
  [[nodiscard]] std::uint64_t min_bytes_beside() const override { return device_->min_bytes_beside(); }
  [[nodiscard]] bool copies_at_enqueue(std::span<const CopyShape> shapes) const override {
    return device_->copies_at_enqueue(shapes);
  }
  void flush() override { device_->flush(); }
  void poll() override { device_->poll(); }
  void watch() override { device_->watch(); }
  void finish() noexcept override;
  [[nodiscard]] Counters counters() const override { return device_->counters(); }

 private:
  void spoil(std::span<const KernelArg> args);

  std::unique_ptr<Device> device_;
  DeviceInfo info_;
  const DeviceFaults faults_;
  std::int64_t num_launches_ = 0;
  std::mutex mutex_;
  std::condition_variable never_;  // nobody notifies it
  bool is_hung_ = false;           // under mutex_
};

}  // namespace pbrt::gpu
