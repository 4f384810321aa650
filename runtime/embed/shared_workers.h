// SPDX-License-Identifier: MIT
// Workers that contexts share: one group for each number of workers that contexts ask for. Calls on one worker run in
// their callers' threads, side by side; calls on several workers take turns.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/embed/turn.h"
#include "runtime/sched/scheduler.h"

namespace pbrt {

/// Threads: any
class SharedWorkers {
 public:
  /// Errors:  RuntimeError if threads cannot be made
  explicit SharedWorkers(int num_workers);

  /// The turn of calls on all workers together; null if each call has a worker of its own.
  [[nodiscard]] Turn* turn() { return team_ == nullptr ? nullptr : &turn_; }

  /// Workers for one call, which has the turn if there is one.
  class Loan {
   public:
    explicit Loan(SharedWorkers& from) : from_(from), workers_(from.take()) {}
    ~Loan() { from_.give(std::move(workers_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    [[nodiscard]] Scheduler& workers() { return *workers_; }

   private:
    SharedWorkers& from_;
    std::shared_ptr<Scheduler> workers_;
  };

 private:
  [[nodiscard]] std::shared_ptr<Scheduler> take();
  void give(std::shared_ptr<Scheduler> workers);

  /// Workers that all calls share, whose runs take turns; null if each call has one worker.
  std::shared_ptr<Scheduler> team_;
  Turn turn_;
  std::mutex lock_;
  std::vector<std::shared_ptr<Scheduler>> idle_;  // under lock_: single workers that no call uses
};

}  // namespace pbrt
