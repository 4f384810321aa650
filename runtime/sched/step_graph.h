// SPDX-License-Identifier: MIT
// Steps of one schedule with their dependences. Used by generated code where the
// steps of a transform are not one chain. A thin, light front of the task machinery
// in task.h: each step is a graph task, depend() adds a dependency, run() waits.
// All memory comes from the workers' pools (task_memory.h).
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
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "runtime/sched/task.h"

namespace pbrt {

class StepGraph {
 public:
  explicit StepGraph(Frame& frame) : frame_(frame) {}
  ~StepGraph() {
    if (num_steps_ != 0) drop();
  }
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Adds a step; returns its number, counted from 0. A step starts in run(), never before.
  ///
  /// Pre: run() was not called
  template <class F>
  int add(F&& f) {
    using Closure = StepOf<std::decay_t<F>>;
    static_assert(alignof(Closure) <= 64, "captures of a step need at most the alignment of a cache line");
    const detail::TaskMemory memory = frame_.fiber_->memory->allocate<sizeof(Closure)>();
    Closure* step = nullptr;
    try {
      step = new (memory.address) Closure(std::forward<F>(f));
    } catch (...) {
      release(memory.address, memory.size_class);
      throw;
    }
    step->size_class = memory.size_class;
    return append(*step);
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
    if (num_steps_ != 0) run_all();
  }

 private:
  struct Step;
  struct Edge {
    Step* after;
    Edge* next;
  };
  struct Step {
    void (*call)(Step& step, Frame& frame) = nullptr;
    void (*destroy)(Step& step) = nullptr;
    Edge* dependents = nullptr;
    Step* next_in_order = nullptr;
    TaskRef task;
    int num_open = 0;  ///< dependencies that are not in the order yet
    std::uint8_t size_class = 0;
  };
  template <class F>
  struct StepOf : Step {
    template <class G>
    explicit StepOf(G&& g) : closure(std::forward<G>(g)) {
      call = [](Step& step, Frame& frame) { static_cast<StepOf&>(step).closure(frame); };
      destroy = [](Step& step) { static_cast<StepOf&>(step).~StepOf(); };
    }
    F closure;
  };
  /// Steps by their numbers, so many in each block.
  struct Block {
    static constexpr int kSteps = 62;
    Step* steps[kSteps];
    Block* next = nullptr;
  };

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
