// SPDX-License-Identifier: MIT
// A device that does only what the interface promises: it begins operations when they are flushed, and reports ends
// when it is asked or told to watch. Around a fake device. Tests only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// Threads: those of Device. Pre: calls of `device` do not throw, but for allocate() and build()
class AskedDevice final : public Device {
 public:
  explicit AskedDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}
  ~AskedDevice() override { finish(); }

  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override {
    return device_->allocate(size_bytes, host);
  }
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override {
    return device_->build(source, name, options);
  }
  void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
             Completion& done) override {
    add(order, [this, &buffer, host, all = copy_of(shapes), order, &end = end_of(done)] {
      device_->write(buffer, host, all, order, end);
    });
  }
  void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
            Completion& done) override {
    add(order, [this, &buffer, host, all = copy_of(shapes), order, &end = end_of(done)] {
      device_->read(buffer, host, all, order, end);
    });
  }
  void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) override {
    add(CopyOrder::InQueue, [this, &buffer, first_byte, size_bytes, &end = end_of(done)] {
      device_->clear(buffer, first_byte, size_bytes, end);
    });
  }
  void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) override {
    add(CopyOrder::InQueue, [this, &kernel, all = std::vector<KernelArg>(args.begin(), args.end()), range,
                             &end = end_of(done)] { device_->launch(kernel, all, range, end); });
  }
  [[nodiscard]] std::uint64_t min_bytes_beside() const override { return device_->min_bytes_beside(); }
  void flush() override {
    for (const std::function<void()>& each : std::exchange(unsent_, {})) each();
  }
  void poll() override { report({}); }
  void watch() override {
    {
      const std::lock_guard lock(mutex_);
      is_watching_ = num_pending_ > 0;
    }
    report({});
  }
  void finish() noexcept override {
    flush();
    device_->finish();
    report({});
  }

 private:
  struct Ended {
    Completion* completion;
    bool ok;
  };
  /// Passes the end of one operation on, and goes.
  class End final : public Completion {
   public:
    End(AskedDevice& device, Completion& completion) : device_(device), completion_(completion) {}
    void done(bool ok) noexcept override {
      const std::unique_ptr<End> last_use(this);
      device_.report({{&completion_, ok}});
    }

   private:
    AskedDevice& device_;
    Completion& completion_;
  };

  [[nodiscard]] Completion& end_of(Completion& done) {
    const std::lock_guard lock(mutex_);
    ++num_pending_;
    return *std::make_unique<End>(*this, done).release();
  }
  static std::vector<CopyShape> copy_of(std::span<const CopyShape> shapes) { return {shapes.begin(), shapes.end()}; }
  void add(CopyOrder order, std::function<void()> begin) {
    if (order == CopyOrder::Beside) return begin();
    unsent_.push_back(std::move(begin));
  }
  /// Reports ends: those that have come if it is asked, which is if none comes now, or while it watches.
  void report(std::vector<Ended> coming) {
    std::vector<Ended> now;
    {
      const std::lock_guard lock(mutex_);
      const bool is_asked = coming.empty();
      num_pending_ -= static_cast<std::int64_t>(coming.size());
      ended_.insert(ended_.end(), coming.begin(), coming.end());
      if (is_asked || is_watching_) now.swap(ended_);
      if (num_pending_ == 0) is_watching_ = false;
    }
    for (const Ended& each : now) each.completion->done(each.ok);
  }

  std::vector<std::function<void()>> unsent_;  ///< of the thread that calls the device
  std::mutex mutex_;
  std::vector<Ended> ended_;        // under mutex_
  std::int64_t num_pending_ = 0;    // likewise
  bool is_watching_ = false;        // likewise
  std::unique_ptr<Device> device_;  // goes first: it reports
};

}  // namespace pbrt::gpu
