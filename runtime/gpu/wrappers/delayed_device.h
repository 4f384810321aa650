// SPDX-License-Identifier: MIT
// Makes another device slow at random, for tests. Each operation takes effect up to some time after it was enqueued.
// Operations keep their order, and copies beside the queue have an order of their own. Threads of this file read and
// write the host's memory late. So ThreadSanitizer sees who else uses it, and an access that comes too early gives a
// wrong result. Chosen by POLYBRICKS_DEVICE_DELAYS.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <thread>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

struct Delays {
  std::uint64_t seed = 1;
  int max_us = 300;
};

/// The delays that the environment asks for: `SEED` or `SEED,MICROSECONDS`; none if it asks for none.
///
/// Errors: UserError if it is something else
[[nodiscard]] std::optional<Delays> delays_of_environment();

class DelayedDevice final : public Device {
 public:
  /// Makes `device` slow. Pre: it has memory of its own.
  DelayedDevice(std::unique_ptr<Device> device, const Delays& delays);
  ~DelayedDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override;
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override;
  void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
             Completion& done) override;
  void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
            Completion& done) override;
  void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) override;
  void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) override;
  [[nodiscard]] std::uint64_t min_bytes_beside() const override { return device_->min_bytes_beside(); }
  void flush() override {}
  void finish() noexcept override;
  [[nodiscard]] Counters counters() const override { return device_->counters(); }

 private:
  struct Entry {
    std::function<bool()> work;  ///< does the operation; returns whether it succeeded
    Completion* done;
  };
  /// A queue of operations with its thread.
  struct Lane {
    std::deque<Entry> entries;
    std::mt19937_64 random;
    std::thread thread;
  };

  void enqueue(Lane& lane, Entry entry);
  void run(Lane& lane);
  /// Enqueues an operation on the device and waits for its end; false if it failed.
  bool run_on_device(const std::function<void(Completion&)>& start);

  std::unique_ptr<Device> device_;
  std::mutex device_mutex_;  ///< held by the thread that calls the device
  Delays delays_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Lane in_order_, beside_;        // under mutex_, but for the threads
  std::int64_t num_pending_ = 0;  // likewise
  bool is_stopping_ = false;      // likewise
};

}  // namespace pbrt::gpu
