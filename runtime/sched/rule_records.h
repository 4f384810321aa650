// SPDX-License-Identifier: MIT
// What is kept of executions of rules for --trace and --stats, while they run and when they are only counted. Scopes
// (rule_scope.h) make these records, trace/ reads them. Light: every program includes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pbrt {

class RuleMeter;  // trace/rule_meter.h

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

/// An execution of a rule that is timed. When its fiber is suspended the execution is in two parts, which may be on two
/// workers.
struct RuleTiming {
  RuleTiming* outer;
  const RuleDesc* rule;
  std::int64_t cells;
  std::int64_t start_ns;   ///< of the part that runs now
  std::int64_t before_ns;  ///< time of the parts that have ended
  std::int64_t inner_ns;   ///< time of the executions inside
  int depth;
  bool is_resumed;
};

}  // namespace pbrt
