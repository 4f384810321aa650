// SPDX-License-Identifier: MIT
// An OpenCL device behind gpu::Device: one context, one in-order queue, two more for copies beside. Private to
// runtime/cl.
//
// Memory: a device that shares memory with the host gets buffers on the host's own pages (CL_MEM_USE_HOST_PTR), others
// get buffers of their own, and copies (copies/host_copies.h).
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "runtime/cl/copies/copy_lane.h"
#include "runtime/cl/copies/host_copies.h"
#include "runtime/cl/device_options.h"
#include "runtime/cl/event_waiter.h"
#include "runtime/cl/kernel_cache.h"
#include "runtime/cl/kernel_times.h"
#include "runtime/cl/object.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class ClDevice final : public gpu::Device {
 public:
  ClDevice(std::shared_ptr<const Api> api, cl_platform_id platform, cl_device_id device, gpu::DeviceInfo info,
           const Options& options);
  ~ClDevice() override;

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<gpu::Buffer> allocate(std::size_t size_bytes, void* host) override;
  [[nodiscard]] std::unique_ptr<gpu::Kernel> build(const char* source, const char* name,
                                                   const std::string& options) override;
  void write(gpu::Buffer& buffer, const void* host, std::span<const gpu::CopyShape> shapes, gpu::CopyOrder order,
             gpu::Completion& done) override;
  void read(const gpu::Buffer& buffer, void* host, std::span<const gpu::CopyShape> shapes, gpu::CopyOrder order,
            gpu::Completion& done) override;
  [[nodiscard]] std::uint64_t min_bytes_beside() const override;
  void clear(gpu::Buffer& buffer, std::size_t first_byte, std::size_t size_bytes, gpu::Completion& done) override;
  void launch(gpu::Kernel& kernel, std::span<const gpu::KernelArg> args, const gpu::KernelRange& range,
              gpu::Completion& done) override;
  void flush() override;
  void poll() override;
  void watch() override;
  void finish() noexcept override;
  [[nodiscard]] Counters counters() const override;

 private:
  [[nodiscard]] cl_program program(const char* source, const std::string& options);
  [[nodiscard]] Program build_from_binary(const std::string& key, const std::string& options);
  [[nodiscard]] Program build_from_source(const char* source, const std::string& key, const std::string& options);
  [[nodiscard]] std::string build_log(cl_program program) const;
  void store_binary(cl_program program, const std::string& key);
  void give_to_host(std::span<const gpu::KernelArg> args, Event& last);
  /// The completion to tell of the end of `event`: `done`, or one that asks for the event's times first and then ends
  /// itself.
  [[nodiscard]] gpu::Completion& timed(cl_event event, gpu::Completion& done) const;
  void notify(Event event, gpu::Completion& done);
  /// Gives the launches without an event one.
  void mark_operations();
  /// The lane at `place`, which is made at its first use.
  [[nodiscard]] CopyLane& lane(std::unique_ptr<CopyLane>& place);

  std::shared_ptr<const Api> api_;
  cl_device_id device_;
  gpu::DeviceInfo info_;
  KernelCache cache_;
  Context context_;
  Queue queue_;
  std::unique_ptr<HostCopies> copies_;
  std::unique_ptr<CopyLane> lane_in_, lane_out_;  // null: not used yet
  std::unique_ptr<EventWaiter> waiter_;           // null: event callbacks
  bool has_shared_events_ = false;                // of launches
  std::size_t num_without_event_ = 0;             // launches since the last event
  std::unique_ptr<KernelTimes> times_;            // null: not profiled
  std::map<std::string, Program> programs_;       // by what decides a build
  std::atomic<std::int64_t> kernels_built_{0};
  std::atomic<std::int64_t> kernels_from_disk_{0};
  std::atomic<std::int64_t> build_us_{0};
};

}  // namespace pbrt::cl
