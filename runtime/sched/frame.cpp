// SPDX-License-Identifier: MIT
#include "runtime/sched/frame.h"

#include "base/seeded_fault.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace pbrt {
namespace detail {

void call_on_fresh_stack(FiberHead& fiber, void (*call)(void*), void* argument) {
  Worker::call_on_fresh_stack(static_cast<Fiber&>(fiber), call, argument);
}

void wake_helpers(FiberHead& fiber, std::int64_t count) { fiber.worker->scheduler().wake_helpers(count); }

void throw_aborted() { throw RunAborted(); }

}  // namespace detail

void abort_current_run(const char* reason) { Worker::abort_current_run(reason); }

void Frame::push_child(detail::Task& task) {
  task.parent = this;
  if (run_->hooks != nullptr) task.local_key = run_->hooks->child_key();
  ++outstanding_;
  if (!fiber_->worker->push_child(task)) [[unlikely]]
    Worker::run_child(task, *this);
}

bool Frame::can_assign() const { return has_free_tasks() && fiber_->worker->may_assign(); }

bool Frame::has_spare_task() const { return fiber_->worker->has_spare_task(); }

void Frame::push_child_to(int worker, Frame& all, detail::Task& task) {
  task.parent = &all;
  if (&all == this) {
    ++outstanding_;
  } else {
    // Relaxed: the task that runs here is unfinished, so nobody waits for this number alone (Proof: join).
    all.joined_.fetch_add(1, std::memory_order_relaxed);
  }
  fiber_->worker->assign(worker, task);
}

void Frame::join() { Worker::join(*this); }
void Frame::join_soon() { Worker::join(*this, Worker::kLooksBeforeSuspension); }

void Frame::rethrow() {
  const auto state = static_cast<ErrorState>(error_state_.load(std::memory_order_relaxed));
  error_state_.store(kNoError, std::memory_order_relaxed);
  if (state == kDropped) detail::throw_aborted();
  std::rethrow_exception(std::move(error_));
}

void Frame::keep_error(ErrorState state, std::exception_ptr error) {
  if (PB_FAULT(exception_is_lost)) return;
  std::uint8_t expected = kNoError;
  // Relaxed: the claim only excludes other claimants; the join orders error_ with the owner's read.
  if (error_state_.compare_exchange_strong(expected, state, std::memory_order_relaxed)) error_ = std::move(error);
}

void Frame::finish() {
  if (outstanding_ != 0) join();
  if (error_state_.load(std::memory_order_relaxed) == kNoError) return;
  if (std::uncaught_exceptions() == 0) rethrow();
  error_ = nullptr;
  error_state_.store(kNoError, std::memory_order_relaxed);
}

Suspension::Suspension(Frame& frame, bool is_brief)
    : fiber_(frame.fiber_), scheduler_(&frame.fiber_->worker->scheduler()), is_brief_(is_brief) {}

void Suspension::wait() {
  // Acquire pairs with the waker's exchange, also on the way through the loop.
  if (state_.load(std::memory_order_acquire) == kWoken) return;
  // Relaxed: a hint to workers that search, nothing hangs on it.
  if (is_brief_) scheduler_->num_brief_waits_.fetch_add(1, std::memory_order_relaxed);
  Worker::suspend(*this);
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
