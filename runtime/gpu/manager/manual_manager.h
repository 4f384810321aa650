// SPDX-License-Identifier: MIT
// The parts of a manager without its thread, on the fake device: the test takes the management thread's place. Tests
// only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/gpu/layout.h"
#include "runtime/gpu/manager/manager_parts.h"
#include "runtime/gpu/manager/manager_trace.h"
#include "runtime/gpu/manager/queue/submission.h"
#include "runtime/gpu/testing/fake_device.h"
#include "runtime/gpu/testing/fake_fixture.h"

namespace pbrt::gpu {

struct ManualManager {
  explicit ManualManager(std::uint64_t memory_limit_bytes = 0, const DeviceInfo& info = fake_device_info())
      : ManualManager(std::make_shared<FakeControl>(), options_with(memory_limit_bytes), info) {}
  ~ManualManager() {
    control->release();
    settle();
    memory.close();
    device.close();
  }
  ManualManager(const ManualManager&) = delete;
  ManualManager& operator=(const ManualManager&) = delete;

  [[nodiscard]] ManagerParts parts() { return {device, queue, operations, statistics, copies, memory}; }

  /// A region of a kernel that covers all of the matrix.
  [[nodiscard]] LaunchRegion region_of(const Matrix2& matrix, bool is_read, bool is_written,
                                       CopyOut copy_out = CopyOut::May) {
    const RegionRef all(matrix);
    LaunchRegion region;
    region.storage = share(all.storage);
    region.record = &StorageRecord::of(*all.storage, sizeof(int));
    region.view = region.touched = own(*all.storage, all.view);
    region.is_read = is_read;
    region.is_written = is_written;
    region.copy_out = copy_out;
    region.home = &region.record->attach(memory.registry());
    return region;
  }
  /// Returns a launch of `add_step` for which no fiber waits.
  [[nodiscard]] JobPtr add_step(const Matrix2& out, const Matrix2& in, int step, CopyOut copy_out) {
    auto job = std::make_shared<LaunchJob>();
    job->plan.kernel = &kAddStep;
    job->plan.regions.push_back(region_of(in, true, false));
    job->plan.regions.push_back(region_of(out, false, true, copy_out));
    job->plan.scalars.push_back(step);
    job->plan.lo = {0, 0};
    job->plan.extent = {out.width(), out.height()};
    return job;
  }
  /// A job that only uses these matrices.
  [[nodiscard]] JobPtr user_of(const std::vector<Matrix2>& matrices) {
    auto job = std::make_shared<LaunchJob>();
    job->only_prefetch = true;
    for (const Matrix2& matrix : matrices) job->plan.regions.push_back(region_of(matrix, true, false));
    return job;
  }
  /// Applies ends until nothing is in flight.
  void settle() {
    while (!operations.is_empty())
      for (const EndedOperation& each : queue.wait_for_ended()) operations.end(*each.operation, each.ok);
  }
  [[nodiscard]] DeviceStatistics counted() const { return statistics.since_reset(*device); }

  std::shared_ptr<FakeControl> control;
  std::vector<std::string> warnings;
  ManagedDevice device;
  ManagerStatistics statistics;
  ManagerTrace trace;
  TaskQueue queue;
  OperationsInFlight operations;
  DeviceCopies copies;
  DeviceMemory memory;

 private:
  ManualManager(std::shared_ptr<FakeControl> fake, const ManagerOptions& options, const DeviceInfo& info)
      : control(std::move(fake)),
        device(std::make_unique<FakeDevice>(control, info), warned_by(options, &warnings)),
        trace(options, statistics),
        queue(options.patience),
        operations(queue, trace.clock()),
        copies(device, queue, operations, statistics),
        memory(device, queue, operations, copies, statistics) {
    add_kernels(*control);
  }
  static ManagerOptions options_with(std::uint64_t memory_limit_bytes) {
    ManagerOptions options;
    options.memory_limit_bytes = memory_limit_bytes;
    return options;
  }
  static ManagerOptions warned_by(ManagerOptions options, std::vector<std::string>* lines) {
    options.warn = [](void* context, const char* line) {
      static_cast<std::vector<std::string>*>(context)->push_back(line);
    };
    options.warn_context = lines;
    return options;
  }
};

}  // namespace pbrt::gpu
