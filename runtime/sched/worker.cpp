// SPDX-License-Identifier: MIT
#include "runtime/sched/worker.h"

#include <pthread.h>

#include <new>

#include "runtime/config/runtime_check.h"
#include "runtime/sched/graph/graph_task.h"
#include "runtime/sched/trace/trace_lane.h"

namespace pbrt {

Worker::Worker(WorkerPool& pool, int index, TraceLane* lane)
    : slot_(pool.parking),
      pool_(pool),
      memory_(pool.reserve),
      stacks_(pool.stacks),
      search_(pool, slot_, lane, index),
      lane_(lane),
      counters_(lane != nullptr ? &lane->rules().counters() : nullptr),
      index_(index) {}

// Defined out of line, so that no caller keeps the thread's identity across a switch.
[[gnu::noinline]] bool Worker::is_owner() const { return owner_thread_ == static_cast<std::uint64_t>(pthread_self()); }

namespace {

// The calling thread's worker; null on other threads. Functions that use it are never inlined, for the reason given at
// is_owner.
thread_local Worker* worker_of_thread = nullptr;

}  // namespace

void Worker::take_thread() {
  owner_thread_ = static_cast<std::uint64_t>(pthread_self());
  worker_of_thread = this;
  TaskCache::set_of_thread(&memory_);
  adopt_thread_stack(loop_context_);
}

void Worker::run_until_stopped(const std::atomic<bool>& stop) {
  take_thread();
  loop(stop);
}

void Worker::run_root(RootJob& job) {
  Stack& stack = stacks_.take();  // or throws, and nothing has happened
  take_thread();
  stack.call = &Fiber::run_root;
  stack.argument = &job;
  stack.fiber.run = job.run;
  if (lane_ != nullptr) lane_->begin_work();
  resume(stack.fiber);
  loop(job.is_done);
  if (lane_ != nullptr) lane_->end_work();
  TaskCache::set_of_thread(nullptr);
  worker_of_thread = nullptr;
}

[[gnu::noinline]] Worker* Worker::of_thread() { return worker_of_thread; }

void Worker::loop(const std::atomic<bool>& done) {
  while (detail::Task* task = find_task(done)) run(*task);
}

detail::Task* Worker::find_task(const std::atomic<bool>& done) {
  // Pairs with the store by the worker that finished the root, or by ~Scheduler.
  if (done.load(std::memory_order_acquire)) return nullptr;
  if (detail::Task* task = tasks().pop()) return task;
  if (detail::Task* task = tasks().take_mail()) {
    ++counts_.num_mails;
    return task;
  }
  return search_.find(done, counts_);
}

void Worker::run(detail::Task& task) {
  if (task.kind == detail::TaskKind::ResumeFiber) return resume(static_cast<ResumeTask&>(task).fiber);
  Stack* stack = nullptr;
  try {
    stack = &stacks_.take();
  } catch (const std::bad_alloc&) {
    Fiber::fail(task);
    if (Fiber* parent = finish_elsewhere(task)) resume(*parent);
    return;
  }
  stack->call = &Fiber::run_task;
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
  const LoopRequest request = request_;
  switch (request.kind) {
    case LoopRequest::Finished:
      search_.note_finish();
      stacks_.give_back(from.first_stack);
      return finish_elsewhere(*request.task);
    case LoopRequest::RootFinished:
      stacks_.give_back(from.first_stack);
      // Pairs with find_task and TaskSearch::find of worker 0. The job may be gone after it.
      request.root->is_done.store(true, std::memory_order_seq_cst);
      pool_.parking.wake(pool_.workers[0]->spot);
      return nullptr;
    case LoopRequest::Join:
      ++counts_.num_suspensions;
      return request.frame->children_.begin_wait() ? nullptr : &from;
    case LoopRequest::Outside: {
      ++counts_.num_suspensions;
      // Pairs with the exchange in Waker::wake.
      std::uint32_t expected = Suspension::kRunning;
      const bool is_suspended = request.suspension->state_.compare_exchange_strong(
          expected, Suspension::kSuspended, std::memory_order_acq_rel, std::memory_order_acquire);
      return is_suspended ? nullptr : &from;
    }
  }
  return nullptr;
}

Context& Worker::leave_request(const LoopRequest& request) {
  request_ = request;
  return loop_context_;
}

Fiber* Worker::finish_elsewhere(detail::Task& task) {
  Frame& parent = *task.parent;
  retire(task);
  return parent.children_.finish_elsewhere() ? static_cast<Fiber*>(parent.fiber_) : nullptr;
}

void Worker::retire(detail::Task& task) {
  if (task.kind == detail::TaskKind::Graph) {
    PBRT_DCHECK(is_owner(), "only the owner pushes at the top");
    finish_graph_task(static_cast<detail::GraphTask&>(task), tasks(), memory_);
  } else {
    memory_.release(&task, task.size_class);
  }
}

void Worker::push(detail::Task& task) {
  PBRT_DCHECK(is_owner(), "only the owner pushes at the top");
  tasks().push(task);
}

}  // namespace pbrt
