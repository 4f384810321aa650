// SPDX-License-Identifier: MIT
// The narrow interface between the management thread and a device: memory, copies, kernels, and completion
// callbacks. Implemented by runtime/cl (OpenCL) and by gpu/fake_device (tests). One thread at a time calls it, the
// management thread or a worker that launches itself (manager/manager_impl.h), but for poll() and watch(), which the
// management thread may call meanwhile. Operations of one device complete in the order in which they were enqueued, but
// for copies beside them (CopyOrder).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/errors.h"

namespace pbrt::gpu {

enum class DeviceType : std::uint8_t { Cpu, Gpu, Accelerator, Other };
[[nodiscard]] const char* to_string(DeviceType type);

/// How work-items exchange parts of a fold (lane_exchange.h).
enum class LaneExchange : std::uint8_t {
  Memory,       ///< through memory of their group
  PtxShuffles,  ///< in a warp by PTX instructions, which NVIDIA's OpenCL C takes though it has no such functions
  SubGroups,    ///< in a sub-group of OpenCL
};

struct DeviceInfo {
  std::string name;
  std::string driver;  ///< version text of the driver
  std::string platform;
  DeviceType type = DeviceType::Other;
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_alloc_bytes = 0;
  std::uint64_t local_bytes = 0;
  int compute_units = 0;
  std::size_t max_group_size = 1;
  std::array<std::size_t, 3> max_group_shape = {1, 1, 1};
  bool has_fp64 = false;
  bool has_sub_group_shuffles = false;   ///< and kernels may ask for sub-groups of 32 work-items
  std::optional<LaneExchange> exchange;  ///< none: a kernel finds out which is best
  bool rounds_float_quotients = false;   ///< kernels may ask for quotients and roots of `float` as C++ has them
  bool shares_host_memory = false;       ///< kernels work on the host's pages: no copies
};

/// Data existed only on a device that failed. The run must be repeated without the device.
class DeviceLost : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The device cannot go on, or a driver call failed in a way that leaves its state unknown: it is not used any more.
class DeviceFailure : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// This one operation cannot be done (resources, arguments); the device is usable.
class DeviceRefusal : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The driver does not build this kernel; `log` is its output.
class BuildFailure : public DeviceError {
 public:
  BuildFailure(const std::string& message, std::string log) : DeviceError(message), log_(std::move(log)) {}
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// The times at which the device says that it did something, in nanoseconds of its own clock.
struct DeviceTimes {
  std::int64_t queued_ns = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// The receiver of the end of an operation: it is told once, from any thread (also from within the call that enqueues).
class Completion {
 public:
  virtual ~Completion() = default;
  /// Called before done(), where the device is profiled.
  virtual void took(const DeviceTimes&) noexcept {}
  virtual void done(bool ok) noexcept = 0;
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t size_bytes() const = 0;
};

/// What a built kernel needs of its device, and how large its work-groups may be.
struct KernelLimits {
  std::size_t max_group_size = 1;
  std::uint64_t local_bytes = 0;  ///< used by the kernel itself, without tile arguments
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual KernelLimits limits() const = 0;
};

/// Bytes of host memory and buffer at the same layout: `slices` of `rows` of `row_bytes`.
struct CopyShape {
  std::size_t offset = 0;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;
  std::size_t row_pitch = 0;
  std::size_t slices = 1;
  std::size_t slice_pitch = 0;
  [[nodiscard]] std::size_t bytes() const { return row_bytes * rows * slices; }
  bool operator==(const CopyShape&) const = default;
};

/// The place of a copy among the operations of its device.
enum class CopyOrder : std::uint8_t {
  InQueue,  ///< after what was enqueued before it, before what is enqueued next
  Beside,   ///< at once; may end before operations that were enqueued before it
};

struct KernelArg {
  enum class Kind : std::uint8_t { Buffer, Value, Local };
  Kind kind = Kind::Value;
  Buffer* buffer = nullptr;
  std::array<std::byte, 8> value = {};
  std::size_t size_bytes = 0;  ///< size of the value, or of the local memory
};

struct KernelRange {
  int num_dims = 1;
  std::array<std::size_t, 3> global = {1, 1, 1};
  std::array<std::size_t, 3> group = {1, 1, 1};
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;

  /// A buffer of this size; null if there is no memory. `host`: the storage's memory, page aligned, used in place if
  /// shares_host_memory; null: memory that the host does not use.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(std::size_t size_bytes, void* host) = 0;

  /// Builds a kernel, or takes it from a cache. Throws BuildFailure.
  [[nodiscard]] virtual std::unique_ptr<Kernel> build(const char* source, const char* name,
                                                      const std::string& options) = 0;

  /// Enqueues copies between `host` (start of the storage) and `buffer`. `done` is called when the last one has ended;
  /// it and `host` must live until then. While a copy beside the queue is in flight, no other operation may touch the
  /// same part of the buffer, unless both only read it.
  virtual void write(Buffer& buffer, const void* host, std::span<const CopyShape> shapes, CopyOrder order,
                     Completion& done) = 0;
  virtual void read(const Buffer& buffer, void* host, std::span<const CopyShape> shapes, CopyOrder order,
                    Completion& done) = 0;
  /// Enqueues zeros for a part of the buffer, in the queue.
  virtual void clear(Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, Completion& done) = 0;
  virtual void launch(Kernel& kernel, std::span<const KernelArg> args, const KernelRange& range, Completion& done) = 0;

  /// The least size of a copy that may go beside the queue. For shorter copies it does not pay to wake a thread.
  [[nodiscard]] virtual std::uint64_t min_bytes_beside() const { return UINT64_MAX; }

  /// True if write() in the queue copies the data before it returns, so that the host may write its memory at once.
  [[nodiscard]] virtual bool copies_at_enqueue(std::span<const CopyShape>) const { return false; }

  /// Whether the calls that launch a kernel return soon, so that workers may make them, too.
  [[nodiscard]] virtual bool may_serve_workers() const { return true; }

  /// Sends what was enqueued to the device.
  virtual void flush() = 0;
  /// Reports operations that have ended, unless watch() makes the device report them itself. The management thread
  /// calls it while it stays awake, and workers that launch. Threads: also while another thread calls the device
  virtual void poll() {}
  /// From now on the device reports ends without poll(), until all have ended. Called before the management thread
  /// sleeps. Threads: as poll()
  virtual void watch() {}
  /// Waits until everything enqueued has ended. Never throws.
  virtual void finish() noexcept = 0;
  /// Why operations end without success; empty if the device does not know.
  [[nodiscard]] virtual std::string failure() const { return {}; }

  /// The device on which kernels run that are tried to find out what it can do.
  [[nodiscard]] virtual Device& for_trials() { return *this; }

  /// Statistics of the implementation (cache hits …), for --stats.
  struct Counters {
    std::int64_t kernels_built = 0;
    std::int64_t kernels_from_disk = 0;
    double build_ms = 0;
    std::int64_t kernel_ns = 0;         ///< run time of kernels by the device's clock; 0 unless it is profiled
    std::int64_t bytes_by_threads = 0;  ///< of copies that several threads made together
    std::int64_t bytes_locked = 0;      ///< of the host's memory that are page-locked for the device now
    std::int64_t lock_ns = 0;           ///< how long page-locking took
  };
  [[nodiscard]] virtual Counters counters() const { return {}; }
};

}  // namespace pbrt::gpu
