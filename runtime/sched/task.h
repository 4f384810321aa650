// SPDX-License-Identifier: MIT
// Graph tasks: tasks with dependencies between them, in the five states of the paper (ASPLOS
// 2013, section 4.1). Used by step_graph.cpp and tests; spawned tasks without
// dependencies are simpler and live in frame.h.
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
#include <type_traits>
#include <utility>

#include "runtime/sched/frame.h"

namespace pbrt {

class TaskReserve;
class TaskRef;
class Worker;

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

template <class F>
struct GraphTaskOf : GraphTask {
  template <class G>
  GraphTaskOf(TaskReserve& r, G&& g) : GraphTask(r) {
    new (storage) F(std::forward<G>(g));
    is_trivial = std::is_trivially_destructible_v<F>;
    entry = [](Task& task, Frame* frame) {
      auto& self = static_cast<GraphTaskOf&>(task);
      F& closure = *std::launder(reinterpret_cast<F*>(self.storage));
      if (frame == nullptr) {
        closure.~F();
      } else if constexpr (std::is_same_v<std::invoke_result_t<F&, Frame&>, TaskRef>) {
        self.continuation = closure(*frame).detach();
      } else {
        closure(*frame);
      }
    };
  }
  // The closure dies when the task finishes, the header with the last reference.
  alignas(F) unsigned char storage[sizeof(F)];
};

void add_reference(GraphTask& task);
void drop_reference(GraphTask& task);
[[nodiscard]] TaskReserve& task_reserve(FiberHead& fiber);

}  // namespace detail

/// Makes a task that ran complete or continued, and gives the runtime's reference back. Threads: owner of `worker`.
void finish_graph_task(detail::GraphTask& task, Worker& worker);

/// Counted handle of a graph task.
class TaskRef {
 public:
  TaskRef() = default;
  TaskRef(const TaskRef& other) : task_(other.task_) {
    if (task_ != nullptr) detail::add_reference(*task_);
  }
  TaskRef(TaskRef&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  TaskRef& operator=(TaskRef other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~TaskRef() {
    if (task_ != nullptr) detail::drop_reference(*task_);
  }

  explicit operator bool() const { return task_ != nullptr; }
  /// The state as a snapshot: other threads may move the task on.
  [[nodiscard]] TaskState state() const { return task_->state.load(std::memory_order_acquire); }

  /// Gives the reference away.
  [[nodiscard]] detail::GraphTask* detach() { return std::exchange(task_, nullptr); }

 private:
  friend class TaskGroup;
  explicit TaskRef(detail::GraphTask& task) : task_(&task) {}
  detail::GraphTask* task_ = nullptr;
};

/// Tasks that are waited for together. `here` is always the frame of the body that makes the call.
///
/// A task that is neither started nor returned as a continuation never runs.
///
/// Pre: there are no cycles; nothing depends on a task that is never started
class TaskGroup {
 public:
  explicit TaskGroup(Frame& frame) : frame_(frame) {}
  /// Waits like wait(), but throws nothing.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Makes a New task. `f` is `void(Frame&)`, or `TaskRef(Frame&)`, which returns a New task as its continuation, or
  /// none.
  ///
  /// Threads: the group's own fiber, or any task of the group
  template <class F>
  [[nodiscard]] TaskRef create(Frame& here, F&& f) {
    using Closure = detail::GraphTaskOf<std::decay_t<F>>;
    static_assert(alignof(Closure) <= 64, "captures of a task need at most the alignment of a cache line");
    const detail::TaskMemory memory = here.fiber_->memory->allocate<sizeof(Closure)>();
    detail::GraphTask* task = nullptr;
    try {
      task = new (memory.address) Closure(detail::task_reserve(*here.fiber_), std::forward<F>(f));
    } catch (...) {
      here.fiber_->memory->release(memory.address, memory.size_class);
      throw;
    }
    task->size_class = memory.size_class;
    adopt(here, *task);
    return TaskRef(*task);
  }

  /// Makes `after` wait for `before`; a no-op if `before` is complete.
  ///
  /// Pre: `after` is New
  void depend(Frame& here, const TaskRef& after, const TaskRef& before);

  /// Ends the New state.
  void start(Frame& here, const TaskRef& task);

  /// Returns when all tasks of the group are finished, running runnable ones on this stack.
  ///
  /// Errors:  rethrows the first exception of a task; tasks that had not started then were dropped
  /// Threads: the group's own fiber
  void wait();

 private:
  void adopt(Frame& here, detail::GraphTask& task);

  CallFrame frame_;
};

}  // namespace pbrt
