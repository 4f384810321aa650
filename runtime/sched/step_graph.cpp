// SPDX-License-Identifier: MIT
#include "runtime/sched/step_graph.h"

#include <cstddef>
#include <vector>

#include "runtime/config/check.h"
#include "runtime/sched/task.h"
#include "tests/faults/seeded_fault.h"

namespace pbrt {

struct StepGraph::Steps {
  struct Step {
    Body body;
    std::vector<std::size_t> dependents;
    int num_dependencies = 0;
  };

  std::vector<Step> steps;

  /// The steps in an order that keeps all dependences.
  [[nodiscard]] std::vector<std::size_t> order() const;
};

std::vector<std::size_t> StepGraph::Steps::order() const {
  std::vector<int> num_open;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    num_open.push_back(steps[i].num_dependencies);
    if (num_open[i] == 0) result.push_back(i);
  }
  for (std::size_t done = 0; done < result.size(); ++done) {
    for (const std::size_t dependent : steps[result[done]].dependents) {
      if (--num_open[dependent] == 0) result.push_back(dependent);
    }
  }
  PBRT_CHECK(result.size() == steps.size(), "the steps of a schedule form no cycle");
  return result;
}

void StepGraph::drop() {
  for (const Steps::Step& step : steps_->steps) step.body.destroy(step.body.closure);
  delete steps_;
}

int StepGraph::add_erased(Body body) {
  try {
    if (steps_ == nullptr) steps_ = new Steps;
    steps_->steps.push_back({body, {}, 0});
  } catch (...) {
    body.destroy(body.closure);
    throw;
  }
  return static_cast<int>(steps_->steps.size()) - 1;
}

void StepGraph::add_edge(int after, int before) {
  PBRT_CHECK(steps_ != nullptr, "depend names steps that add() returned");
  auto& steps = steps_->steps;
  const auto a = static_cast<std::size_t>(after);
  const auto b = static_cast<std::size_t>(before);
  PBRT_CHECK(a < steps.size() && b < steps.size(), "depend names steps that add() returned");
  if (PB_FAULT(step_order_is_lost)) return;
  steps[b].dependents.push_back(a);
  ++steps[a].num_dependencies;
}

void StepGraph::run_all() {
  const std::vector<std::size_t> order = steps_->order();
  auto& steps = steps_->steps;
  if (frame_.is_sequential()) {
    for (const std::size_t i : order) {
      CallFrame step_frame(frame_);
      steps[i].body.call(steps[i].body.closure, step_frame);
      step_frame.sync();
    }
    return;
  }
  TaskGroup group(frame_);
  std::vector<TaskRef> tasks(steps.size());
  for (const std::size_t i : order) {
    tasks[i] = group.create(frame_, [body = steps[i].body](Frame& frame) { body.call(body.closure, frame); });
  }
  for (const std::size_t i : order) {
    for (const std::size_t dependent : steps[i].dependents) group.depend(frame_, tasks[dependent], tasks[i]);
  }
  // Backwards, so that the first step lies on top of the deque.
  for (std::size_t n = order.size(); n-- > 0;) group.start(frame_, tasks[order[n]]);
  group.wait();
}

}  // namespace pbrt
