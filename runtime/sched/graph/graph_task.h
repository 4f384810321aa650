// SPDX-License-Identifier: MIT
// Graph tasks: tasks with dependencies between them, in the five states of the paper (ASPLOS 2013, section 4.1). How
// they are linked, become runnable and finish; programs make them by task.h.
//
//   New          dependencies may be added; runs when started and all of them are complete
//   NonRunnable  started, waits; reachable only through dependents lists
//   Runnable     in exactly one deque (or mailbox), or running
//   Complete     done without a continuation; depending on it is a no-op
//   Continued    done with a continuation, which inherited its dependents; depending on it means
//                depending on the continuation
//
// Proof: every dependent is notified exactly once, and not before its dependency is complete.
//   dependents is a list that only grows until finish() closes it by one exchange with a mark.
//   depend() pushes by compare-exchange and fails once the list is closed: so a link is
//   either in the list that finish() got, or depend() saw the mark and nothing was linked. finish()
//   walks the links it got: Complete notifies each once; Continued moves each to the continuation, whose
//   list cannot be closed because it has not been started.
//   num_dependencies counts links not yet notified, plus one while the task is New. It is raised before
//   the link is published (release by the compare-exchange, acquire by finish's exchange), so it
//   reaches zero once, after start() and the last notification. Who brings it to zero enqueues.
//   Each decrement is acq_rel: the task that runs sees all that its dependencies did.
//   Continued: `continuation` is written before the mark (release) and read after it (acquire).
//
// Life: a task is kept by its TaskRefs, by the runtime until it is finished, and by a task that it continues.
// Dependents lists hold plain pointers: a task with an open dependency is not finished.
// Joining: each task is a child of its group's frame from start() until it is finished (children.h, "Proof: join").
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/sched/frame.h"
#include "runtime/sched/queues/task_queues.h"
#include "runtime/sched/task_memory.h"

namespace pbrt {

enum class TaskState : std::uint8_t { New, NonRunnable, Runnable, Complete, Continued };

namespace detail {

struct GraphTask;

struct DependentLink {
  GraphTask* task;
  DependentLink* next;
};

struct GraphTask : Task {
  explicit GraphTask(TaskReserve& r) : reserve(&r) { kind = TaskKind::Graph; }

  TaskReserve* reserve;
  GraphTask* continuation = nullptr;
  std::atomic<DependentLink*> dependents{nullptr};
  std::atomic<int> num_references{1};
  std::atomic<int> num_dependencies{1};
  std::atomic<TaskState> state{TaskState::New};
};

void add_reference(GraphTask& task);
void drop_reference(GraphTask& task);
/// Makes `dependent` wait for `before`; a no-op if `before` is complete. `memory` is that of the calling worker.
///
/// Pre: `dependent` is New
void add_dependency(GraphTask& dependent, GraphTask& before, TaskCache& memory);
/// Ends the New state. Threads: owner of `queues`
void start_task(GraphTask& task, TaskQueues& queues);

}  // namespace detail

/// Makes a task that ran complete or continued, and gives the runtime's reference back. Threads: owner of `queues` and
/// `memory`.
void finish_graph_task(detail::GraphTask& task, TaskQueues& queues, TaskCache& memory);

}  // namespace pbrt
