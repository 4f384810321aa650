// SPDX-License-Identifier: MIT
// What the tasks of a management thread work on, by responsibility. Private to runtime/gpu.
//
// Lock order: StorageRecord's attach mutex, Registry::mutex, StorageRecord::mutex, then one of the mutexes of
// TaskQueue, ManagerStatistics or ManagedDevice; nothing is locked under these three.
#pragma once

#include "runtime/gpu/manager/device_copies.h"
#include "runtime/gpu/manager/device_memory.h"
#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/manager_statistics.h"
#include "runtime/gpu/manager/operations_in_flight.h"
#include "runtime/gpu/manager/queue/task_queue.h"

namespace pbrt::gpu {

/// All outlive the parts' user.
struct ManagerParts {
  ManagedDevice& device;
  TaskQueue& queue;
  OperationsInFlight& operations;
  ManagerStatistics& statistics;
  DeviceCopies& copies;
  DeviceMemory& memory;
};

}  // namespace pbrt::gpu
