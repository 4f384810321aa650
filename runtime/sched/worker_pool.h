// SPDX-License-Identifier: MIT
// What the workers of a scheduler share, and what they see of each other. Internal to runtime/sched; scheduler.h owns
// the pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/sched/fiber.h"
#include "runtime/sched/queues/parking.h"
#include "runtime/sched/queues/task_queues.h"
#include "runtime/sched/task_memory.h"

namespace pbrt {

/// What other threads touch of a worker: its tasks, and where it sleeps.
struct WorkerSlot {
  explicit WorkerSlot(Parking& parking) : tasks(parking) {}

  TaskQueues tasks;
  ParkingSpot spot;
};

/// Threads: any, unless said otherwise
struct WorkerPool {
  explicit WorkerPool(int num_workers);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  Parking parking;
  TaskReserve reserve;
  StackPool stacks;
  /// By the workers' numbers. Written before the first thread starts.
  std::vector<WorkerSlot*> workers;
  /// Whether workers that look for work take no CPU from those that have some.
  const bool has_cpu_per_worker;
  /// Fibers suspended for a wake that will come soon; one searching worker stays awake for them.
  std::atomic<int> num_brief_waits{0};
  /// Wakers hold this lock; see worker.h, "Proof: suspension".
  std::mutex external_lock;

  [[nodiscard]] int num_workers() const { return static_cast<int>(workers.size()); }
  [[nodiscard]] bool has_work() const;
  /// Wakes up to `count` sleeping workers, for tasks that are about to be spawned.
  void wake_helpers(std::int64_t count) { parking.wake_several(count); }
  /// Puts a spawned task into the mailbox of a worker. Threads: the workers' own.
  void assign(int worker, detail::Task& task) const;
  /// Whether most of the other workers search and none sleeps. The answer is a hint. Threads: the workers' own.
  [[nodiscard]] bool may_assign() const;
  /// Makes a woken fiber runnable on a random worker. Pre: external_lock is held.
  void push_external(detail::Task& task);

 private:
  std::uint64_t external_random_ = 1;  // under external_lock
};

}  // namespace pbrt
