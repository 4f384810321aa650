// SPDX-License-Identifier: MIT
#include "runtime/sched/graph/graph_task.h"

#include <new>

#include "runtime/config/runtime_check.h"

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
void satisfy(GraphTask& task, TaskQueues& queues) {
  if (task.num_dependencies.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  task.state.store(TaskState::Runnable, std::memory_order_release);
  queues.push(task);
}

}  // namespace

void start_task(GraphTask& task, TaskQueues& queues) {
  PBRT_DCHECK(task.state.load(std::memory_order_relaxed) == TaskState::New, "a task is started once");
  add_reference(task);  // the runtime's, until it is finished
  task.state.store(TaskState::NonRunnable, std::memory_order_release);
  satisfy(task, queues);
}

void add_reference(GraphTask& task) { task.num_references.fetch_add(1, std::memory_order_relaxed); }

void drop_reference(GraphTask& task) {
  // This is a loop and no recursion, because a task holds its continuation and chains may be long.
  for (GraphTask* t = &task; t != nullptr;) {
    // acq_rel: whoever is last sees what the others did with the task.
    if (t->num_references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    GraphTask* continuation = t->continuation;
    if (t->state.load(std::memory_order_relaxed) == TaskState::New && !t->is_trivial)
      t->entry(*t, nullptr);  // never started
    release_task_memory(*t->reserve, t, t->size_class);
    t = continuation;
  }
}

void add_dependency(GraphTask& dependent, GraphTask& before, TaskCache& memory) {
  PBRT_DCHECK(dependent.state.load(std::memory_order_acquire) == TaskState::New,
              "dependencies are added to new tasks only");
  const TaskMemory block = memory.allocate<sizeof(DependentLink)>();
  auto* link = new (block.address) DependentLink{&dependent, nullptr};
  // The count is raised before the link is published; it stays above zero, as `dependent` is New.
  dependent.num_dependencies.fetch_add(1, std::memory_order_relaxed);
  for (GraphTask* target = &before;;) {
    DependentLink* closed = link_dependent(*target, *link);
    if (closed == nullptr) return;
    if (closed == &complete_mark) break;
    target = target->continuation;  // kept by `target`, which the caller's reference to `before` keeps
  }
  dependent.num_dependencies.fetch_sub(1, std::memory_order_relaxed);
  memory.release(link, block.size_class);
}

}  // namespace detail

void finish_graph_task(detail::GraphTask& task, TaskQueues& queues, TaskCache& memory) {
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
      memory.release(link, kLinkSizeClass);
      satisfy(dependent, queues);
    }
    link = next;
  }
  if (is_continued) {
    // The task is unfinished for its frame until the caller joins it, so the frame may get one more child here.
    continuation->parent->children_.add_elsewhere();
    start_task(*continuation, queues);
  }
  drop_reference(task);
}

}  // namespace pbrt
