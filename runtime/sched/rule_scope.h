// SPDX-License-Identifier: MIT
// What generated code says of itself for --trace and --stats: which rule runs, on how many cells. Not
// the recording itself, which is in trace/. Light: every program includes it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/sched/frame.h"
#include "runtime/sched/rule_records.h"

namespace pbrt {

/// Stands for one execution of a rule, or of a piece of its box, while it lives: on the stack of the fiber that runs
/// it. When the fiber is suspended the execution is in two parts, which may be on two workers.
///
/// Cost: two branches unless the run is traced; some more where the execution is only counted
class RuleScope {
 public:
  /// A null rule is not recorded.
  RuleScope(Frame& frame, const RuleDesc* rule, std::int64_t cells) {
    RuleCounters* const counters = frame.fiber_->counters;
    if (counters != nullptr && rule != nullptr && !is_only_counted(*counters, *rule, cells)) [[unlikely]]
      begin(frame, *rule, cells);
  }
  RuleScope(Frame& frame, const RuleDesc& rule, std::int64_t cells) : RuleScope(frame, &rule, cells) {}
  /// `count` finds out how many cells there are; a run that is not traced does not ask.
  template <class Count>
  requires std::is_invocable_r_v<std::int64_t, const Count&> RuleScope(Frame& frame, const RuleDesc& rule,
                                                                       const Count& count) {
    RuleCounters* const counters = frame.fiber_->counters;
    if (counters == nullptr) [[likely]]
      return;
    const std::int64_t cells = count();
    if (!is_only_counted(*counters, rule, cells)) begin(frame, rule, cells);
  }
  ~RuleScope() {
    if (fiber_ != nullptr) [[unlikely]]
      end();
  }
  RuleScope(const RuleScope&) = delete;
  RuleScope& operator=(const RuleScope&) = delete;

 private:
  /// Whether this execution is only counted; if so, counts it.
  static bool is_only_counted(RuleCounters& counters, const RuleDesc& rule, std::int64_t cells) {
    RuleCounter& counter = counters.of(rule);
    return counter.rule == &rule && counter.cells == cells && --counter.num_left >= 0;
  }
  void begin(Frame& frame, const RuleDesc& rule, std::int64_t cells);
  void end();

  /// The fiber that runs the execution if it is timed, else null. Only begin() sets `timing_`, so it has no values
  /// while this is null: setting them in every execution would cost more than its branches.
  detail::FiberHead* fiber_ = nullptr;
  RuleTiming timing_;
};

}  // namespace pbrt
