// SPDX-License-Identifier: MIT
#include "runtime/sched/rule_scope.h"

#include "runtime/sched/trace/trace_lane.h"
#include "runtime/sched/worker.h"

namespace pbrt {

void RuleScope::begin(Frame& frame, const RuleDesc& rule, std::int64_t cells) {
  detail::FiberHead& fiber = *frame.fiber_;
  const int depth = fiber.timing == nullptr ? 1 : fiber.timing->depth + 1;
  if (!fiber.worker->lane()->rules().begin(rule, cells, depth, fiber.timing)) return;
  fiber_ = &fiber;
  timing_ = {fiber.timing, &rule, cells, 0, 0, 0, depth, false};
  fiber.timing = &timing_;
  timing_.start_ns = trace_clock_ns();
}

void RuleScope::end() {
  const std::int64_t now = trace_clock_ns();
  TraceLane& lane = *fiber_->worker->lane();
  lane.rules().settle_counters(&timing_);
  fiber_->timing = timing_.outer;
  const std::int64_t whole_ns = timing_.before_ns + now - timing_.start_ns;
  if (timing_.outer != nullptr) timing_.outer->inner_ns += whole_ns;
  const UntimedRules untimed = lane.rules().end(*timing_.rule, timing_.cells, whole_ns, timing_.inner_ns, now);
  lane.add({TraceKind::Rule, timing_.is_resumed, false, timing_.rule->name, timing_.rule->version, timing_.start_ns,
            now, timing_.cells, untimed.num, untimed.cells});
}

}  // namespace pbrt
