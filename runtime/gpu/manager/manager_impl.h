// SPDX-License-Identifier: MIT
// The inside of Manager: its thread, and the parts that the thread's tasks work on. Private to runtime/gpu.
//
//   TaskQueue           what other threads tell this one, and how it sleeps
//   OperationsInFlight  what the device was given and has not ended
//   DeviceCopies        copies between storages and their buffers
//   DeviceMemory        buffers, their pool and eviction
//   LaunchTasks         the tasks of kernel executions
//   HostTasks           the tasks that fibers wait for
//   ManagedDevice       the device and whether it works
//   ManagerStatistics, ManagerTrace
//
// The header of each says which mutex guards it; manager_parts.h has their order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gpu/check/device_check.h"
#include "runtime/gpu/manager/host_tasks.h"
#include "runtime/gpu/manager/launch_tasks.h"
#include "runtime/gpu/manager/manager_parts.h"
#include "runtime/gpu/manager/manager_trace.h"
#include "runtime/gpu/manager_options.h"

namespace pbrt::gpu {

struct ManagerImpl {
  ManagerImpl(std::unique_ptr<Device> managed, const ManagerOptions& options);
  ~ManagerImpl();
  ManagerImpl(const ManagerImpl&) = delete;
  ManagerImpl& operator=(const ManagerImpl&) = delete;

  // Used by any thread as their headers allow; the device outlives what reports to the parts above it.
  ManagedDevice device;
  ManagerStatistics statistics;
  const std::unique_ptr<DeviceCheck> check;  ///< null: results are not compared
  ManagerTrace trace;
  TaskQueue queue;
  OperationsInFlight operations;
  DeviceCopies copies;
  DeviceMemory memory;
  /// Launches that were chosen for this device and are not in the queue yet (several/manager_set.h).
  std::atomic<std::int64_t> num_chosen{0};

 private:
  // Manager thread only.
  void run_thread();
  /// Does what is next, or sleeps. Returns false if there is nothing left to do and stop() was called.
  bool take_turn();
  void take(Task task);
  void take(const std::vector<EndedOperation>& ended);
  [[nodiscard]] Progress attempt(Task& task);
  /// Flushes, stays awake for a while, or sleeps, until something may have happened.
  void idle();
  void fail_device(const std::string& why);
  void shut_down();
  /// Copies to the host what is newer on the device, for storages that outlive the manager.
  void bring_all_home();
  /// Starts the copies that can begin. Returns whether something still is newer on the device.
  [[nodiscard]] bool start_home();

  [[nodiscard]] ManagerParts parts() { return {device, queue, operations, statistics, copies, memory}; }

  LaunchTasks launch_tasks_;
  HostTasks host_tasks_;
  std::thread thread_;
};

}  // namespace pbrt::gpu
