// SPDX-License-Identifier: MIT
// Stacks and the one function that switches between them. A Fiber is a logical thread of
// execution: it has one active Stack, and more below it where calls went on to fresh
// stacks. What fibers do with tasks is in fiber_tasks.cpp, which of them runs when in worker.cpp.
//
// A context is either a thread's own stack (a worker's loop) or a pooled Stack. Each is
// suspended at exactly one place, switch_context(from, to). The code that runs next on that
// thread, after the jump, fills in `from.resume_at`.
//
// Proof: nobody enters a context whose registers are not saved.
//   A fiber publishes nothing about its suspension itself. It leaves a request for its worker's
//   loop and switches there. The first thing after the jump is the store to `resume_at`; then
//   the loop carries the request out (join, waker). Another thread learns of the fiber by that
//   request alone, with release and acquire, and so sees `resume_at`.
//
// What the switch carries over besides registers: the exception state of the thread (libstdc++
// keeps the caught and the in-flight exceptions per thread, not per stack), so a destructor
// that syncs while the stack unwinds may suspend and go on elsewhere; and the announcements to
// AddressSanitizer and ThreadSanitizer. Nothing in this folder keeps a thread-local address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/sched/frame.h"

namespace pbrt {

/// The part of a stack that calls fill before they go on to a fresh one.
inline constexpr std::size_t kCallBytes = std::size_t{256} * 1024;
/// The part of a stack below the calls' part, for what the last call runs without asking: bodies and libraries, which
/// expect what threads usually have. Routines of OpenBLAS with threads use up to 5 MiB. This part is only address space
/// until it is used.
inline constexpr std::size_t kBodyBytes = std::size_t{8} * 1024 * 1024;
inline constexpr std::size_t kStackBytes = kCallBytes + kBodyBytes;
/// The guard pages below each stack; only address space. Generated code touches each page of a large array in order
/// (pbc compiles with -fstack-clash-protection), other C++ could reach over this with a larger one.
inline constexpr std::size_t kGuardBytes = std::size_t{1024} * 1024;

/// A place to switch to: saved registers (by the stack pointer), plus what the tools must be told.
struct Context {
  void* resume_at = nullptr;
  /// Lowest address and size, for AddressSanitizer. A thread's own stack learns them at its first switch.
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  /// AddressSanitizer's fake stack and ThreadSanitizer's fiber of this context.
  void* asan_fake_stack = nullptr;
  void* tsan_fiber = nullptr;
  /// Copy of the thread's exception state while suspended.
  void* caught_exceptions = nullptr;
  unsigned int num_uncaught_exceptions = 0;
};

/// Suspends `from`, which must be running on this thread, and goes on in `to`. Returns when someone switches to `from`,
/// maybe on another thread.
void switch_context(Context& from, Context& to);

/// Makes `context` stand for the calling thread's own stack.
void adopt_thread_stack(Context& context);

struct Fiber;
struct LoopRequest;  // worker.h
struct Stack;
class Suspension;

/// What lies in a mailbox for a woken fiber.
struct ResumeTask : detail::Task {
  explicit ResumeTask(Fiber& f) : fiber(f) { kind = detail::TaskKind::ResumeFiber; }
  Fiber& fiber;
};

/// A logical thread of execution. Part of its first stack.
///
/// Its functions are called on the fiber itself, unless said otherwise. It may be on another worker after any of them.
struct Fiber : detail::FiberHead {
  Context* active = nullptr;  // running or suspended: the first stack, or the newest fresh one
  RunState* run = nullptr;
  int num_fresh_stacks = 0;  // beside the first one
  Stack& first_stack;
  ResumeTask resume_task{*this};

  explicit Fiber(Stack& stack) : first_stack(stack) {}

  /// How often a fiber looks at children that run elsewhere before it is suspended, where they end soon. A pause
  /// follows each look. All looks together take about as long as the suspension would: one to three microseconds.
  static constexpr int kLooksBeforeSuspension = 48;
  /// Runs the children of `frame` that nobody took and waits for the others. It looks `num_looks` times for their ends
  /// before it suspends the fiber.
  void join(Frame& frame, int num_looks = 0);
  /// Runs a child of `parent` on this stack, or on a fresh one if little is left of it.
  void run_child(detail::Task& task, Frame& parent);
  void suspend(Suspension& suspension);
  /// Runs `call(argument)` on a fresh stack; rethrows what it throws.
  ///
  /// Errors: std::bad_alloc if there is no stack; RunAborted where the recursion counts as endless
  void call_on_fresh_stack(void (*call)(void*), void* argument);

  /// What a stack is for that runs a task (its argument), or the root of a run (a RootJob).
  static void run_task(Stack& stack);
  static void run_root(Stack& stack);
  /// Gives the current exception to the frame of a task that cannot run because there is no stack. Called in a handler,
  /// on any thread.
  static void fail(detail::Task& task);

 private:
  /// Whether the fiber has used up its stacks; the run is aborted then.
  [[nodiscard]] bool aborts_endless_recursion();
  void execute(detail::Task& task);
  /// Suspends the fiber for what it wants.
  void leave(const LoopRequest& request);
};

/// A pooled stack; its control block lies at its own top. It runs one job after another.
struct Stack : Context {
  Stack* next = nullptr;
  /// The job, and where to go when it is done. `return_to` is read after `call` returned.
  void (*call)(Stack& stack) = nullptr;
  void* argument = nullptr;
  Context* return_to = nullptr;
  /// The fiber whose first stack this is; idle where the stack is a later one of another fiber.
  Fiber fiber{*this};

  /// Lowest usable address.
  [[nodiscard]] const char* limit() const { return static_cast<const char*>(stack_bottom); }
  /// Lowest address for calls.
  [[nodiscard]] const char* call_limit() const { return limit() + kBodyBytes; }
};

/// Intrusive list of free stacks.
class StackList {
 public:
  [[nodiscard]] int size() const { return size_; }
  void push(Stack& stack) {
    stack.next = first_;
    first_ = &stack;
    ++size_;
  }
  /// Takes a stack off the list; null if there is none.
  [[nodiscard]] Stack* pop() {
    Stack* stack = first_;
    if (stack != nullptr) {
      first_ = stack->next;
      --size_;
    }
    return stack;
  }

 private:
  Stack* first_ = nullptr;
  int size_ = 0;
};

/// The scheduler's reserve of stacks, shared by its workers.
///
/// Errors: take throws std::bad_alloc if the system has no more address space or mappings
class StackPool {
 public:
  /// More free stacks than this are given back to the system.
  static constexpr int kMaxFree = 64;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  [[nodiscard]] Stack& take();
  void give_back(Stack& stack);

 private:
  std::mutex lock_;
  StackList free_;
};

/// The free stacks of one worker, in front of the reserve.
///
/// Threads: one, the owner
class StackCache {
 public:
  explicit StackCache(StackPool& pool) : pool_(pool) {}
  ~StackCache();
  StackCache(const StackCache&) = delete;
  StackCache& operator=(const StackCache&) = delete;

  /// A stack on which a fiber may begin.
  ///
  /// Errors: std::bad_alloc as StackPool::take
  [[nodiscard]] Stack& take();
  void give_back(Stack& stack);

 private:
  static constexpr int kMaxFree = 16;

  StackPool& pool_;
  StackList free_;
};

}  // namespace pbrt
