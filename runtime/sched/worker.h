// SPDX-License-Identifier: MIT
// One worker: a thread with its tasks (queues/task_queues.h), its search for others (task_search.h), free lists and
// loop. The loop does what a fiber asks for when it switches to it (fiber_tasks.cpp): to wait for children or for
// something outside, or to end. Internal to runtime/sched; scheduler.h owns workers.
//
// Where code runs. The loop runs on the thread's own stack. Each task that the loop finds runs on an idle fiber; its
// children run in place on the same stack when it joins (only its own: "no unrelated task on a waiting stack"). A fiber
// that must wait switches back to the loop, which goes on with other work; no worker thread ever blocks on a task.
//
// Proof: suspension for something outside. Suspension::state_ goes Running -> Suspended (by the loop, after the switch)
//   or Running -> Woken (waker first), and Suspended -> Woken. The waker's exchange and the loop's compare-exchange are
//   on one variable: the waker enqueues the fiber iff it read Suspended; the loop resumes it iff it found Woken. So
//   exactly one of them runs the fiber. The waker holds the external lock of the pool from before the exchange until
//   after the wake, and the scheduler's destructor takes that lock, so the scheduler outlives the wake.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "runtime/config/runtime_check.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/task_memory.h"
#include "runtime/sched/task_search.h"
#include "runtime/sched/worker_pool.h"

namespace pbrt {

class TraceLane;  // trace/trace_lane.h

/// A root body, as Scheduler::run hands it to worker 0.
struct RootJob {
  RunState* run = nullptr;
  void (*call)(void* closure, Frame& frame) = nullptr;
  void* closure = nullptr;
  std::exception_ptr error;
  std::atomic<bool> is_done{false};
};

/// What a fiber asks the loop to do.
struct LoopRequest {
  enum Kind { Finished, RootFinished, Join, Outside } kind = Finished;
  detail::Task* task = nullptr;
  Frame* frame = nullptr;
  Suspension* suspension = nullptr;
  RootJob* root = nullptr;
};

class Worker {
 public:
  /// `lane` is null unless the worker is traced.
  Worker(WorkerPool& pool, int index, TraceLane* lane);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Functions that the threads call.
  /// Works until the scheduler stops. Threads: the worker's own.
  void run_until_stopped(const std::atomic<bool>& stop);
  /// Runs the root and works until it is done. Threads: the caller of Scheduler::run, as worker 0.
  void run_root(RootJob& job);

  // Functions that the worker's loop and the fibers on it call.
  /// Puts a task at the top, or into the mailbox where the deque is full.
  void push(detail::Task& task);
  /// Puts a spawned task at the top; false where the deque is full.
  [[nodiscard]] bool push_child(detail::Task& task) {
    PBRT_DCHECK(is_owner(), "only the owner pushes at the top");
    return slot_.tasks.push_child(task);
  }
  /// Takes back the memory of a task that has ended; what depended on it may run.
  void retire(detail::Task& task);
  /// Tells the loop what the fiber that runs wants. Returns where the fiber then switches to.
  [[nodiscard]] Context& leave_request(const LoopRequest& request);
  [[nodiscard]] TaskCache& memory() { return memory_; }
  [[nodiscard]] StackCache& stacks() { return stacks_; }

  [[nodiscard]] WorkerPool& pool() const { return pool_; }
  [[nodiscard]] WorkerSlot& slot() { return slot_; }
  [[nodiscard]] TaskQueues& tasks() { return slot_.tasks; }
  /// The lane of a traced worker, else null.
  [[nodiscard]] TraceLane* lane() const { return lane_; }
  /// Pre: no run is active
  [[nodiscard]] const WorkerCounts& counts() const { return counts_; }
  /// Whether the calling thread is the worker's.
  [[nodiscard]] bool is_owner() const;
  /// The fiber that the loop switched to; null while the loop itself runs. Threads: the worker's own.
  [[nodiscard]] const Fiber* running() const { return running_; }

  /// The calling thread's worker; null on other threads. The caller does not keep it across a switch.
  /// Async-signal-safe.
  [[nodiscard]] static Worker* of_thread();

 private:
  /// Makes the calling thread the worker's.
  void take_thread();
  void loop(const std::atomic<bool>& done);
  detail::Task* find_task(const std::atomic<bool>& done);
  void run(detail::Task& task);
  void resume(Fiber& fiber);
  /// Does what `from` asked for. Returns the fiber to go on with at once, or null.
  Fiber* carry_out(Fiber& from);
  Fiber* finish_elsewhere(detail::Task& task);

  WorkerSlot slot_;
  alignas(64) WorkerPool& pool_;
  TaskCache memory_;
  StackCache stacks_;
  Context loop_context_;
  LoopRequest request_;
  Fiber* running_ = nullptr;
  WorkerCounts counts_;
  TaskSearch search_;
  TraceLane* const lane_;
  RuleCounters* const counters_;  // counters of `lane_`
  const int index_;
  std::uint64_t owner_thread_ = 0;
};

}  // namespace pbrt
