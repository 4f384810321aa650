// SPDX-License-Identifier: MIT
#include "runtime/sched/worker.h"

#include <pthread.h>

#include <new>
#include <utility>

#include "runtime/config/current_instance.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/cpu_relax.h"
#include "runtime/sched/crash.h"
#include "runtime/sched/recursion.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/task.h"
#include "runtime/sched/trace/trace_lane.h"

namespace pbrt {

Worker::Worker(Scheduler& scheduler, int index, TraceLane* lane)
    : scheduler_(scheduler),
      parking_(scheduler.parking_),
      memory_(scheduler.reserve_),
      lane_(lane),
      counters_(lane != nullptr ? &lane->rules().counters() : nullptr),
      index_(index),
      random_state_(0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(index + 1)) {}

Worker::~Worker() {
  while (Stack* stack = stacks_.pop()) scheduler_.stacks_.give_back(*stack);
}

// Defined out of line, so that no caller keeps the thread's identity across a switch.
[[gnu::noinline]] bool Worker::is_owner() const { return owner_thread_ == static_cast<std::uint64_t>(pthread_self()); }

// ---- the loop -------------------------------------------------------------------------------

namespace {

// The calling thread's worker; null on other threads. Functions that use it are never inlined, for the reason given at
// is_owner.
thread_local Worker* worker_of_thread = nullptr;

}  // namespace

void Worker::take_thread() {
  owner_thread_ = static_cast<std::uint64_t>(pthread_self());
  worker_of_thread = this;
  adopt_thread_stack(loop_context_);
  prepare_for_crash();
}

void Worker::run_until_stopped(const std::atomic<bool>& stop) {
  take_thread();
  loop(stop);
}

void Worker::run_root(RootJob& job) {
  Stack& stack = take_stack();  // or throws, and nothing has happened
  take_thread();
  stack.call = &root_main;
  stack.argument = &job;
  stack.fiber.run = job.run;
  if (lane_ != nullptr) lane_->begin_work();
  resume(stack.fiber);
  loop(job.is_done);
  if (lane_ != nullptr) lane_->end_work();
  worker_of_thread = nullptr;
}

[[gnu::noinline]] bool Worker::is_below_running_stack(const void* address) {
  if (worker_of_thread == nullptr || worker_of_thread->running_ == nullptr) return false;
  const char* const limit = worker_of_thread->running_->stack_limit - kBodyBytes;
  const auto* const at = static_cast<const char*>(address);
  return at < limit && limit - at <= static_cast<std::ptrdiff_t>(kGuardBytes);
}

[[gnu::noinline]] void Worker::release_block(TaskReserve& reserve, void* address, std::uint8_t size_class) {
  if (worker_of_thread != nullptr && &worker_of_thread->scheduler_.task_reserve() == &reserve) {
    worker_of_thread->memory_.release(address, size_class);
  } else {
    reserve.release(address, size_class);
  }
}

[[gnu::noinline]] void Worker::abort_current_run(const char* reason) {
  if (worker_of_thread == nullptr || worker_of_thread->running_ == nullptr) return;
  RunState& run = *worker_of_thread->running_->run;
  // Relaxed: the reason is read when the run is over.
  run.abort_reason.store(reason, std::memory_order_relaxed);
  run.aborted.store(true, std::memory_order_relaxed);
}

void Worker::loop(const std::atomic<bool>& done) {
  while (detail::Task* task = find_task(done)) run(*task);
}

detail::Task* Worker::find_task(const std::atomic<bool>& done) {
  // Pairs with the store by the worker that finished the root, or by ~Scheduler.
  if (done.load(std::memory_order_acquire)) return nullptr;
  if (detail::Task* task = deque_.pop()) return task;
  if (detail::Task* task = mailbox_.take()) {
    ++counts_.num_mails;
    return task;
  }
  return search(done);
}

void Worker::run(detail::Task& task) {
  if (task.kind == detail::TaskKind::ResumeFiber) return resume(static_cast<ResumeTask&>(task).fiber);
  Stack* stack = nullptr;
  try {
    stack = &take_stack();
  } catch (const std::bad_alloc&) {
    fail(task);
    if (Fiber* parent = finish_elsewhere(task)) resume(*parent);
    return;
  }
  stack->call = &task_main;
  stack->argument = &task;
  stack->fiber.run = task.parent->run_;
  resume(stack->fiber);
}

void Worker::resume(Fiber& fiber) {
  for (Fiber* next = &fiber; next != nullptr;) {
    next->worker = this;
    next->memory = &memory_;
    next->worker_index = index_;
    next->counters = next->run->is_traced ? counters_ : nullptr;
    running_ = next;
    if (lane_ != nullptr) lane_->resume(*next);
    switch_context(loop_context_, *next->active);
    running_ = nullptr;
    if (lane_ != nullptr) lane_->suspend(*next);
    next = carry_out(*next);
  }
}

Fiber* Worker::carry_out(Fiber& from) {
  const Request request = request_;
  switch (request.kind) {
    case Request::Finished:
      note_finish();
      give_back_stack(from.first_stack);
      return finish_elsewhere(*request.task);
    case Request::RootFinished:
      give_back_stack(from.first_stack);
      // Pairs with find_task and search of worker 0. The job may be gone after it.
      request.root->is_done.store(true, std::memory_order_seq_cst);
      scheduler_.parking_.wake(scheduler_.workers_[0]->spot());
      return nullptr;
    case Request::Join: {
      // Proof: join (2). Pairs with the finishers' fetch_sub.
      const std::int64_t added = kWaiting + request.frame->outstanding_;
      const std::int64_t before = request.frame->joined_.fetch_add(added, std::memory_order_acq_rel);
      return before + added == kWaiting ? &from : nullptr;
    }
    case Request::Outside: {
      // Pairs with the exchange in Waker::wake.
      std::uint32_t expected = Suspension::kRunning;
      const bool is_suspended = request.suspension->state_.compare_exchange_strong(
          expected, Suspension::kSuspended, std::memory_order_acq_rel, std::memory_order_acquire);
      return is_suspended ? nullptr : &from;
    }
  }
  return nullptr;
}

Fiber* Worker::finish_elsewhere(detail::Task& task) {
  Frame& parent = *task.parent;
  retire(task, *this);
  // Proof: join (1), (2). Acquire: the last finisher runs the parent and passes on what the others wrote.
  const std::int64_t before = parent.joined_.fetch_sub(1, std::memory_order_acq_rel);
  return before == kWaiting + 1 ? static_cast<Fiber*>(parent.fiber_) : nullptr;
}

// ---- on fibers ------------------------------------------------------------------------------

void Worker::task_main(Stack& stack) {
  Fiber& fiber = stack.fiber;
  auto& task = *static_cast<detail::Task*>(stack.argument);
  execute(task, fiber);
  Worker& worker = *fiber.worker;
  worker.request_ = {};
  worker.request_.kind = Request::Finished;
  worker.request_.task = &task;
  stack.return_to = &worker.loop_context_;
}

void Worker::root_main(Stack& stack) {
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
    if (frame.outstanding_ != 0) join(frame);
  }
  if (hooks != nullptr) hooks->exchange(outer);
  Worker& worker = *fiber.worker;
  worker.request_ = {};
  worker.request_.kind = Request::RootFinished;
  worker.request_.root = &job;
  stack.return_to = &worker.loop_context_;
}

void Worker::execute(detail::Task& task, Fiber& fiber) {
  Frame& parent = *task.parent;
  RunState& run = *parent.run_;
  if (run.aborted.load(std::memory_order_relaxed)) [[unlikely]] {
    parent.keep_error(Frame::kDropped, nullptr);
  } else if (task.kind == detail::TaskKind::Spawned ||
             parent.error_state_.load(std::memory_order_relaxed) == Frame::kNoError) {
    const TaskLocalHooks* hooks = run.hooks;
    TaskLocal local{task.local_key};
    TaskLocal* outer = hooks != nullptr ? hooks->exchange(&local) : nullptr;
    Frame frame(fiber, run, parent.call_, parent.sequential_);
    std::exception_ptr error = call_body(task, frame);
    if (frame.outstanding_ != 0) join(frame);
    if (error) [[unlikely]] {
      parent.keep_error(Frame::kKept, std::move(error));
    } else if (frame.error_state_.load(std::memory_order_relaxed) != Frame::kNoError) [[unlikely]] {
      parent.keep_error(static_cast<Frame::ErrorState>(frame.error_state_.load(std::memory_order_relaxed)),
                        std::move(frame.error_));
    }
    if (hooks != nullptr) hooks->exchange(outer);
  }
  if (!task.is_trivial) task.entry(task, nullptr);
}

std::exception_ptr Worker::call_body(detail::Task& task, Frame& frame) noexcept {
  try {
    task.entry(task, &frame);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

void Worker::fail(detail::Task& task) {
  task.parent->keep_error(Frame::kKept, std::current_exception());
  if (!task.is_trivial) task.entry(task, nullptr);
}

void Worker::retire(detail::Task& task, Worker& worker) {
  if (task.kind == detail::TaskKind::Graph) {
    finish_graph_task(static_cast<detail::GraphTask&>(task), worker);
  } else {
    worker.memory_.release(&task, task.size_class);
  }
}

void Worker::push(detail::Task& task) {
  PBRT_DCHECK(is_owner(), "only the owner pushes at the top");
  if (!deque_.push(task)) mailbox_.push(task);
  parking_.notify();
}

void Worker::push_bottom(detail::Task& task) {
  mailbox_.push(task);
  parking_.notify();
}

void Worker::join(Frame& frame, int num_looks) {
  Fiber& fiber = static_cast<Fiber&>(*frame.fiber_);
  // Pairs with finish_elsewhere (Proof: join).
  while (frame.outstanding_ + frame.joined_.load(std::memory_order_acquire) != 0) {
    Worker& worker = *fiber.worker;
    PBRT_DCHECK(worker.is_owner(), "a frame is joined by the fiber that owns it");
    detail::Task* task = worker.deque_.pop();
    if (task != nullptr && task->parent == &frame) [[likely]] {
      run_child(*task, frame);
      continue;
    }
    if (task == nullptr && num_looks > 0) {
      --num_looks;
      cpu_relax();
      continue;
    }
    if (task != nullptr) worker.push(*task);
    Request request;
    request.kind = Request::Join;
    request.frame = &frame;
    switch_to_loop(fiber, request);
    break;
  }
  frame.outstanding_ = 0;
  frame.joined_.store(0, std::memory_order_relaxed);
}

namespace {
// A recursion that fills so many stacks of one fiber (a quarter of a gigabyte) counts as endless.
constexpr int kMaxFreshStacks = 1024;
}  // namespace

bool Worker::aborts_endless_recursion(Fiber& fiber) {
  if (fiber.num_fresh_stacks < kMaxFreshStacks) return false;
  // Relaxed: the reason is read when the run is over.
  fiber.run->abort_reason.store(endless_recursion_text(-1), std::memory_order_relaxed);
  fiber.run->aborted.store(true, std::memory_order_relaxed);
  return true;
}

void Worker::run_child(detail::Task& task, Frame& parent) {
  Fiber& fiber = static_cast<Fiber&>(*parent.fiber_);
  // Where the recursion has just been aborted, execute() only drops the task.
  if (parent.is_stack_low() && !aborts_endless_recursion(fiber)) [[unlikely]] {
    try {
      call_on_fresh_stack(
          fiber,
          [](void* argument) {
            auto& self = *static_cast<detail::Task*>(argument);
            execute(self, static_cast<Fiber&>(*self.parent->fiber_));
          },
          &task);
    } catch (const std::bad_alloc&) {
      fail(task);  // execute() lets nothing out: there was no stack
    }
  } else {
    execute(task, fiber);
  }
  --parent.outstanding_;
  retire(task, *fiber.worker);
}

void Worker::suspend(Suspension& suspension) {
  Request request;
  request.kind = Request::Outside;
  request.suspension = &suspension;
  switch_to_loop(static_cast<Fiber&>(*suspension.fiber_), request);
}

void Worker::switch_to_loop(Fiber& fiber, const Request& request) {
  const TaskLocalHooks* hooks = fiber.run->hooks;
  TaskLocal* local = hooks != nullptr ? hooks->exchange(nullptr) : nullptr;
  const InstanceScope* const instance = exchange_instance(nullptr);
  Worker& worker = *fiber.worker;
  PBRT_DCHECK(worker.is_owner(), "a fiber is suspended by the thread that runs it");
  ++worker.counts_.num_suspensions;
  worker.request_ = request;
  switch_context(*fiber.active, worker.loop_context_);
  (void)exchange_instance(instance);
  if (hooks != nullptr) hooks->exchange(local);
}

// ---- stacks ---------------------------------------------------------------------------------

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

void Worker::call_on_fresh_stack(Fiber& fiber, void (*call)(void*), void* argument) {
  if (aborts_endless_recursion(fiber)) [[unlikely]]
    detail::throw_aborted();
  FreshCall fresh{call, argument, nullptr};
  Stack& stack = fiber.worker->take_stack();
  ++fiber.num_fresh_stacks;
  Context* const caller = fiber.active;
  const char* const caller_limit = fiber.stack_limit;
  stack.call = &run_fresh_call;
  stack.argument = &fresh;
  stack.return_to = caller;
  fiber.active = &stack;
  fiber.stack_limit = stack.call_limit();
  switch_context(*caller, stack);
  // The fiber may be on another worker now.
  fiber.active = caller;
  --fiber.num_fresh_stacks;
  fiber.stack_limit = caller_limit;
  fiber.worker->give_back_stack(stack);
  if (fresh.error) std::rethrow_exception(std::move(fresh.error));
}

Stack& Worker::take_stack() {
  Stack* free_stack = stacks_.pop();
  Stack& stack = free_stack != nullptr ? *free_stack : scheduler_.stacks_.take();
  stack.fiber.active = &stack;
  stack.fiber.stack_limit = stack.call_limit();
  return stack;
}

void Worker::give_back_stack(Stack& stack) {
  if (stacks_.size() < kMaxFreeStacks) {
    stacks_.push(stack);
  } else {
    scheduler_.stacks_.give_back(stack);
  }
}

}  // namespace pbrt
