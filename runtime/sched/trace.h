// SPDX-License-Identifier: MIT
// What a run did, for --trace and --stats: per thread a lane of events and totals. Here it is only recorded;
// runtime/main prints it. Recorded by workers, by the scopes of rules (rule_scope.h) and by runtime/gpu.
//
// A lane has one writer, its thread, and takes no lock. Its events lie in chunks that are never moved: a reader, on any
// thread and at any time (also after Ctrl-C), follows the chunks and sees what was published.
//
// Cost of recording: a timed execution of a rule takes two readings of the clock and an event, some 100 ns. A lane
// earns as many of them as it may make by time alone: one in kTimingNs. While it has earned enough it times every
// execution; in debt it times a rule the more rarely the more often the rule runs, and only counts it in between, per
// rule and order of magnitude of its size. So recording costs one or two percent, however small the rules; counts and
// cells are exact, and what runs rarely is always timed. The time of executions that are only counted is estimated by
// those timed before; what is added to their rule is taken from the rule around them, so that all rules together have
// the time of the outermost one.
//
// Proof: publication. add() writes the event, then `count` with release; for_each() reads `count` with acquire and then
// only events below it. A new chunk is published by its predecessor's `next` likewise, once that one is full; a reader
// reads `next` first, so that it misses nothing in between. Chunks live as long as the lane.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/sched/rule_scope.h"

namespace pbrt {

class Trace;

enum class TraceKind : std::uint8_t {
  Rule,        ///< an execution of a rule, or a part of one; amount: cells
  Work,        ///< a worker, from finding a task to looking for the next
  Steal,       ///< a search that ended with another worker's task; amount: whose
  Mail,        ///< a search that ended with a task from a mailbox
  Search,      ///< a search that found nothing
  Park,        ///< asleep
  Management,  ///< a task of a device's management thread; amount: bytes it enqueued
  Kernel,      ///< on the device; amount: work-items
  CopyIn,      ///< to the device; amount: bytes
  CopyOut,     ///< from the device; amount: bytes
};

struct TraceEvent {
  TraceKind kind = TraceKind::Rule;
  bool is_resumed = false;    ///< not the first part of an execution
  bool is_suspended = false;  ///< not the last part
  const char* name = nullptr;
  const char* version = nullptr;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t amount = 0;
  // Rule: executions that were only counted since the event before of that rule and order of magnitude.
  std::int64_t num_untimed = 0;
  std::int64_t untimed_cells = 0;
};

/// What a worker was doing, in nanoseconds.
struct WorkerTimes {
  std::int64_t busy_ns = 0;
  std::int64_t search_ns = 0;
  std::int64_t idle_ns = 0;
  std::int64_t num_steals = 0;
};

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

class TraceLane {
 public:
  enum class State : std::uint8_t { Outside, Busy, Searching, Parked };

  TraceLane(Trace& trace, std::string name, int number);
  ~TraceLane();
  TraceLane(const TraceLane&) = delete;
  TraceLane& operator=(const TraceLane&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] RuleCounters& counters() { return counters_; }

  // Owner thread only.
  void add(const TraceEvent& event);
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
  void resume(detail::FiberHead& fiber);

  // Any thread.
  template <class F>
  void for_each(const F& f) const {
    const Chunk* next = nullptr;
    for (const Chunk* chunk = &first_; chunk != nullptr; chunk = next) {
      // `next` is read before the count: a chunk that has a successor is full.
      next = chunk->next.load(std::memory_order_acquire);
      const std::uint32_t count = chunk->count.load(std::memory_order_acquire);
      for (std::uint32_t i = 0; i < count; ++i) f(chunk->events[i]);
    }
  }
  [[nodiscard]] std::int64_t num_dropped() const { return num_dropped_.load(std::memory_order_relaxed); }
  /// What the owner is doing, and since when.
  struct Now {
    State state;
    std::int64_t since_ns;
  };
  [[nodiscard]] Now state() const;
  /// What the owner did up to `time_ns`.
  [[nodiscard]] WorkerTimes times(std::int64_t time_ns) const;

 private:
  friend class RuleScope;
  friend class Trace;

  static constexpr std::uint32_t kChunkEvents = 1024;
  static constexpr int kSizes = 48;  // orders of magnitude, in powers of two
  static constexpr int kMaxDepth = 64;
  static constexpr std::int64_t kTimingNs = 16000;
  static constexpr std::int64_t kMaxSavedNs = 100 * kTimingNs;
  static constexpr std::int64_t kMaxDebtNs = 100 * kTimingNs;
  static constexpr std::int64_t kMaxToSkip = 1023;
  static constexpr double kLearn = 0.125;  // weight of the last execution

  struct Chunk {
    std::atomic<std::uint32_t> count{0};
    std::atomic<Chunk*> next{nullptr};
    std::array<TraceEvent, kChunkEvents> events;
  };
  /// What is known of one rule at one order of magnitude of its size.
  struct Slot {
    std::int64_t count = 0;
    std::int64_t cells = 0;
    std::int64_t time_ns = 0;
    std::int64_t num_to_skip = 0;  ///< how many of the next executions are only counted
    std::int64_t num_untimed = 0;  ///< since the last event
    std::int64_t untimed_cells = 0;
    std::int64_t num_timed = 0;
    double self_ns = 0;            ///< of one execution, by those timed last
    std::int64_t timed_count = 0;  ///< `count` when the last timing ended,
    std::int64_t timed_ns = 0;     ///< and when that was; 0: there was none
  };
  struct RuleSlots {
    const RuleDesc* rule = nullptr;
    std::unique_ptr<std::array<Slot, kSizes>> slots;
  };

  /// Adds an event for what has been under way since since_ns_.
  void add_until(std::int64_t time_ns, TraceKind kind, const char* name);
  void enter(State state, std::int64_t time_ns);
  /// Lets a free counter count the next `num` executions of the rule.
  void lend(const RuleDesc& rule, std::int64_t cells, std::int64_t num);
  /// Ends the loan of a counter that was used inside of `scope`; null: inside of none.
  void settle(RuleCounter& counter, RuleScope* scope);
  /// Ends the loans of all counters, as settle does.
  void settle_counters(RuleScope* scope);
  /// Accounts for executions inside of `scope` that are not timed.
  static void count_untimed(Slot& slot, std::int64_t num, std::int64_t cells, RuleScope* scope);
  /// Learns what one execution takes.
  void learn(Slot& slot, std::int64_t self_ns);
  /// How many of the next executions to count only, after one that took `whole_ns` has ended.
  [[nodiscard]] std::int64_t plan_skips(Slot& slot, std::int64_t whole_ns, std::int64_t time_ns);
  [[nodiscard]] Slot& slot_of(const RuleDesc& rule, std::int64_t cells);
  [[nodiscard]] Slot& find_slot(const RuleDesc& rule, int size);
  [[nodiscard]] RuleSlots& find(const RuleDesc& rule);
  void grow();
  void forget_rules();

  Trace& trace_;
  std::string name_;
  int number_;
  std::int64_t since_ns_ = 0;  // when what is under way began: work, a search, a sleep

  Chunk first_;
  Chunk* last_ = &first_;
  std::atomic<std::int64_t> num_dropped_{0};
  /// The slots by a hash of the rule's address. Only the owner uses them, others while no run is active.
  std::vector<RuleSlots> rules_;
  std::size_t num_rules_ = 0;
  const RuleDesc* last_rule_ = nullptr;
  int last_size_ = 0;
  Slot* last_slot_ = nullptr;
  RuleCounters counters_;
  std::int64_t saved_ns_ = kMaxSavedNs;  // earned for timings and not spent; below 0: a debt
  std::int64_t timed_ns_ = 0;            // end of the last timing

  // The sequence of a sequence lock: odd while the owner changes the fields below.
  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<State> state_{State::Outside};
  std::atomic<std::int64_t> state_since_ns_{0};
  std::array<std::atomic<std::int64_t>, 4> state_ns_{};
  std::atomic<std::int64_t> num_steals_{0};
};

/// All lanes of a process, and when runs began and ended.
class Trace {
 public:
  /// `keeps_events` is false for --stats alone, which needs totals only.
  explicit Trace(bool keeps_events);

  /// Nanoseconds of the process's steady clock.
  [[nodiscard]] static std::int64_t now_ns();
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
  friend class TraceLane;

  /// The lane of that name; made if there is none. Pre: mutex_ is held.
  [[nodiscard]] TraceLane& find(const std::string& name);

  static constexpr int kMaxChunks = 1024;  // of all lanes together: a million events

  const bool keeps_events_;
  const std::int64_t made_ns_;
  const std::int64_t clock_ns_;  // what a reading of the clock takes
  std::atomic<int> num_chunks_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<TraceLane>> lanes_;  // under mutex_
  std::vector<Run> runs_;                          // under mutex_
  std::vector<WorkerTimes> at_start_;
};

}  // namespace pbrt
