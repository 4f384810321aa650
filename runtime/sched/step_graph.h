// SPDX-License-Identifier: MIT
// Steps of one schedule with their dependences. Used by generated code where the
// steps of a transform are not one chain. A thin, light front of the task machinery
// in task.h: each step is a graph task, depend() adds a dependency, run() waits.
//
//   StepGraph g(frame);
//   int a = g.add([&](Frame& f) { … });
//   int b = g.add([&](Frame& f) { … });
//   g.depend(b, a);                        // b runs after a
//   g.run();
//
// Where steps are added in an order that keeps the dependences, add_in_order() runs them at once in a sequential frame, and
// there is no graph at all.
#pragma once

#include <cstddef>

#include "runtime/sched/frame.h"

namespace pbrt {

class StepGraph {
 public:
  explicit StepGraph(Frame& frame) : frame_(frame) {}
  ~StepGraph() {
    if (steps_ != nullptr) drop();
  }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Adds a step; returns its number, counted from 0. A step starts in run(), never before.
  ///
  /// Pre: run() was not called
  template <class F>
  int add(F&& f) {
    using Step = std::decay_t<F>;
    return add_erased(Body{[](void* closure, Frame& frame) { (*static_cast<Step*>(closure))(frame); },
                           [](void* closure) { delete static_cast<Step*>(closure); }, new Step(std::forward<F>(f))});
  }

  /// The same; in a sequential frame the step runs here and now, and the result is -1.
  ///
  /// Pre:     what the step depends on was added before
  /// Errors:  in a sequential frame those of the step
  template <class F>
  int add_in_order(F&& f) {
    if (!frame_.is_sequential()) return add(std::forward<F>(f));
    f(frame_);
    return -1;
  }

  /// Makes step `after` wait for step `before`. Naming the same pair twice is harmless, and so are one step twice and -1,
  /// which stands for a step that does not run or has run.
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
    if (steps_ != nullptr) run_all();
  }

 private:
  struct Body {
    void (*call)(void* closure, Frame& frame);
    void (*destroy)(void* closure);
    void* closure;
  };
  struct Steps;

  int add_erased(Body body);
  void add_edge(int after, int before);
  void run_all();
  void drop();

  Frame& frame_;
  Steps* steps_ = nullptr;  ///< owned; none before the first is added
};

}  // namespace pbrt
