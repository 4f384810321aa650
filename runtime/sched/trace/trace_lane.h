// SPDX-License-Identifier: MIT
// What one thread did: its events, its rules, and, where it is a worker, its states. A lane has one writer, its thread,
// and takes no lock.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/sched/frame.h"
#include "runtime/sched/trace/event_log.h"
#include "runtime/sched/trace/rule_meter.h"
#include "runtime/sched/trace/worker_clock.h"

namespace pbrt {

/// Nanoseconds of the process's steady clock, by which all that is traced is timed.
[[nodiscard]] std::int64_t trace_clock_ns();

class TraceLane {
 public:
  /// `budget` as for EventLog, `clock_ns` as for RuleMeter.
  TraceLane(std::string name, int number, ChunkBudget* budget, std::int64_t clock_ns);
  TraceLane(const TraceLane&) = delete;
  TraceLane& operator=(const TraceLane&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int number() const { return number_; }

  // Readers on any thread.
  [[nodiscard]] const EventLog& events() const { return events_; }
  [[nodiscard]] const WorkerClock& clock() const { return clock_; }

  // Owner thread only; others while no run is active.
  [[nodiscard]] RuleMeter& rules() { return rules_; }

  // Owner thread only.
  void add(const TraceEvent& event) { events_.add(event); }
  /// Counts the lane as idle from now on. Called before the owner starts.
  void await_owner();
  /// Begins or ends what worker 0 does in a run.
  void begin_work();
  void end_work();
  void begin_search();
  /// Ends a search. `victim` is the worker whose task it found; -1 if it found none, or one in a mailbox.
  void end_search(bool has_found, int victim);
  void begin_park();
  void end_park();
  /// Ends the open parts of the fiber's scopes, which leaves this lane.
  void suspend(detail::FiberHead& fiber);
  /// Begins new parts of the fiber's open scopes on this lane.
  static void resume(detail::FiberHead& fiber);

 private:
  /// Adds an event for what has been under way since since_ns_.
  void add_until(std::int64_t time_ns, TraceKind kind, const char* name);

  const std::string name_;
  const int number_;
  std::int64_t since_ns_ = 0;  // when what is under way began: work, a search, a sleep
  EventLog events_;
  RuleMeter rules_;
  WorkerClock clock_;
};

}  // namespace pbrt
