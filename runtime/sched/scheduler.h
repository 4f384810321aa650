// SPDX-License-Identifier: MIT
// The scheduler: a fixed number of workers that run one root body after another. Used by the
// program's main and by tests; generated code sees frames only. The thread that calls run() is
// worker 0 for that time, the others are threads of the scheduler, asleep between runs. Another
// number of workers means another Scheduler.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "runtime/sched/frame.h"
#include "runtime/sched/worker.h"
#include "runtime/sched/worker_pool.h"

namespace pbrt {

class Trace;  // trace/trace.h

class Scheduler {
 public:
  /// Pre:    num_workers >= 1
  /// Errors: std::system_error if threads cannot be made
  /// `trace` gets a lane per worker; it may be null, and it outlives the scheduler.
  explicit Scheduler(int num_workers, Trace* trace = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs `root(Frame&)` and all that it spawns, and waits for it.
  ///
  /// Errors:  rethrows what the root lets out; RunAborted if the run was aborted
  /// Threads: any but the scheduler's own workers; runs from several threads take turns
  /// Cost:    no thread switch with one worker; otherwise sleeping workers wake when there is something to steal
  template <class F>
  void run(RunState& state, F&& root) {
    using Root = std::remove_reference_t<F>;
    run_erased(
        state, [](void* closure, Frame& frame) { (*static_cast<Root*>(closure))(frame); },
        const_cast<void*>(static_cast<const void*>(&root)));
  }
  template <class F>
  void run(F&& root) {
    RunState state;
    run(state, std::forward<F>(root));
  }

  /// Drops the run that is active, if any: run() throws RunAborted soon. Threads: any.
  void abort();

  /// Wakes all sleeping workers and waits until their threads run, at most a millisecond: a run that is timed then does
  /// not measure how long threads take to wake. They look for work for some time, then they sleep again.
  ///
  /// Threads: any but the scheduler's own workers
  void rouse();

  [[nodiscard]] int num_workers() const { return static_cast<int>(workers_.size()); }
  /// The counts, summed over the workers. Pre: no run is active.
  [[nodiscard]] WorkerCounts counts() const;

 private:
  void stop();
  void set_active_run(RunState* run);
  void run_erased(RunState& state, void (*call)(void*, Frame&), void* closure);

  WorkerPool pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> stop_{false};
  std::mutex run_lock_;
  std::mutex abort_lock_;
  RunState* active_run_ = nullptr;  // under abort_lock_
  std::vector<std::thread> threads_;
};

}  // namespace pbrt
