// SPDX-License-Identifier: MIT
// The other workers, as a loop that splits itself sees them: whether they look for work, and tasks that are left to one
// of them. Used by loops/; generated code knows frames only (frame.h).
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/sched/frame.h"

namespace pbrt {

/// What the workers do for the body of one frame.
///
/// Threads: the fiber that runs the frame's body
class Helpers {
 public:
  explicit Helpers(Frame& frame) : frame_(frame) {}

  /// Whether what becomes a task may depend on which workers are out of work. It may not where bodies draw random
  /// numbers: these follow the tree of tasks.
  [[nodiscard]] bool may_choose_tasks() const { return frame_.run_state().hooks == nullptr; }
  /// Whether the other workers look for work, so that each may be given some. The answer is a hint.
  [[nodiscard]] bool can_assign() const;
  /// Whether the worker that runs the body has a task that others could take. The answer is a hint.
  [[nodiscard]] bool has_spare_task() const;
  /// Announces that about `count` tasks will be spawned at once.
  void expect_tasks(std::int64_t count) const;

  /// Starts `f(Frame&)` as a task of the frame `all`, and leaves it to worker number `worker`. After some time any
  /// worker without work may take it. Loops assign those parts that the same worker ran before: their data may be in
  /// that worker's caches.
  ///
  /// Pre: `all` is the frame itself, or the calling body is a task of `all`; can_assign() holds for `all`; `worker` is
  ///      not the frame's worker_index()
  template <class F>
  void spawn_on(int worker, Frame& all, F&& f) const {
    assign(worker, all, frame_.make_task(std::forward<F>(f)));
  }

 private:
  void assign(int worker, Frame& all, detail::Task& task) const;

  Frame& frame_;
};

}  // namespace pbrt
