// SPDX-License-Identifier: MIT
// How often the rules ran on one thread, on how many cells, and how long: exact counts, and times of which some are
// estimated. It decides which executions are timed. It reads no clock and keeps no events: the scopes of rules
// (rule_scope.cpp) do.
//
// Cost of recording: a timed execution of a rule takes two readings of the clock and an event, some 100 ns. A meter has
// a budget: one timed execution per kTimingNs. With budget left it times every execution; without, rules that run often
// are mostly only counted, per rule and order of magnitude of its size. So recording costs one or two percent, however
// small the rules; counts and cells are exact, and what runs rarely is always timed. The time of executions that are
// only counted is estimated by those timed before; what is added to their rule is taken from the rule around them, so
// that all rules together have the time of the outermost one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/sched/rule_records.h"

namespace pbrt {

/// Executions of one rule at one order of magnitude of its size.
struct RuleMeasure {
  std::int64_t count = 0;
  std::int64_t cells = 0;
  std::int64_t time_ns = 0;  ///< time of this rule, less that of rules that ran inside it
  std::int64_t num_timed = 0;
};

/// Executions that were only counted.
struct UntimedRules {
  std::int64_t num = 0;
  std::int64_t cells = 0;
};

/// Threads: one, the owner; another one while nothing runs
class RuleMeter {
 public:
  /// `clock_ns` is what a reading of the clock takes.
  explicit RuleMeter(std::int64_t clock_ns) : clock_ns_(clock_ns), rules_(16) {}

  /// The counters in which scopes count without asking the meter.
  [[nodiscard]] RuleCounters& counters() { return counters_; }

  /// Begins an execution. `depth` counts the nested executions, this one included; `outer` is the one around it, or
  /// null. Returns true if the execution is to be timed, and then end() ends it; if not, it has been counted.
  [[nodiscard]] bool begin(const RuleDesc& rule, std::int64_t cells, int depth, RuleTiming* outer);
  /// Ends a timed execution, which took `whole_ns` up to `time_ns`, of which the rules inside took `inner_ns`. Returns
  /// what was only counted since the last timed one of that rule and order of magnitude.
  ///
  /// Pre: settle_counters() was called since anything inside ran
  UntimedRules end(const RuleDesc& rule, std::int64_t cells, std::int64_t whole_ns, std::int64_t inner_ns,
                   std::int64_t time_ns);

  /// Accounts for what the counters have counted inside of `scope`; null: inside of no rule.
  void settle_counters(RuleTiming* scope);

  /// Calls `f(rule, measure)` for each rule and order of magnitude that ran. Pre: the counters are settled.
  template <class F>
  void for_each(const F& f) const {
    for (const RuleSlots& each : rules_) {
      if (each.rule == nullptr) continue;
      for (const Slot& slot : *each.slots)
        if (slot.measure.count != 0 || slot.measure.time_ns != 0) f(*each.rule, slot.measure);
    }
  }
  /// Begins anew.
  void forget();

 private:
  static constexpr int kSizes = 48;  // orders of magnitude, in powers of two
  static constexpr int kMaxDepth = 64;
  static constexpr std::int64_t kTimingNs = 16000;
  static constexpr std::int64_t kMaxSavedNs = 100 * kTimingNs;
  static constexpr std::int64_t kMaxDebtNs = 100 * kTimingNs;
  static constexpr std::int64_t kMaxToSkip = 1023;
  static constexpr double kLearn = 0.125;  // weight of the last execution

  /// What is known of one rule at one order of magnitude of its size.
  struct Slot {
    RuleMeasure measure;
    std::int64_t num_to_skip = 0;  ///< how many of the next executions are only counted
    UntimedRules untimed;          ///< executions only counted since the last event
    double self_ns = 0;            ///< of one execution, by those timed last
    std::int64_t timed_count = 0;  ///< `measure.count` when the last timing ended
    std::int64_t timed_ns = 0;     ///< when the last timing ended; 0: never
  };
  struct RuleSlots {
    const RuleDesc* rule = nullptr;
    std::unique_ptr<std::array<Slot, kSizes>> slots;
  };

  /// Lets a free counter count the next `num` executions of the rule.
  void lend(const RuleDesc& rule, std::int64_t cells, std::int64_t num);
  /// Ends the loan of a counter that was used inside of `scope`; null: inside of none.
  void settle(RuleCounter& counter, RuleTiming* scope);
  /// Accounts for executions inside of `scope` that are not timed.
  static void count_untimed(Slot& slot, std::int64_t num, std::int64_t cells, RuleTiming* scope);
  /// Learns what one execution takes.
  void learn(Slot& slot, std::int64_t self_ns) const;
  /// How many of the next executions to count only, after one that took `whole_ns` has ended.
  [[nodiscard]] std::int64_t plan_skips(Slot& slot, std::int64_t whole_ns, std::int64_t time_ns);
  [[nodiscard]] Slot& slot_of(const RuleDesc& rule, std::int64_t cells);
  [[nodiscard]] Slot& find_slot(const RuleDesc& rule, int size);
  [[nodiscard]] RuleSlots& find(const RuleDesc& rule);
  void grow();

  const std::int64_t clock_ns_;
  std::vector<RuleSlots> rules_;  // by a hash of the rule's address
  std::size_t num_rules_ = 0;
  const RuleDesc* last_rule_ = nullptr;
  int last_size_ = 0;
  Slot* last_slot_ = nullptr;
  RuleCounters counters_;
  std::int64_t saved_ns_ = kMaxSavedNs;  // earned for timings and not spent; below 0: a debt
  std::int64_t timed_ns_ = 0;            // end of the last timing
};

}  // namespace pbrt
