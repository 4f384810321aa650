// SPDX-License-Identifier: MIT
// What generated code says of itself for --trace and --stats: which rule runs, on how many cells. Not
// the recording itself, which is in trace/. Light: every program includes it.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "runtime/sched/frame.h"

namespace pbrt {

class RuleMeter;  // trace/rule_meter.h
class TraceLane;  // trace/trace_lane.h

/// A rule in one of its versions; constant data with static life, told apart by its address.
struct RuleDesc {
  const char* name = nullptr;     ///< `Convolve2D.Out#1`
  const char* version = nullptr;  ///< `cpu`, `opencl`, `opencl_local`
};

/// Executions of one rule, on `cells` cells each, that are only counted. A RuleMeter lends it, fills it and settles it.
struct RuleCounter {
  const RuleDesc* rule = nullptr;
  std::int64_t cells = 0;
  std::int64_t num_left = 0;  ///< of num_lent; below 0 for none
  std::int64_t num_lent = 0;
};

/// The counters of a worker, by the rule's address. The thread of the worker alone uses them while a run is active.
class RuleCounters {
 public:
  /// The one place where `rule` may have a counter; another rule may have the place now.
  [[nodiscard]] RuleCounter& of(const RuleDesc& rule) { return counters_[index_of(rule)]; }
  [[nodiscard]] static std::size_t index_of(const RuleDesc& rule) {
    return reinterpret_cast<std::uintptr_t>(&rule) / sizeof(RuleDesc) % kNum;
  }

 private:
  friend class RuleMeter;

  std::uint64_t used_ = 0;  ///< a bit for each that is lent
  static constexpr std::size_t kNum = 64;
  std::array<RuleCounter, kNum> counters_;
};

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
  friend class RuleMeter;
  friend class TraceLane;

  /// Whether this execution is only counted; if so, counts it.
  static bool is_only_counted(RuleCounters& counters, const RuleDesc& rule, std::int64_t cells) {
    RuleCounter& counter = counters.of(rule);
    return counter.rule == &rule && counter.cells == cells && --counter.num_left >= 0;
  }
  void begin(Frame& frame, const RuleDesc& rule, std::int64_t cells);
  void end();

  /// The fiber that runs the execution if it is timed, else null. Only begin() sets the other fields, so they have no
  /// values while this is null: setting them in every execution would cost more than its branches.
  detail::FiberHead* fiber_ = nullptr;
  RuleScope* outer_;
  const RuleDesc* rule_;
  std::int64_t cells_;
  std::int64_t start_ns_;   // of the part that runs now
  std::int64_t before_ns_;  // time of the parts that have ended
  std::int64_t inner_ns_;   // time of the scopes inside
  int depth_;
  bool is_resumed_;
};

}  // namespace pbrt
