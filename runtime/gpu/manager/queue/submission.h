// SPDX-License-Identifier: MIT
// How fibers hand work to a management thread and wait for it. Private to runtime/gpu.
//
// Guarded by no mutex of its own: a task and its outcome belong to the manager from the push on until it wakes the
// fiber.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "runtime/gpu/manager/queue/device_task.h"
#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/queue/task_queue.h"
#include "runtime/gpu/storage_record.h"
#include "runtime/matrix/storage.h"
#include "runtime/sched/frame.h"

namespace pbrt::gpu {

struct ManagerImpl;  // manager/manager_impl.h

/// Makes a further reference to a storage to which there is one.
[[nodiscard]] inline StorageRef share(Storage* storage) {
  storage->retain();
  return StorageRef::adopt(storage);
}

/// Hands a task with a WaitingFiber to the manager and suspends the fiber until it is woken.
template <class TaskType>
[[nodiscard]] Outcome wait_for(Frame& frame, TaskQueue& queue, TaskType task) {
  Outcome outcome;
  Suspension suspension(frame, queue.is_patient());
  task.waiting.outcome = &outcome;
  task.waiting.waker = suspension.waker();
  queue.push(std::move(task));
  suspension.wait();
  return outcome;
}

/// Hands a task with a WaitingFiber to the manager of `registry` and suspends the fiber until it is woken; false if the
/// manager has ended.
template <class TaskType>
[[nodiscard]] bool wait_for(Frame& frame, Registry& registry, TaskType task, Outcome& outcome) {
  TaskQueue* queue = nullptr;
  {
    const std::lock_guard lock(registry.mutex);
    queue = registry.queue;
  }
  if (queue == nullptr) return false;
  outcome = wait_for(frame, *queue, std::move(task));
  return true;
}

/// Hands a kernel execution to the manager, or does it here, and suspends the fiber until the launch says how it went.
/// `begin` counts it as one of the queue's: LaunchCount::begin, or what does so and more.
///
/// Pre: attach() was called for each region of the plan
[[nodiscard]] Outcome submit(Frame& frame, ManagerImpl& manager, LaunchPlan plan, bool only_prefetch,
                             const std::function<void()>& begin);

/// Gives the region what the device of `registry` has of its storage.
void attach(const std::shared_ptr<Registry>& registry, LaunchRegion& region);

}  // namespace pbrt::gpu
