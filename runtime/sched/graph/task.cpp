// SPDX-License-Identifier: MIT
#include "runtime/sched/graph/task.h"

#include "base/seeded_fault.h"
#include "runtime/config/runtime_check.h"
#include "runtime/sched/worker.h"

namespace pbrt {

void TaskGroup::adopt(Frame& here, detail::GraphTask& task) {
  task.parent = &frame_;
  if (here.run_->hooks != nullptr) task.local_key = here.run_->hooks->child_key();
}

void TaskGroup::depend(Frame& here, const TaskRef& after, const TaskRef& before) {
  if (PB_FAULT(task_dependency_is_lost)) return;
  detail::add_dependency(*after.task_, *before.task_, *here.fiber_->memory);
}

void TaskGroup::start(Frame& here, const TaskRef& task) {
  // children.h, "Proof: join": the group's own fiber counts apart from the others.
  if (here.fiber_ == frame_.fiber_) {
    frame_.children_.add_here();
  } else {
    frame_.children_.add_elsewhere();
  }
  Worker& worker = *here.fiber_->worker;
  PBRT_DCHECK(worker.is_owner(), "only the owner pushes at the top");
  detail::start_task(*task.task_, worker.tasks());
}

void TaskGroup::wait() {
  frame_.join();
  frame_.sync();
}

TaskGroup::~TaskGroup() { frame_.join(); }

}  // namespace pbrt
