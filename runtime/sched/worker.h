// SPDX-License-Identifier: MIT
// One worker: a thread with its deque, mailbox, free lists and loop. Carries out what frames ask
// for (frame.h): spawn, join, suspension. Internal to runtime/sched; scheduler.h owns workers.
//
// Where code runs. The loop runs on the thread's own stack. Each task that the loop finds runs
// on an idle fiber; its children run in place on the same stack when it joins (only its
// own: "no unrelated task on a waiting stack"). A fiber that must wait switches back to the loop, which
// goes on with other work; no worker thread ever blocks on a task.
//
// Proof: join. Frame::outstanding_ (o, owner only) counts children created by the frame's own fiber
//   minus those finished on it. Frame::joined_ (j, atomic) is changed by -1 for each child that finishes
//   elsewhere, and by +1 for each that one of them (of a TaskGroup, or by spawn_on) creates elsewhere
//   while itself unfinished. So o + j is the number of unfinished children, always >= 0.
//   (1) No suspension: if the fiber reads o + j = 0, all are finished; its acquire load pairs with the
//       finishers' acq_rel fetch_sub, so it sees what they wrote. A finisher does not touch the
//       frame after its fetch_sub, unless (2).
//   (2) Suspension: the fiber switches to the loop, which adds o + kWaiting to j in one step. Then
//       j = kWaiting + unfinished. If that is kWaiting, the loop resumes the fiber itself. Else
//       exactly one finisher's fetch_sub goes from kWaiting + 1 to kWaiting, and that one resumes the
//       fiber. Before the loop's step j is far below kWaiting, so no finisher can think itself
//       the last; after it, the fiber is off its stack (fiber.h), so it can be resumed by anyone.
//   (3) No new child appears after the last one finished: only unfinished children and the fiber create them.
//
// Proof: suspension for something outside. Suspension::state_ goes Running -> Suspended (by the loop,
//   after the switch) or Running -> Woken (waker first), and Suspended -> Woken. The waker's exchange
//   and the loop's compare-exchange are on one variable: the waker enqueues the fiber iff it
//   read Suspended; the loop resumes it iff it found Woken. Exactly one of both. The waker holds the scheduler's
//   external lock from before the exchange until after the wake, and the scheduler's destructor takes that
//   lock, so the scheduler outlives the wake.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>

#include "runtime/config/runtime_check.h"
#include "runtime/sched/deque.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/mailbox.h"
#include "runtime/sched/parking.h"
#include "runtime/sched/task_memory.h"

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

/// What happened on one worker since it was made. Read when no run is active.
struct WorkerCounts {
  std::uint64_t num_steals = 0;
  std::uint64_t num_mails = 0;
  std::uint64_t num_parks = 0;
  std::uint64_t num_suspensions = 0;
};

class Worker {
 public:
  /// `lane` is null unless the worker is traced.
  Worker(Scheduler& scheduler, int index, TraceLane* lane);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Functions that the threads call.
  /// Works until the scheduler stops. Threads: the worker's own.
  void run_until_stopped(const std::atomic<bool>& stop);
  /// Runs the root and works until it is done. Threads: the caller of Scheduler::run, as worker 0.
  void run_root(RootJob& job);
  /// Puts a task at the bottom. Threads: any.
  void push_bottom(detail::Task& task);

  // Functions that fibers call; static where the worker may change during the call.
  /// Puts a task at the top, or into the mailbox where the deque is full.
  void push(detail::Task& task);
  /// Puts a spawned task at the top; false where the deque is full.
  [[nodiscard]] bool push_child(detail::Task& task) {
    PBRT_DCHECK(is_owner(), "only the owner pushes at the top");
    if (!deque_.push(task)) [[unlikely]]
      return false;
    parking_.notify();
    return true;
  }
  /// Puts a spawned task into the mailbox of another worker.
  void assign(int worker, detail::Task& task) const;
  /// Whether most of the other workers search and none sleeps. The answer is a hint.
  [[nodiscard]] bool may_assign() const;
  /// How often a fiber looks at children that run elsewhere before it is suspended, where they end soon. A pause
  /// follows each look. All looks together take about as long as the suspension would: one to three microseconds.
  static constexpr int kLooksBeforeSuspension = 48;
  /// Runs the children that nobody took and waits for the others. It looks `num_looks` times for their ends before it
  /// suspends the fiber.
  static void join(Frame& frame, int num_looks = 0);
  static void run_child(detail::Task& task, Frame& parent);
  static void suspend(Suspension& suspension);
  static void call_on_fresh_stack(Fiber& fiber, void (*call)(void*), void* argument);
  /// Whether the fiber has used up its stacks; the run is aborted then.
  [[nodiscard]] static bool aborts_endless_recursion(Fiber& fiber);

  [[nodiscard]] Scheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] TaskCache& memory() { return memory_; }
  [[nodiscard]] ParkingSpot& spot() { return spot_; }
  /// The lane of a traced worker, else null.
  [[nodiscard]] TraceLane* lane() const { return lane_; }
  [[nodiscard]] const WorkerCounts& counts() const { return counts_; }
  /// Whether a thief could find something here.
  [[nodiscard]] bool has_work() const { return !deque_.is_empty() || !mailbox_.is_empty(); }
  /// Whether the worker's deque has a task for a thief.
  [[nodiscard]] bool has_spare_task() const { return !deque_.is_empty(); }
  /// Whether the calling thread is the worker's.
  [[nodiscard]] bool is_owner() const;

  /// Whether `address` lies in the guard pages below the stack that the calling thread's worker runs now.
  /// Async-signal-safe.
  [[nodiscard]] static bool is_below_running_stack(const void* address);
  /// Takes back a block of `reserve`: into the free list of the calling thread's worker where that uses the same
  /// reserve.
  static void release_block(TaskReserve& reserve, void* address, std::uint8_t size_class);
  /// Drops the run that the calling thread works for, if it works for one.
  static void abort_current_run(const char* reason);

 private:
  /// Added to Frame::joined_ while the frame's fiber is suspended; see Proof: join.
  static constexpr std::int64_t kWaiting = std::int64_t{1} << 48;
  static constexpr int kMaxFreeStacks = 16;

  /// What a fiber wants done by the loop after it switched there.
  struct Request {
    enum Kind { Finished, RootFinished, Join, Outside } kind = Finished;
    detail::Task* task = nullptr;
    Frame* frame = nullptr;
    Suspension* suspension = nullptr;
    RootJob* root = nullptr;
  };

  /// Makes the calling thread the worker's.
  void take_thread();
  void loop(const std::atomic<bool>& done);
  detail::Task* find_task(const std::atomic<bool>& done);
  detail::Task* search(const std::atomic<bool>& done);
  /// Goes on searching, for a bounded time, while work may come soon: a fiber waits for a brief wake and nobody else
  /// searches, or another worker is busy.
  detail::Task* search_patiently(const std::atomic<bool>& done);
  /// Notes that a task's body has ended, and whether the task stolen last was tiny.
  void note_finish();
  /// Pauses before the next steals where the last ones brought tiny tasks only.
  void spare_victims();
  /// Takes a task out of the worker's own mailbox, or from another worker: one at random, or any.
  detail::Task* steal_once(bool looks_everywhere);
  /// Takes a task out of the mailbox of another worker, unless that worker may come for it: it searches too, or has
  /// work.
  detail::Task* take_mail_of(std::size_t index);
  void pause_for_mail() const;
  void run(detail::Task& task);
  void resume(Fiber& fiber);
  /// Does what `from` asked for. Returns the fiber to go on with at once, or null.
  Fiber* carry_out(Fiber& from);
  Fiber* finish_elsewhere(detail::Task& task);

  static void switch_to_loop(Fiber& fiber, const Request& request);
  static void task_main(Stack& stack);
  static void root_main(Stack& stack);
  static void execute(detail::Task& task, Fiber& fiber);
  static std::exception_ptr call_body(detail::Task& task, Frame& frame) noexcept;
  /// Gives the current exception to the frame of a task that cannot run because there is no stack. Called in a handler.
  static void fail(detail::Task& task);
  static void retire(detail::Task& task, Worker& worker);

  Stack& take_stack();
  void give_back_stack(Stack& stack);
  [[nodiscard]] std::uint32_t random();

  Deque deque_;
  Mailbox mailbox_;
  alignas(64) Scheduler& scheduler_;
  Parking& parking_;
  TaskCache memory_;
  StackList stacks_;
  Context loop_context_;
  Request request_;
  /// The fiber that the loop switched to; null while the loop itself runs.
  Fiber* running_ = nullptr;
  ParkingSpot spot_;
  WorkerCounts counts_;
  TraceLane* const lane_;
  RuleCounters* const counters_;  // those of the lane
  const int index_;
  int passed_mailbox_ = -1;  // mailbox of another worker in which there was something
  int num_passes_ = 0;       // looks at that mailbox since then
  int last_victim_ = -1;     // whose task the last search found
  bool has_stolen_ = false;  // a task was stolen and has not finished
  int num_tiny_steals_ = 0;  // tiny tasks stolen in a row, up to the last one
  std::chrono::steady_clock::time_point steal_time_;
  std::uint64_t random_state_;
  std::uint64_t owner_thread_ = 0;
};

}  // namespace pbrt
