// SPDX-License-Identifier: MIT
#include "runtime/sched/task.h"

#include <new>

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace pbrt {
namespace detail {
namespace {

constexpr std::uint8_t kLinkSizeClass = 0;
static_assert(sizeof(DependentLink) <= kTaskSizes[kLinkSizeClass]);

// Marks of a closed dependents list; never followed.
DependentLink complete_mark{nullptr, nullptr};
DependentLink continued_mark{nullptr, nullptr};

/// Pushes `link` unless the list is closed; returns the mark then, else null. Pairs with finish_graph_task's exchange.
DependentLink* link_dependent(GraphTask& before, DependentLink& link) {
  DependentLink* head = before.dependents.load(std::memory_order_acquire);
  do {
    if (head == &complete_mark || head == &continued_mark) return head;
    link.next = head;
  } while (!before.dependents.compare_exchange_weak(head, &link, std::memory_order_acq_rel, std::memory_order_acquire));
  return nullptr;
}

/// Takes away one dependency; enqueues the task if it was the last.
void satisfy(GraphTask& task, Worker& worker) {
  if (task.num_dependencies.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task.state.store(TaskState::Runnable, std::memory_order_release);
  worker.push(task);
}

/// Takes back a block of `reserve`: into the free list of the calling thread's worker where that uses the same reserve.
void release_block(TaskReserve& reserve, void* address, std::uint8_t size_class) {
  Worker* const worker = Worker::of_thread();
  if (worker != nullptr && &worker->scheduler().task_reserve() == &reserve) {
    worker->memory().release(address, size_class);
  } else {
    reserve.release(address, size_class);
  }
}

void start_task(GraphTask& task, Worker& worker) {
  PBRT_DCHECK(task.state.load(std::memory_order_relaxed) == TaskState::New, "a task is started once");
  add_reference(task);  // the runtime's, until it is finished
  task.state.store(TaskState::NonRunnable, std::memory_order_release);
  satisfy(task, worker);
}

}  // namespace

void add_reference(GraphTask& task) { task.num_references.fetch_add(1, std::memory_order_relaxed); }

void drop_reference(GraphTask& task) {
  // This is a loop and no recursion, because a task holds its continuation and chains may be long.
  for (GraphTask* t = &task; t != nullptr;) {
    // acq_rel: whoever is last sees what the others did with the task.
    if (t->num_references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    GraphTask* continuation = t->continuation;
    if (t->state.load(std::memory_order_relaxed) == TaskState::New && !t->is_trivial)
      t->entry(*t, nullptr);  // never started
    release_block(*t->reserve, t, t->size_class);
    t = continuation;
  }
}

TaskReserve& task_reserve(FiberHead& fiber) { return fiber.worker->scheduler().task_reserve(); }

}  // namespace detail

void finish_graph_task(detail::GraphTask& task, Worker& worker) {
  using namespace detail;
  GraphTask* continuation = task.continuation;
  const bool is_continued = continuation != nullptr;
  task.state.store(is_continued ? TaskState::Continued : TaskState::Complete, std::memory_order_release);
  // This exchange closes the list; it pairs with link_dependent.
  DependentLink* link =
      task.dependents.exchange(is_continued ? &continued_mark : &complete_mark, std::memory_order_acq_rel);
  while (link != nullptr) {
    DependentLink* next = link->next;
    if (is_continued) {
      DependentLink* closed = link_dependent(*continuation, *link);
      PBRT_CHECK(closed == nullptr, "a continuation is started by the task that returned it");
    } else {
      GraphTask& dependent = *link->task;
      worker.memory().release(link, kLinkSizeClass);
      satisfy(dependent, worker);
    }
    link = next;
  }
  if (is_continued) {
    // The task is unfinished for its frame until the caller joins it, so the frame may get one more child here.
    continuation->parent->children_.add_elsewhere();
    start_task(*continuation, worker);
  }
  drop_reference(task);
}

void TaskGroup::adopt(Frame& here, detail::GraphTask& task) {
  task.parent = &frame_;
  if (here.run_->hooks != nullptr) task.local_key = here.run_->hooks->child_key();
}

void TaskGroup::depend(Frame& here, const TaskRef& after, const TaskRef& before) {
  using namespace detail;
  if (PB_FAULT(task_dependency_is_lost)) return;
  GraphTask& dependent = *after.task_;
  PBRT_DCHECK(after.state() == TaskState::New, "dependencies are added to new tasks only");
  const TaskMemory memory = here.fiber_->memory->allocate<sizeof(DependentLink)>();
  auto* link = new (memory.address) DependentLink{&dependent, nullptr};
  // The count is raised before the link is published; it stays above zero, as `dependent` is New.
  dependent.num_dependencies.fetch_add(1, std::memory_order_relaxed);
  for (GraphTask* target = before.task_;;) {
    DependentLink* closed = link_dependent(*target, *link);
    if (closed == nullptr) return;
    if (closed == &complete_mark) break;
    target = target->continuation;  // kept by `target`, which `before` keeps
  }
  dependent.num_dependencies.fetch_sub(1, std::memory_order_relaxed);
  here.fiber_->memory->release(link, memory.size_class);
}

void TaskGroup::start(Frame& here, const TaskRef& task) {
  // children.h, "Proof: join": the group's own fiber counts apart from the others.
  if (here.fiber_ == frame_.fiber_) {
    frame_.children_.add_here();
  } else {
    frame_.children_.add_elsewhere();
  }
  detail::start_task(*task.task_, *here.fiber_->worker);
}

void TaskGroup::wait() {
  frame_.join();
  frame_.sync();
}

TaskGroup::~TaskGroup() { frame_.join(); }

}  // namespace pbrt
