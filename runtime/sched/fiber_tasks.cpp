// SPDX-License-Identifier: MIT
// What fibers do with tasks: they run them, join them, and are suspended while they wait. The functions of Fiber are
// here, and those by which frames and suspensions ask their fiber for it.
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/config/current_instance.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/cpu_relax.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/recursion.h"
#include "runtime/sched/worker.h"
#include "runtime/sched/worker_pool.h"

namespace pbrt {
namespace {

using Failure = Children::Failure;

std::exception_ptr call_body(detail::Task& task, Frame& frame) noexcept {
  try {
    task.entry(task, &frame);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

/// Makes the stack's job end in the loop of the worker that runs the fiber, with a request.
void end_in_loop(Stack& stack, const LoopRequest& request) {
  stack.return_to = &stack.fiber.worker->leave_request(request);
}

}  // namespace

void Fiber::run_task(Stack& stack) {
  auto& task = *static_cast<detail::Task*>(stack.argument);
  stack.fiber.execute(task);
  LoopRequest request;
  request.kind = LoopRequest::Finished;
  request.task = &task;
  end_in_loop(stack, request);
}

void Fiber::run_root(Stack& stack) {
  Fiber& fiber = stack.fiber;
  auto& job = *static_cast<RootJob*>(stack.argument);
  const TaskLocalHooks* hooks = job.run->hooks;
  TaskLocal local{job.run->root_local_key};
  TaskLocal* outer = hooks != nullptr ? hooks->exchange(&local) : nullptr;
  {
    Frame frame(fiber, *job.run, nullptr, false);
    try {
      job.call(job.closure, frame);
      frame.sync();
    } catch (...) {
      job.error = std::current_exception();
    }
    if (frame.children_.need_join()) fiber.join(frame);
  }
  if (hooks != nullptr) hooks->exchange(outer);
  LoopRequest request;
  request.kind = LoopRequest::RootFinished;
  request.root = &job;
  end_in_loop(stack, request);
}

void Fiber::execute(detail::Task& task) {
  Frame& parent = *task.parent;
  RunState& of_parent = *parent.run_;
  if (of_parent.aborted.load(std::memory_order_relaxed)) [[unlikely]] {
    parent.children_.keep(Failure::Dropped, nullptr);
  } else if (task.kind == detail::TaskKind::Spawned || !parent.children_.have_failed()) {
    const TaskLocalHooks* hooks = of_parent.hooks;
    TaskLocal local{task.local_key};
    TaskLocal* outer = hooks != nullptr ? hooks->exchange(&local) : nullptr;
    Frame frame(*this, of_parent, parent.call_, parent.sequential_);
    std::exception_ptr error = call_body(task, frame);
    if (frame.children_.need_join()) join(frame);
    if (error) [[unlikely]] {
      parent.children_.keep(Failure::Threw, std::move(error));
    } else if (frame.children_.have_failed()) [[unlikely]] {
      frame.children_.hand_on(parent.children_);
    }
    if (hooks != nullptr) hooks->exchange(outer);
  }
  if (!task.is_trivial) task.entry(task, nullptr);
}

void Fiber::fail(detail::Task& task) {
  task.parent->children_.keep(Failure::Threw, std::current_exception());
  if (!task.is_trivial) task.entry(task, nullptr);
}

void Fiber::join(Frame& frame, int num_looks) {
  while (!frame.children_.are_finished()) {
    PBRT_DCHECK(worker->is_owner(), "a frame is joined by the fiber that owns it");
    detail::Task* task = worker->tasks().pop();
    if (task != nullptr && task->parent == &frame) [[likely]] {
      run_child(*task, frame);
      continue;
    }
    if (task == nullptr && num_looks > 0) {
      --num_looks;
      cpu_relax();
      continue;
    }
    if (task != nullptr) worker->push(*task);
    LoopRequest request;
    request.kind = LoopRequest::Join;
    request.frame = &frame;
    leave(request);
    break;
  }
  frame.children_.end_join();
}

namespace {
// A recursion that fills so many stacks of one fiber (a quarter of a gigabyte) counts as endless.
constexpr int kMaxFreshStacks = 1024;
}  // namespace

bool Fiber::aborts_endless_recursion() {
  if (num_fresh_stacks < kMaxFreshStacks) return false;
  // Relaxed: the reason is read when the run is over.
  run->abort_reason.store(endless_recursion_text(-1), std::memory_order_relaxed);
  run->aborted.store(true, std::memory_order_relaxed);
  return true;
}

void Fiber::run_child(detail::Task& task, Frame& parent) {
  // Where the recursion has just been aborted, execute() only drops the task.
  if (parent.is_stack_low() && !aborts_endless_recursion()) [[unlikely]] {
    try {
      call_on_fresh_stack(
          [](void* argument) {
            auto& self = *static_cast<detail::Task*>(argument);
            static_cast<Fiber*>(self.parent->fiber_)->execute(self);
          },
          &task);
    } catch (const std::bad_alloc&) {
      fail(task);  // execute() lets nothing out: there was no stack
    }
  } else {
    execute(task);
  }
  parent.children_.finish_here();
  worker->retire(task);
}

void Fiber::suspend(Suspension& suspension) {
  LoopRequest request;
  request.kind = LoopRequest::Outside;
  request.suspension = &suspension;
  leave(request);
}

void Fiber::leave(const LoopRequest& request) {
  const TaskLocalHooks* hooks = run->hooks;
  TaskLocal* local = hooks != nullptr ? hooks->exchange(nullptr) : nullptr;
  const InstanceScope* const instance = exchange_instance(nullptr);
  PBRT_DCHECK(worker->is_owner(), "a fiber is suspended by the thread that runs it");
  switch_context(*active, worker->leave_request(request));
  (void)exchange_instance(instance);
  if (hooks != nullptr) hooks->exchange(local);
}

namespace {

struct FreshCall {
  void (*call)(void*);
  void* argument;
  std::exception_ptr error;
};

void run_fresh_call(Stack& stack) {
  auto& fresh = *static_cast<FreshCall*>(stack.argument);
  try {
    fresh.call(fresh.argument);
  } catch (...) {
    fresh.error = std::current_exception();
  }
}

}  // namespace

void Fiber::call_on_fresh_stack(void (*call)(void*), void* argument) {
  if (aborts_endless_recursion()) [[unlikely]]
    detail::throw_aborted();
  FreshCall fresh{call, argument, nullptr};
  Stack& stack = worker->stacks().take();
  ++num_fresh_stacks;
  Context* const caller = active;
  const char* const caller_limit = stack_limit;
  stack.call = &run_fresh_call;
  stack.argument = &fresh;
  stack.return_to = caller;
  active = &stack;
  stack_limit = stack.call_limit();
  switch_context(*caller, stack);
  // The fiber may be on another worker now.
  active = caller;
  --num_fresh_stacks;
  stack_limit = caller_limit;
  worker->stacks().give_back(stack);
  if (fresh.error) std::rethrow_exception(std::move(fresh.error));
}

namespace detail {

void call_on_fresh_stack(FiberHead& fiber, void (*call)(void*), void* argument) {
  static_cast<Fiber&>(fiber).call_on_fresh_stack(call, argument);
}

void throw_aborted() { throw RunAborted(); }

}  // namespace detail

void abort_current_run(const char* reason) {
  Worker* const worker = Worker::of_thread();
  if (worker == nullptr || worker->running() == nullptr) return;
  RunState& run = *worker->running()->run;
  // Relaxed: the reason is read when the run is over.
  run.abort_reason.store(reason, std::memory_order_relaxed);
  run.aborted.store(true, std::memory_order_relaxed);
}

void Frame::push_child(detail::Task& task) {
  task.parent = this;
  if (run_->hooks != nullptr) task.local_key = run_->hooks->child_key();
  children_.add_here();
  if (!fiber_->worker->push_child(task)) [[unlikely]]
    static_cast<Fiber*>(fiber_)->run_child(task, *this);
}

void Frame::join() { static_cast<Fiber*>(fiber_)->join(*this); }
void Frame::join_soon() { static_cast<Fiber*>(fiber_)->join(*this, Fiber::kLooksBeforeSuspension); }

void Frame::finish() {
  if (children_.need_join()) join();
  if (!children_.have_failed()) return;
  if (std::uncaught_exceptions() == 0) children_.rethrow();
  children_.forget();
}

Suspension::Suspension(Frame& frame, bool is_brief)
    : fiber_(frame.fiber_), pool_(&frame.fiber_->worker->pool()), is_brief_(is_brief) {}

void Suspension::wait() {
  // Acquire pairs with the waker's exchange, also on the way through the loop.
  if (state_.load(std::memory_order_acquire) == kWoken) return;
  // Relaxed: it is a hint to workers that search, and nothing depends on it.
  if (is_brief_) pool_->num_brief_waits.fetch_add(1, std::memory_order_relaxed);
  static_cast<Fiber*>(fiber_)->suspend(*this);
  if (is_brief_) pool_->num_brief_waits.fetch_sub(1, std::memory_order_relaxed);
}

void Waker::wake() const {
  Suspension& suspension = *suspension_;
  const std::lock_guard<std::mutex> guard(suspension.pool_->external_lock);
  detail::Task& resume_task = static_cast<Fiber&>(*suspension.fiber_).resume_task;
  WorkerPool& pool = *suspension.pool_;
  // Pairs with Worker::carry_out and Suspension::wait. Unless it was suspended, `suspension` may be gone now.
  if (suspension.state_.exchange(Suspension::kWoken, std::memory_order_acq_rel) == Suspension::kSuspended) {
    pool.push_external(resume_task);
  }
}

}  // namespace pbrt
