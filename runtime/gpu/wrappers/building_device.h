// SPDX-License-Identifier: MIT
// A device on which nothing runs: kernels are built for another device, copies and launches end at once. A process with
// it fills the cache of built kernels while another process measures on the device (`--builds-only`).
#pragma once

#include <memory>
#include <utility>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

class BuildingDevice final : public Device {
 public:
  explicit BuildingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  /// A buffer without memory.
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override;
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override {
    return device_->build(source, name, options);
  }
  void write(Buffer&, const void*, std::span<const CopyShape>, CopyOrder, Completion& done) override {
    done.done(true);
  }
  void read(const Buffer&, void*, std::span<const CopyShape>, CopyOrder, Completion& done) override { done.done(true); }
  void clear(Buffer&, std::size_t, std::size_t, Completion& done) override { done.done(true); }
  void launch(Kernel&, std::span<const KernelArg>, const KernelRange&, Completion& done) override { done.done(true); }
  void flush() override {}
  void finish() noexcept override {}
  [[nodiscard]] Device& for_trials() override { return *device_; }
  [[nodiscard]] Counters counters() const override { return device_->counters(); }

 private:
  std::unique_ptr<Device> device_;
};

}  // namespace pbrt::gpu
