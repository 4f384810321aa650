// SPDX-License-Identifier: MIT
#include "runtime/sched/helpers.h"

#include "runtime/sched/worker.h"

namespace pbrt {

bool Helpers::can_assign() const { return may_choose_tasks() && frame_.fiber_->worker->pool().may_assign(); }

bool Helpers::has_spare_task() const { return frame_.fiber_->worker->tasks().has_one_to_steal(); }

void Helpers::expect_tasks(std::int64_t count) const { frame_.fiber_->worker->pool().wake_helpers(count); }

void Helpers::assign(int worker, Frame& all, detail::Task& task) const {
  task.parent = &all;
  if (&all == &frame_) {
    all.children_.add_here();
  } else {
    all.children_.add_elsewhere();
  }
  frame_.fiber_->worker->pool().assign(worker, task);
}

}  // namespace pbrt
