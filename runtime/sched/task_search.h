// SPDX-License-Identifier: MIT
// How a worker without work looks for some: where, how often, how long, when it leaves work to others, and when it
// sleeps. What it does with a task that it found is in worker.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "runtime/sched/frame.h"

namespace pbrt {

class TraceLane;  // trace/trace_lane.h
struct WorkerPool;
struct WorkerSlot;

/// What happened on one worker since it was made.
struct WorkerCounts {
  std::uint64_t num_steals = 0;
  std::uint64_t num_mails = 0;
  std::uint64_t num_parks = 0;
  std::uint64_t num_suspensions = 0;
};

/// What one worker remembers of its searches.
///
/// Threads: the worker's own
class TaskSearch {
 public:
  /// `self` belongs to the worker that searches, the one of number `index` in `pool`. `lane` is null unless it is
  /// traced.
  TaskSearch(WorkerPool& pool, WorkerSlot& self, TraceLane* lane, int index);

  /// Searches until there is a task; null once `done`. Adds to `counts`.
  [[nodiscard]] detail::Task* find(const std::atomic<bool>& done, WorkerCounts& counts);
  /// Notes that a task's body has ended, and whether the task stolen last was tiny.
  void note_finish();

 private:
  /// Goes on searching, for a bounded time, while work may come soon: a fiber waits for a brief wake and nobody else
  /// searches, or another worker is busy.
  detail::Task* search_patiently(const std::atomic<bool>& done, WorkerCounts& counts);
  /// Pauses before the next steals where the last ones brought tiny tasks only.
  void spare_victims();
  /// Takes a task out of the worker's own mailbox, or from another worker: one at random, or any.
  detail::Task* steal_once(bool looks_everywhere, WorkerCounts& counts);
  /// Takes a task out of the mailbox of another worker, unless that worker may come for it: it searches too, or has
  /// work.
  detail::Task* take_mail_of(std::size_t index);
  void pause_for_mail() const;
  [[nodiscard]] std::uint32_t random();

  WorkerPool& pool_;
  WorkerSlot& self_;
  TraceLane* const lane_;
  int passed_mailbox_ = -1;  // mailbox of another worker in which there was something
  int num_passes_ = 0;       // looks at that mailbox since then
  int last_victim_ = -1;     // whose task the last search found
  bool has_stolen_ = false;  // a task was stolen and has not finished
  int num_tiny_steals_ = 0;  // tiny tasks stolen in a row, up to the last one
  std::chrono::steady_clock::time_point steal_time_;
  std::uint64_t random_state_;
};

}  // namespace pbrt
