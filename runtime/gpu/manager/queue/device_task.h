// SPDX-License-Identifier: MIT
// The tasks of a management thread: those of a kernel execution (run by LaunchTasks) and those that fibers wait for
// (run by HostTasks). Private to runtime/gpu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>

#include "runtime/gpu/layout.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/matrix/storage.h"

namespace pbrt::gpu {

using JobPtr = std::shared_ptr<LaunchJob>;

// The tasks of a kernel execution, in the order of the queue.

/// Chooses the kernel and gets the buffers.
struct PrepareTask {
  JobPtr job;
};
/// Copies one region in; there is one such task per region that is read.
struct CopyInTask {
  JobPtr job;
  std::size_t region = 0;
};
/// Enqueues the kernel and the read-backs that need not wait for it.
struct ExecuteTask {
  JobPtr job;
};
/// Applies what the kernel and its read-backs did, when they have ended; there is one such task per launch.
struct CompletionTask {
  JobPtr job;
};

// The tasks that fibers wait for.

/// Copy-out on demand.
struct FetchTask {
  StorageRef storage;
  std::unique_ptr<OwnedView> view;  ///< not null; apart, so that the tasks of launches are small
  std::shared_ptr<Wish> wish;       ///< of the launch on another device that wants it; null: none
  WaitingFiber waiting;             ///< none: nobody waits for this one
};
/// Is done when nothing of the view is in flight or newer on the device.
struct QuiesceTask {
  StorageRef storage;
  std::unique_ptr<OwnedView> view;  ///< not null; apart, so that the tasks of launches are small
  WaitingFiber waiting;
};
/// Gives the device's copy up. What is newer there is copied out first.
struct DropTask {
  StorageRef storage;
  WaitingFiber waiting;
};
/// Is done when the device has nothing to do.
struct DrainTask {
  WaitingFiber waiting;
};
/// Waits for an eviction's copy-out.
struct EvictionTask {
  std::shared_ptr<Operation> operation;
};

using Task = std::variant<PrepareTask, CopyInTask, ExecuteTask, CompletionTask, FetchTask, QuiesceTask, DropTask,
                          DrainTask, EvictionTask>;

/// The result of an attempt at a task. A task that is not ready is tried again after something has happened.
enum class Progress : std::uint8_t { Done, NotReady };

}  // namespace pbrt::gpu
