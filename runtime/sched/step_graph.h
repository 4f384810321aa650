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
#pragma once

#include <cstddef>

#include "runtime/sched/frame.h"

namespace pbrt {

class StepGraph {
 public:
  explicit StepGraph(Frame& frame);
  ~StepGraph();
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

  /// Makes step `after` wait for step `before`. Naming the same pair twice is harmless.
  ///
  /// Pre: both are numbers that add() returned; the graph stays without cycles; run() was not called
  void depend(int after, int before);

  /// Runs all steps in an order that keeps the dependences, in parallel where they allow it.
  ///
  /// Post:    every step is complete
  /// Errors:  rethrows the first exception of a step; steps not yet started then are dropped
  void run();

 private:
  struct Body {
    void (*call)(void* closure, Frame& frame);
    void (*destroy)(void* closure);
    void* closure;
  };
  struct Steps;

  int add_erased(Body body);

  Frame& frame_;
  Steps* steps_;
};

}  // namespace pbrt
