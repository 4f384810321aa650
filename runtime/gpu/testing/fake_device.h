// SPDX-License-Identifier: MIT
// A device for tests, inside the process: a thread that runs operations in order, another for copies beside them, with
// C++ functions as kernels, and delays, faults and gates that the test controls. Not part of what programs link.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/config/runtime_check.h"
#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// A region argument of a kernel, read by the parameter list of launch.h.
template <class T>
struct FakeRegion {
  T* data = nullptr;
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
  std::vector<std::int32_t> sizes;

  template <class... I>
  [[nodiscard]] T& at(I... indices) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(indices)...};
    std::int64_t index = offset;
    for (std::size_t d = 0; d < sizeof...(I); ++d) index += list[d] * strides[d];
    return data[index];
  }
};

/// An execution of a kernel. It takes the kernel's arguments in order.
class FakeCall {
 public:
  FakeCall(std::vector<KernelArg> args, std::vector<std::byte*> buffers, const KernelRange& range)
      : args_(std::move(args)), buffers_(std::move(buffers)), range_(range) {}

  template <class T>
  [[nodiscard]] FakeRegion<T> region(int num_dims) {
    FakeRegion<T> result;
    PBRT_CHECK(args_.at(next_).kind == KernelArg::Kind::Buffer, "the next argument is a region");
    result.data = reinterpret_cast<T*>(buffers_.at(next_++));
    result.offset = scalar<std::int64_t>();
    for (int d = 0; d < num_dims; ++d) result.strides.push_back(scalar<std::int64_t>());
    for (int d = 0; d < num_dims; ++d) result.sizes.push_back(scalar<std::int32_t>());
    return result;
  }
  template <class T>
  [[nodiscard]] T scalar() {
    const KernelArg& arg = args_.at(next_++);
    PBRT_CHECK(arg.kind == KernelArg::Kind::Value && arg.size_bytes == sizeof(T),
               "the next argument is a scalar of this type");
    T value;
    std::memcpy(&value, arg.value.data(), sizeof(T));
    return value;
  }
  /// Memory of the device that is no region: its first element.
  template <class T>
  [[nodiscard]] T* memory() {
    PBRT_CHECK(args_.at(next_).kind == KernelArg::Kind::Buffer, "the next argument is memory");
    return reinterpret_cast<T*>(buffers_.at(next_++));
  }
  [[nodiscard]] std::size_t local_bytes() {
    PBRT_CHECK(args_.at(next_).kind == KernelArg::Kind::Local, "the next argument is local memory");
    return args_.at(next_++).size_bytes;
  }
  [[nodiscard]] bool has_more() const { return next_ < args_.size(); }
  [[nodiscard]] const KernelRange& range() const { return range_; }

 private:
  std::vector<KernelArg> args_;
  std::vector<std::byte*> buffers_;
  KernelRange range_;
  std::size_t next_ = 0;
};

using FakeKernelBody = std::function<void(FakeCall&)>;

enum class FakeOperation : std::uint8_t { Allocate, Build, Write, Clear, Read, Launch };

enum class FakeFault : std::uint8_t {
  Refuse,      ///< the call reports that something does not fit (allocate: no memory; build: rejected)
  Fail,        ///< the call fails with the device
  FailLater,   ///< the operation is enqueued and ends without success
  Hang,        ///< the operation is enqueued and does not end until end_hangs(), nor does what comes after it
  HangInCall,  ///< the call does not return until end_hangs()
};

/// The state that a test and its device share. It lives as long as either of them.
class FakeControl {
 public:
  explicit FakeControl(std::uint64_t seed = 1) : rng_(seed) {}

  void add_kernel(const std::string& name, FakeKernelBody body);
  /// Lets groups of builds with this option have no more work-items than that.
  void limit_build(const std::string& option, std::size_t max_group_size);
  /// Gives the `index`-th operation (0 first) of this kind this fault.
  void inject(FakeOperation operation, std::int64_t index, FakeFault fault);
  /// Calls `body` within the `index`-th call of this kind, before its fault.
  void when_called(FakeOperation operation, std::int64_t index, std::function<void()> body);
  /// Sets how long an operation takes at most.
  void set_max_delay_us(int max_delay_us);
  /// Lets copies of this size go beside kernels.
  void set_min_bytes_beside(std::uint64_t bytes);
  /// Stops the device before its next operation, except copies beside the queue, until release().
  void hold();
  /// Stops the device before its next copy beside the queue, until release().
  void hold_beside();
  void release();
  /// Lets what hangs go on.
  void end_hangs();
  /// What the device has done: `write`, `launch <kernel>`, `read`, `write beside`, in order of their ends.
  [[nodiscard]] std::vector<std::string> log() const;
  /// Operations enqueued and not ended.
  [[nodiscard]] std::int64_t num_pending() const;
  [[nodiscard]] std::vector<std::string> build_options() const;
  /// Waits until this many operations were enqueued in total.
  void await_enqueued(std::int64_t count);

 private:
  friend class FakeDevice;
  /// The fault of the operation that starts now, if any: 0 none, else 1 + fault.
  int next_fault(FakeOperation operation);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, FakeKernelBody> kernels_;
  std::map<std::pair<FakeOperation, std::int64_t>, FakeFault> faults_;
  std::map<std::pair<FakeOperation, std::int64_t>, std::function<void()>> bodies_;
  std::map<FakeOperation, std::int64_t> counts_;
  std::vector<std::string> log_;
  std::vector<std::string> build_options_;
  std::pair<std::string, std::size_t> limited_build_;
  std::mt19937_64 rng_;
  int max_delay_us_ = 0;
  std::uint64_t min_bytes_beside_ = UINT64_MAX;
  bool is_held_ = false;
  bool is_beside_held_ = false;
  bool are_hangs_over_ = false;
  std::int64_t num_enqueued_ = 0;
  std::int64_t num_pending_ = 0;
};

/// A plausible device: 1 GiB, double precision, memory of its own.
[[nodiscard]] DeviceInfo fake_device_info();

class FakeDevice final : public Device {
 public:
  FakeDevice(std::shared_ptr<FakeControl> control, DeviceInfo info);
  ~FakeDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) override;
  [[nodiscard]] std::unique_ptr<Kernel> build(const char* source, const char* name,
                                              const std::string& options) override;
  void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
             Completion& done) override;
  void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
            Completion& done) override;
  [[nodiscard]] std::uint64_t min_bytes_beside() const override;
  void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) override;
  void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) override;
  void flush() override {}
  void finish() noexcept override;
  [[nodiscard]] Counters counters() const override;

 private:
  struct Entry {
    std::string name;
    std::function<void()> work;
    Completion* done = nullptr;
    bool fails = false;
    bool hangs = false;
  };
  /// Throws for faults at enqueue, and notes in `entry` what happens later.
  void check_fault(FakeOperation operation, Entry& entry);
  void enqueue(Entry entry, CopyOrder order = CopyOrder::InQueue);
  void run_thread(std::deque<Entry>& queue, const bool& is_held);

  std::shared_ptr<FakeControl> control_;
  DeviceInfo info_;
  std::deque<Entry> queue_;     // under control_->mutex_
  std::deque<Entry> beside_;    // likewise
  bool is_stopping_ = false;    // likewise
  std::int64_t num_built_ = 0;  // likewise
  std::thread thread_;
  std::thread beside_thread_;
};

}  // namespace pbrt::gpu
