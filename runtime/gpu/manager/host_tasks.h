// SPDX-License-Identifier: MIT
// Runs the tasks that fibers wait for before the host reads or writes a matrix, and those that give device memory up.
// Private to runtime/gpu.
//
// All is the manager thread's. A record is looked at under its own mutex, and a fiber may be woken meanwhile: the
// scheduler takes no lock of runtime/gpu.
#pragma once

#include "runtime/gpu/manager/manager_parts.h"
#include "runtime/gpu/manager/queue/device_task.h"

namespace pbrt::gpu {

/// Threads: manager thread only
class HostTasks {
 public:
  explicit HostTasks(const ManagerParts& parts) : parts_(parts) {}

  // Errors: throw DeviceFailure; after ManagedDevice::fail the same task may be run again.

  [[nodiscard]] Progress run(FetchTask& task);
  [[nodiscard]] Progress run(QuiesceTask& task);
  [[nodiscard]] Progress run(DropTask& task);
  [[nodiscard]] Progress run(DrainTask& task);
  [[nodiscard]] Progress run(EvictionTask& task);

 private:
  const ManagerParts parts_;
};

}  // namespace pbrt::gpu
