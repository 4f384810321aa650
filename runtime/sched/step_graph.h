// SPDX-License-Identifier: MIT
// Steps of one schedule with their dependences. Used by generated code where the
// steps of a transform are not one chain. A thin, light front of the task machinery
// in graph/task.h: each step is a graph task, depend() adds a dependency, run() waits.
// All memory comes from the workers' pools (task_memory.h).
//
//   StepGraph g(frame);
//   const auto first = [&](Frame& f) { … };
//   const auto second = [&](Frame& f) { … };
//   int a = g.add(first);
//   int b = g.add(second);
//   g.depend(b, a);                        // b runs after a
//   g.run();
//
// The graph refers to the closures of its steps, which live until run() is over. Where steps are added in an order that
// keeps the dependences, add_in_order() runs them at once in a sequential frame, and there is no graph at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/sched/graph/task.h"

namespace pbrt {

class StepGraph {
 public:
  explicit StepGraph(Frame& frame) : frame_(frame) {}
  ~StepGraph() {
    if (num_steps_ != 0) drop();
  }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Adds the step `f(Frame&)`; returns its number, counted from 0. A step starts in run(), never before.
  ///
  /// Pre: run() was not called; `f` lives until it is over
  template <class F>
  int add(const F& f) {
    return add(&run_closure<F>, std::addressof(f));
  }
  template <class F>
  int add(const F&&) = delete;

  /// Adds the step `f(Frame&)` and returns its number. In a sequential frame the step runs here and now instead, and
  /// the result is -1.
  ///
  /// Pre:     what the step depends on was added before
  /// Errors:  in a sequential frame those of the step
  template <class F>
  int add_in_order(const F& f) {
    return add_in_order(&run_closure<F>, std::addressof(f));
  }
  template <class F>
  int add_in_order(const F&&) = delete;

  /// Makes step `after` wait for step `before`. Naming the same pair twice is harmless, and so are one step twice and
  /// -1, which stands for a step that does not run or has run.
  ///
  /// Pre: both are -1 or numbers that add() returned; the graph stays without cycles; run() was not called
  void depend(int after, int before) {
    if (after >= 0 && before >= 0 && after != before) add_edge(after, before);
  }

  /// Runs all steps in an order that keeps the dependences, in parallel where they allow it.
  ///
  /// Post:    every step is complete
  /// Errors:  rethrows the first exception of a step; steps not yet started then are dropped
  void run() {
    if (num_steps_ != 0) run_all();
  }

 private:
  struct Step;
  struct Edge {
    Step* after;
    Edge* next;
  };
  /// Runs the closure of a step.
  using Call = void (*)(const void* closure, Frame& frame);
  template <class F>
  static void run_closure(const void* closure, Frame& frame) {
    (*static_cast<const F*>(closure))(frame);
  }
  struct Step {
    Call call = nullptr;
    const void* closure = nullptr;
    Edge* dependents = nullptr;
    Step* next_in_order = nullptr;
    TaskRef task;
    int num_open = 0;  ///< dependencies that are not in the order yet
  };
  /// Steps by their numbers, so many in each block.
  struct Block {
    static constexpr int kSteps = 62;
    Step* steps[kSteps];
    Block* next = nullptr;
  };

  int add(Call call, const void* closure);
  int add_in_order(Call call, const void* closure);
  int append(Step& step);
  void add_edge(int after, int before);
  void run_all();
  void drop();
  [[nodiscard]] Step& step(int number) const;
  void release(void* address, std::uint8_t size_class) { frame_.fiber_->memory->release(address, size_class); }
  /// Links the steps in an order that keeps all dependences; returns the first.
  [[nodiscard]] Step* order();

  Frame& frame_;
  int num_steps_ = 0;
  Block* first_block_ = nullptr;
  Block* last_block_ = nullptr;
};

}  // namespace pbrt
