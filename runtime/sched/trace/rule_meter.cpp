// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/rule_meter.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace pbrt {

bool RuleMeter::begin(const RuleDesc& rule, std::int64_t cells, int depth, RuleTiming* outer) {
  settle(counters_.of(rule), outer);
  Slot& slot = slot_of(rule, cells);
  if (slot.num_to_skip > 0 || depth > kMaxDepth) {
    count_untimed(slot, 1, cells, outer);
    if (slot.num_to_skip > 0) --slot.num_to_skip;
    lend(rule, cells, slot.num_to_skip);
    return false;
  }
  settle_counters(outer);
  ++slot.measure.count;
  slot.measure.cells += cells;
  ++slot.measure.num_timed;
  return true;
}

UntimedRules RuleMeter::end(const RuleDesc& rule, std::int64_t cells, std::int64_t whole_ns, std::int64_t inner_ns,
                            std::int64_t time_ns) {
  Slot& slot = slot_of(rule, cells);
  slot.measure.time_ns += whole_ns - inner_ns;
  learn(slot, whole_ns - inner_ns);
  slot.num_to_skip = plan_skips(slot, whole_ns, time_ns);
  return std::exchange(slot.untimed, {});
}

RuleMeter::RuleSlots& RuleMeter::find(const RuleDesc& rule) {
  const std::size_t mask = rules_.size() - 1;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(&rule) / sizeof(RuleDesc)) & mask;
  while (rules_[at].rule != nullptr && rules_[at].rule != &rule) at = (at + 1) & mask;
  return rules_[at];
}

void RuleMeter::grow() {
  std::vector<RuleSlots> old(rules_.size() * 2);
  old.swap(rules_);
  for (RuleSlots& each : old)
    if (each.rule != nullptr) find(*each.rule) = std::move(each);
}

RuleMeter::Slot& RuleMeter::slot_of(const RuleDesc& rule, std::int64_t cells) {
  const auto size = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(0, cells))));
  // The slot found last is kept, because small executions of one rule often follow each other.
  if (&rule != last_rule_ || size != last_size_) {
    last_slot_ = &find_slot(rule, std::min(size, kSizes - 1));
    last_rule_ = &rule;
    last_size_ = size;
  }
  return *last_slot_;
}

RuleMeter::Slot& RuleMeter::find_slot(const RuleDesc& rule, int size) {
  RuleSlots* found = &find(rule);
  if (found->rule == nullptr) {
    if (2 * ++num_rules_ > rules_.size()) {
      grow();
      found = &find(rule);
    }
    found->rule = &rule;
    found->slots = std::make_unique<std::array<Slot, kSizes>>();
  }
  return (*found->slots)[static_cast<std::size_t>(size)];
}

void RuleMeter::lend(const RuleDesc& rule, std::int64_t cells, std::int64_t num) {
  counters_.of(rule) = {&rule, cells, num, num};
  counters_.used_ |= std::uint64_t{1} << RuleCounters::index_of(rule);
}

void RuleMeter::settle(RuleCounter& counter, RuleTiming* scope) {
  if (counter.rule == nullptr) return;
  Slot& slot = slot_of(*counter.rule, counter.cells);
  const std::int64_t num = counter.num_lent - std::max<std::int64_t>(0, counter.num_left);
  count_untimed(slot, num, num * counter.cells, scope);
  slot.num_to_skip -= num;
  counters_.used_ &= ~(std::uint64_t{1} << RuleCounters::index_of(*counter.rule));
  counter = {};
}

void RuleMeter::settle_counters(RuleTiming* scope) {
  while (counters_.used_ != 0)
    settle(counters_.counters_[static_cast<std::size_t>(std::countr_zero(counters_.used_))], scope);
}

void RuleMeter::count_untimed(Slot& slot, std::int64_t num, std::int64_t cells, RuleTiming* scope) {
  slot.measure.count += num;
  slot.measure.cells += cells;
  slot.untimed.num += num;
  slot.untimed.cells += cells;
  const auto time_ns = static_cast<std::int64_t>(slot.self_ns * static_cast<double>(num));
  slot.measure.time_ns += time_ns;
  if (scope != nullptr) scope->inner_ns += time_ns;
}

void RuleMeter::learn(Slot& slot, std::int64_t self_ns) const {
  const auto without_clock = static_cast<double>(std::max<std::int64_t>(0, self_ns - clock_ns_));
  slot.self_ns += (without_clock - slot.self_ns) * (slot.timed_ns == 0 ? 1 : kLearn);
}

std::int64_t RuleMeter::plan_skips(Slot& slot, std::int64_t whole_ns, std::int64_t time_ns) {
  saved_ns_ = std::min(saved_ns_ + time_ns - timed_ns_, kMaxSavedNs) - kTimingNs;
  saved_ns_ = std::max(saved_ns_, -kMaxDebtNs);
  timed_ns_ = time_ns;
  // The time from one execution to the next is an average since the last timing.
  const std::int64_t num = std::max<std::int64_t>(1, slot.measure.count - slot.timed_count);
  const std::int64_t interval_ns = slot.timed_ns == 0 ? whole_ns : (time_ns - slot.timed_ns) / num;
  slot.timed_count = slot.measure.count;
  slot.timed_ns = time_ns;
  if (saved_ns_ >= 0) return 0;
  return std::min((kTimingNs - saved_ns_) / std::max<std::int64_t>(1, interval_ns), kMaxToSkip);
}

void RuleMeter::forget() {
  counters_ = {};
  for (RuleSlots& each : rules_)
    if (each.rule != nullptr)
      for (Slot& slot : *each.slots) slot = {};
}

}  // namespace pbrt
