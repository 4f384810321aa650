// SPDX-License-Identifier: MIT
// Frames: what generated code holds of the scheduler. A Frame stands for one body
// that may spawn; it lives on the stack of the fiber that runs the body. Included
// by every generated program, so it stays light: templates only where a closure
// is stored. The machinery is in fiber_tasks.cpp and worker.h; nothing here names a
// thread.
//
// Rules of use
//   - All members of a Frame are called by the fiber that runs its body. The fiber
//     may be on another thread after each call that can suspend (sync, wait, any
//     transform call), so hold no lock and no thread-local address across them.
//   - spawn(f) may run f at once, later on this fiber, or on another worker.
//   - sync() returns when all that this frame spawned is complete; the first
//     exception among them is rethrown there. The owner of a frame syncs before the
//     frame ends: task tops and CallFrame's destructor do it by themselves.
//
// Join protocol of a frame: see children.h, "Proof: join".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "runtime/config/errors.h"
#include "runtime/sched/children.h"
#include "runtime/sched/task_memory.h"

namespace pbrt {

class RunContext;     // runtime/main/program/run_context.h
class RecursiveCall;  // recursion.h
class RuleScope;      // rule_scope.h
class RuleCounters;   // rule_records.h
struct RuleTiming;    // rule_records.h
struct Fiber;         // fiber.h
class Frame;
class Helpers;     // helpers.h
class TaskQueues;  // queues/task_queues.h
class Worker;
struct WorkerPool;

/// State of the body API that belongs to a task (its random stream). Opaque to the scheduler.
struct TaskLocal {
  std::uint64_t key = 0;
  std::uint64_t words[2] = {0, 0};
};

/// How the scheduler keeps TaskLocal: null in RunState where no body asks for it, then it costs nothing.
struct TaskLocalHooks {
  /// Key for the task that the running one spawns next.
  std::uint64_t (*child_key)();
  /// Makes `local` current on this thread (null: none) and returns the one before.
  TaskLocal* (*exchange)(TaskLocal* local);
};

/// What all frames of one Scheduler::run share. Written before the run starts, except `aborted`.
struct RunState {
  RunContext* context = nullptr;
  std::int64_t sequential_cutoff = 64;
  /// Whether data of the run may be on a device, now or later.
  bool has_device = true;
  /// The frame from which the transform of the run is called, where its results are needed on the host.
  const Frame* root = nullptr;
  const TaskLocalHooks* hooks = nullptr;
  std::uint64_t root_local_key = 0;
  /// Whether rules are recorded; true only where the scheduler has a trace.
  bool is_traced = false;
  /// Number of workers of the scheduler, which sets it.
  int num_workers = 1;
  /// Whether the run was aborted: tasks that have not started are dropped, calls throw RunAborted.
  std::atomic<bool> aborted{false};
  /// Why the scheduler itself aborted the run; static text, or null.
  std::atomic<const char*> abort_reason{nullptr};
};

namespace detail {

struct GraphTask;

/// What frames need to know of the fiber they run on. The rest is in fiber.h.
struct FiberHead {
  /// Worker that runs the fiber now; changes when the fiber is resumed elsewhere.
  Worker* worker = nullptr;
  /// Free blocks of the worker that runs the fiber.
  TaskCache* memory = nullptr;
  /// The address, less kMinStackBytes, below which calls go on to a fresh stack; bodies may go on below it.
  const char* stack_limit = nullptr;
  /// The innermost rule that is being timed.
  RuleTiming* timing = nullptr;
  /// Executions of rules that the worker only counts; null unless the run is traced.
  RuleCounters* counters = nullptr;
  /// Number of the worker that runs the fiber.
  int worker_index = 0;
};

enum class TaskKind : std::uint8_t { Spawned, Graph, ResumeFiber };

/// Header of everything that can lie in a deque or mailbox.
struct Task {
  /// Runs the closure in `frame`; destroys it instead when `frame` is null.
  using Entry = void (*)(Task& task, Frame* frame);

  Entry entry = nullptr;
  /// Frame that joins the task.
  Frame* parent = nullptr;
  Task* next = nullptr;
  std::uint64_t local_key = 0;
  TaskKind kind = TaskKind::Spawned;
  std::uint8_t size_class = 0;
  /// Whether `entry` need not be called to destroy the closure.
  bool is_trivial = false;
};

template <class F>
struct SpawnedTask : Task {
  template <class G>
  explicit SpawnedTask(G&& g) noexcept(std::is_nothrow_constructible_v<F, G>) : closure(std::forward<G>(g)) {
    is_trivial = std::is_trivially_destructible_v<F>;
    entry = [](Task& task, Frame* frame) {
      auto& self = static_cast<SpawnedTask&>(task);
      if (frame != nullptr) {
        self.closure(*frame);
      } else {
        self.~SpawnedTask();
      }
    };
  }
  SpawnedTask(const SpawnedTask&) = delete;
  SpawnedTask(SpawnedTask&&) = delete;
  F closure;
};

/// Runs `call(argument)` on a fresh pooled stack of the same fiber; rethrows what it throws.
void call_on_fresh_stack(FiberHead& fiber, void (*call)(void*), void* argument);

[[noreturn]] void throw_aborted();

}  // namespace detail

/// A call that finds less stack than this continues on a fresh one.
inline constexpr std::ptrdiff_t kMinStackBytes = std::ptrdiff_t{64} * 1024;

/// Drops the run that the calling thread works for, if there is one; for bodies that have no frame at hand. `reason` is
/// static text.
void abort_current_run(const char* reason);

class Frame {
 public:
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Starts `f(Frame&)` asynchronously; in a sequential frame calls it directly.
  ///
  /// Errors:  what `f` throws is rethrown by sync (sequential frame: here)
  /// Cost:    no heap allocation in steady state for closures up to 448 bytes
  template <class F>
  void spawn(F&& f) {
    if (sequential_) {
      std::forward<F>(f)(*this);
      return;
    }
    push_child(make_task(std::forward<F>(f)));
  }

  /// Waits for all tasks that this frame spawned, running those that nobody took on this stack.
  ///
  /// Errors:  rethrows the first exception of a child; RunAborted if one was dropped
  void sync() {
    if (children_.need_join()) join();
    if (children_.have_failed()) children_.rethrow();
  }

  /// Waits as sync does, for tasks that end at about the same time, on workers of their own.
  void sync_soon() {
    if (children_.need_join()) join_soon();
    sync();
  }

  /// Whether spawn is a direct call here (below the sequential cut-off).
  [[nodiscard]] bool is_sequential() const { return sequential_; }
  /// Whether data may be on a device; if not, code need not look for it there.
  [[nodiscard]] bool has_device() const { return has_device_; }
  /// Whether calls from this frame compute the results of the run.
  [[nodiscard]] bool is_root() const { return is_root_ || run_->root == this; }
  /// Makes calls from this frame compute results of the run if those of `parent` do.
  void pass_root(const Frame& parent) { is_root_ = parent.is_root(); }
  [[nodiscard]] RunContext& context() const { return *run_->context; }
  [[nodiscard]] RunState& run_state() const { return *run_; }
  [[nodiscard]] int num_workers() const { return run_->num_workers; }
  /// Number of the worker that runs the body now, from 0; another one after a call that can suspend.
  [[nodiscard]] int worker_index() const { return fiber_->worker_index; }

  /// Whether the run is being dropped.
  [[nodiscard]] bool is_aborted() const { return run_->aborted.load(std::memory_order_relaxed); }
  /// Drops the whole run: throws RunAborted here, and in every body at its next call or sync.
  [[noreturn]] void abort_run() {
    run_->aborted.store(true, std::memory_order_relaxed);
    detail::throw_aborted();
  }
  /// Drops the whole run as abort_run() does; `reason`, a static text, is what is said when the run is over.
  [[noreturn]] void abort_run(const char* reason) {
    // Relaxed: the reason is read when the run is over.
    run_->abort_reason.store(reason, std::memory_order_relaxed);
    abort_run();
  }
  void throw_if_aborted() const {
    if (is_aborted()) [[unlikely]]
      detail::throw_aborted();
  }

  /// Whether fewer than kMinStackBytes are left on this stack.
  [[nodiscard]] bool is_stack_low() const {
    return static_cast<const char*>(__builtin_frame_address(0)) - fiber_->stack_limit < kMinStackBytes;
  }

 protected:
  Frame(detail::FiberHead& fiber, RunState& run, const RecursiveCall* call, bool sequential)
      : fiber_(&fiber), run_(&run), call_(call), sequential_(sequential), has_device_(run.has_device) {}
  ~Frame() = default;

 private:
  friend struct Fiber;
  friend class Worker;
  friend class BodyScope;
  friend class CallFrame;
  friend class Helpers;
  friend class RecursiveCall;
  friend class RuleScope;
  friend class StepGraph;
  friend class Suspension;
  friend class TaskGroup;
  friend void finish_graph_task(detail::GraphTask& task, TaskQueues& queues, TaskCache& memory);
  template <class F>
  friend void call_on_fresh_stack_if_needed(Frame& frame, F&& f);

  template <class F>
  detail::Task& make_task(F&& f) {
    using Closure = detail::SpawnedTask<std::decay_t<F>>;
    static_assert(alignof(Closure) <= 64, "captures of a spawned closure need at most the alignment of a cache line");
    const detail::TaskMemory memory = fiber_->memory->allocate<sizeof(Closure)>();
    Closure* task = nullptr;
    if constexpr (std::is_nothrow_constructible_v<Closure, F&&>) {
      task = new (memory.address) Closure(std::forward<F>(f));
    } else {
      try {
        task = new (memory.address) Closure(std::forward<F>(f));
      } catch (...) {
        fiber_->memory->release(memory.address, memory.size_class);
        throw;
      }
    }
    task->size_class = memory.size_class;
    return *task;
  }
  void push_child(detail::Task& task);
  void join();
  void join_soon();
  /// Joins; throws what a child threw unless the stack is already unwinding. Then the frame is as new.
  void finish();

  detail::FiberHead* fiber_;
  RunState* run_;
  /// The innermost call of a recursive transform that the body is part of; null if there is none.
  const RecursiveCall* call_;
  /// The flags behind it lie in its padding.
  [[no_unique_address]] Children children_;
  bool sequential_;
  bool has_device_;
  bool is_root_ = false;
};
static_assert(sizeof(Frame) <= 56, "frames are made for each call: they stay within a cache line");

/// Frame of a call on the caller's stack.
///
/// Its destructor syncs; it throws the children's first exception unless the stack is already unwinding.
class CallFrame : public Frame {
 public:
  /// Makes a frame that is sequential if the caller is, or if `largest_extent` is below the cut-off.
  CallFrame(Frame& parent, std::int64_t largest_extent, std::int64_t sequential_cutoff)
      : Frame(*parent.fiber_, *parent.run_, parent.call_, parent.sequential_ || largest_extent < sequential_cutoff) {
    throw_if_aborted();
  }
  CallFrame(Frame& parent, std::int64_t largest_extent)
      : CallFrame(parent, largest_extent, parent.run_->sequential_cutoff) {}
  /// Makes a frame that is as sequential as the caller.
  explicit CallFrame(Frame& parent) : Frame(*parent.fiber_, *parent.run_, parent.call_, parent.sequential_) {
    throw_if_aborted();
  }

  // NOLINTNEXTLINE(bugprone-exception-escape): clang-tidy 14 does not look at `noexcept(false)`.
  ~CallFrame() noexcept(false) {
    if (children_.need_join() || children_.have_failed()) finish();
  }
};

/// A body that spawns into the frame of its caller. It costs less than a CallFrame, because it makes no frame. Its
/// destructor syncs and throws as the destructor of a CallFrame does.
///
/// Pre: while the body runs, the frame has no tasks but those of the body. This holds for an instance of a rule: its
///      piece, task or step has a frame of its own and runs one instance after the other.
class BodyScope {
 public:
  explicit BodyScope(Frame& frame) : frame_(frame) { frame.throw_if_aborted(); }
  // NOLINTNEXTLINE(bugprone-exception-escape): clang-tidy 14 does not look at `noexcept(false)`.
  ~BodyScope() noexcept(false) {
    if (frame_.children_.need_join() || frame_.children_.have_failed()) frame_.finish();
  }
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

 private:
  Frame& frame_;
};

/// Calls `f()` here, or on a fresh pooled stack if little is left of this one. Recursion of any depth goes through it.
///
/// Errors:  what `f` throws passes through
template <class F>
void call_on_fresh_stack_if_needed(Frame& frame, F&& f) {
  if (!frame.is_stack_low()) [[likely]] {
    f();
    return;
  }
  using Function = std::remove_reference_t<F>;
  detail::call_on_fresh_stack(
      *frame.fiber_, [](void* argument) { (*static_cast<Function*>(argument))(); },
      const_cast<void*>(static_cast<const void*>(&f)));
}

/// Ends a Suspension. Trivial to copy; exactly one copy's wake() is called, once, on any thread.
class Waker {
 public:
  /// Makes the suspended fiber runnable on a random worker; before wait() it makes wait() return at once.
  void wake() const;

 private:
  friend class Suspension;
  explicit Waker(class Suspension* suspension) : suspension_(suspension) {}
  class Suspension* suspension_;
};

/// One wait of a fiber for something outside the scheduler (a device, a file).
///
///   Suspension s(frame);
///   manager.submit(job, s.waker());
///   s.wait();                          // the worker goes on with other work
///
/// Pre: after waker() was handed out, wait() is called before the Suspension dies.
class Suspension {
 public:
  /// `is_brief`: the wake is expected within some milliseconds; a worker without other work then stays awake for it.
  explicit Suspension(Frame& frame, bool is_brief = false);
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;

  [[nodiscard]] Waker waker() { return Waker(this); }
  /// Returns when the waker was called; what its thread did before is visible.
  void wait();

 private:
  friend struct Fiber;
  friend class Waker;
  friend class Worker;
  enum State : std::uint32_t { kRunning, kSuspended, kWoken };

  detail::FiberHead* fiber_;
  WorkerPool* pool_;
  bool is_brief_;
  std::atomic<std::uint32_t> state_{kRunning};
};

}  // namespace pbrt
