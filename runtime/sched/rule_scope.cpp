// SPDX-License-Identifier: MIT
#include "runtime/sched/rule_scope.h"

#include "runtime/sched/trace/trace_lane.h"
#include "runtime/sched/worker.h"

namespace pbrt {

void RuleScope::begin(Frame& frame, const RuleDesc& rule, std::int64_t cells) {
  detail::FiberHead& fiber = *frame.fiber_;
  const int depth = fiber.scope == nullptr ? 1 : fiber.scope->depth_ + 1;
  if (!fiber.worker->lane()->rules().begin(rule, cells, depth, fiber.scope)) return;
  fiber_ = &fiber;
  rule_ = &rule;
  cells_ = cells;
  before_ns_ = 0;
  inner_ns_ = 0;
  depth_ = depth;
  is_resumed_ = false;
  outer_ = fiber.scope;
  fiber.scope = this;
  start_ns_ = trace_clock_ns();
}

void RuleScope::end() {
  const std::int64_t now = trace_clock_ns();
  TraceLane& lane = *fiber_->worker->lane();
  lane.rules().settle_counters(this);
  fiber_->scope = outer_;
  const std::int64_t whole_ns = before_ns_ + now - start_ns_;
  if (outer_ != nullptr) outer_->inner_ns_ += whole_ns;
  const UntimedRules untimed = lane.rules().end(*rule_, cells_, whole_ns, inner_ns_, now);
  lane.add({TraceKind::Rule, is_resumed_, false, rule_->name, rule_->version, start_ns_, now, cells_, untimed.num,
            untimed.cells});
}

}  // namespace pbrt
