// SPDX-License-Identifier: MIT
// What a run did, for --trace and --stats: per thread a lane of events and totals. Here it is only recorded;
// runtime/main prints it. Recorded by workers, by the scopes of rules (rule_scope.h) and by runtime/gpu.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/sched/trace/trace_lane.h"

namespace pbrt {

/// Executions of one rule in one version.
struct RuleTotals {
  std::string rule;
  std::string version;
  std::int64_t count = 0;  ///< of pieces where boxes are split
  std::int64_t cells = 0;
  std::int64_t time_ns = 0;    ///< without the rules inside
  std::int64_t num_timed = 0;  ///< of `count`, on the CPU

  /// Whether the time of some executions is estimated from those timed.
  [[nodiscard]] bool is_estimated() const { return num_timed > 0 && num_timed < count; }
};

/// What one run did.
struct RunProfile {
  std::vector<WorkerTimes> workers;
  std::vector<RuleTotals> rules;  ///< those with most time first
};

/// All lanes of a process, and when runs began and ended.
class Trace {
 public:
  /// `keeps_events` is false for --stats alone, which needs totals only.
  explicit Trace(bool keeps_events);

  /// When the trace was made, by trace_clock_ns().
  [[nodiscard]] std::int64_t made_ns() const { return made_ns_; }
  [[nodiscard]] bool keeps_events() const { return keeps_events_; }

  /// The lane of that name; made at its first use. Pre: the thread that wrote it before has ended.
  [[nodiscard]] TraceLane& lane(const std::string& name);
  [[nodiscard]] TraceLane& worker(int index);

  /// Begins a run and forgets the totals. Pre: no other run is active.
  void begin_run(std::string label, int num_workers);
  /// Ends the run. Pre: nothing runs any more.
  RunProfile end_run();

  struct Run {
    std::string label;
    int num_workers = 0;
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;  ///< 0: not over
    RunProfile profile;
  };
  /// Copies of all runs. Threads: any.
  [[nodiscard]] std::vector<Run> runs() const;
  [[nodiscard]] std::vector<const TraceLane*> lanes() const;

 private:
  /// The lane of that name; made if there is none. Pre: mutex_ is held.
  [[nodiscard]] TraceLane& find(const std::string& name);

  static constexpr int kMaxChunks = 1024;  // of all lanes together, beside the first of each: a million events

  const bool keeps_events_;
  const std::int64_t made_ns_;
  const std::int64_t clock_ns_;  // what a reading of the clock takes
  ChunkBudget budget_{kMaxChunks};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<TraceLane>> lanes_;  // under mutex_
  std::vector<Run> runs_;                          // under mutex_
  std::vector<WorkerTimes> at_start_;
};

}  // namespace pbrt
