// SPDX-License-Identifier: MIT
// Tasks with dependencies between them, as programs make and start them; graph_task.h has their states. Used by
// step_graph.cpp and tests; spawned tasks without dependencies are simpler and live in frame.h.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "runtime/sched/frame.h"
#include "runtime/sched/graph/graph_task.h"
#include "runtime/sched/task_memory.h"

namespace pbrt {

class TaskRef;

namespace detail {

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

}  // namespace detail

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
      task = new (memory.address) Closure(here.fiber_->memory->reserve(), std::forward<F>(f));
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
