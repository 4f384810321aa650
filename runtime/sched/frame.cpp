// SPDX-License-Identifier: MIT
#include "runtime/sched/frame.h"

#include <exception>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace pbrt {
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
    : fiber_(frame.fiber_), scheduler_(&frame.fiber_->worker->scheduler()), is_brief_(is_brief) {}

void Suspension::wait() {
  // Acquire pairs with the waker's exchange, also on the way through the loop.
  if (state_.load(std::memory_order_acquire) == kWoken) return;
  // Relaxed: it is a hint to workers that search, and nothing depends on it.
  if (is_brief_) scheduler_->num_brief_waits_.fetch_add(1, std::memory_order_relaxed);
  static_cast<Fiber*>(fiber_)->suspend(*this);
  if (is_brief_) scheduler_->num_brief_waits_.fetch_sub(1, std::memory_order_relaxed);
}

void Waker::wake() const {
  Suspension& suspension = *suspension_;
  const std::lock_guard<std::mutex> guard(suspension.scheduler_->external_lock_);
  detail::Task& resume_task = static_cast<Fiber&>(*suspension.fiber_).resume_task;
  Scheduler& scheduler = *suspension.scheduler_;
  // Pairs with Worker::carry_out and Suspension::wait. Unless it was suspended, `suspension` may be gone now.
  if (suspension.state_.exchange(Suspension::kWoken, std::memory_order_acq_rel) == Suspension::kSuspended) {
    scheduler.push_external(resume_task);
  }
}

}  // namespace pbrt
