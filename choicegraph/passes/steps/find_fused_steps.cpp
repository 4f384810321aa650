// SPDX-License-Identifier: MIT
#include "choicegraph/passes/steps/find_fused_steps.h"

#include <algorithm>
#include <cstdlib>

#include "lang/region/affine.h"

namespace pb::choices {
namespace {

/// Limits of fusion: the number of groups of one transform, and of steps in a group. Loops beyond these limits stay
/// separate.
constexpr std::size_t kMaxGroups = 8;
constexpr std::size_t kMaxSteps = 16;
/// The boxes of fused steps begin and end at most this far apart.
constexpr std::int64_t kMaxShift = 8;

/// Whether the instances are values of single cells, without calls and tests.
bool is_plain(const Rule& rule) {
  const auto is_tested = [](const RegionAccess& input) { return input.may_be_outside() || !input.tested_dims.empty(); };
  return rule.is_return_form && !rule.is_dynamic && rule.tried.empty() && rule.calls.empty() &&
         rule.temporaries.empty() && rule.outputs[0].kind == AccessKind::Cell && !rule.outputs[0].is_slice &&
         std::none_of(rule.inputs.begin(), rule.inputs.end(), is_tested);
}

/// Whether the step may be fused with others like it: along its innermost loop it writes every second cell of a row, or
/// fewer.
bool writes_some_of_rows(const TransformPlan& plan, const Transform& transform, StepId id) {
  const Step& step = plan.steps[id];
  const auto has_it = [&](const Nest& nest) { return has_member(nest, id); };
  if (!step.is_data_parallel || step.loops.empty() || !is_box(step) || !step.left_to_others.empty()) return false;
  if (std::any_of(plan.nests.begin(), plan.nests.end(), has_it) || !is_plain(transform.rules[step.rule])) return false;
  const auto along = coefficient_of(transform.rules[step.rule].outputs[0].lo[0], step.loops.back().var);
  return along && *along > 1;
}

bool is_near(const IndexExpr& a, const IndexExpr& b) {
  const IndexExpr shift = index_sub(a, b);
  return shift.op == IndexExpr::Op::Const && std::abs(shift.value) <= kMaxShift;
}

/// Whether the outputs move in the same way with each loop, and a name means the same loop in both.
bool move_alike(const Rule& rule_a, const Step& a, const Rule& rule_b, const Step& b) {
  const RegionAccess& to_a = rule_a.outputs[0];
  const RegionAccess& to_b = rule_b.outputs[0];
  if (to_a.matrix != to_b.matrix) return false;
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    for (std::size_t d = 0; d < to_a.lo.size(); ++d) {
      const auto with_a = coefficient_of(to_a.lo[d], a.loops[i].var);
      if (!with_a || with_a != coefficient_of(to_b.lo[d], b.loops[i].var)) return false;
    }
    for (std::size_t k = 0; k < b.loops.size(); ++k)
      if (i != k && a.loops[i].var == b.loops[k].var) return false;
  }
  return true;
}

/// Whether two steps that write some of their rows may be members of one group, or of groups of different choices.
bool fit(const TransformPlan& plan, const Transform& transform, StepId id_a, StepId id_b) {
  const Step& a = plan.steps[id_a];
  const Step& b = plan.steps[id_b];
  if (a.loops.size() != b.loops.size() || has_edge(plan, id_a, id_b)) return false;
  for (std::size_t i = 0; i < a.loops.size(); ++i)
    if (!is_near(a.loops[i].range.lo, b.loops[i].range.lo) || !is_near(a.loops[i].range.hi, b.loops[i].range.hi))
      return false;
  return move_alike(transform.rules[a.rule], a, transform.rules[b.rule], b);
}

/// Adds the largest groups of `steps`, each of which fits the others, that run in the same calls.
class FusedGroups {
 public:
  FusedGroups(TransformPlan& plan, const std::vector<StepId>& steps) : plan_(plan), steps_(steps) {}

  void add_from(std::size_t next) {
    if (plan_.fused.size() == kMaxGroups) return;
    if (next == steps_.size()) {
      if (group_.size() > 1 && is_largest()) plan_.fused.push_back(group_);
      return;
    }
    if (joins(steps_[next])) {
      group_.push_back(steps_[next]);
      add_from(next + 1);
      group_.pop_back();
      const auto excludes = [&](StepId id) {
        return !may_run_together(plan_, plan_.steps[id], plan_.steps[steps_[next]]);
      };
      if (std::none_of(steps_.begin() + static_cast<std::ptrdiff_t>(next), steps_.end(), excludes)) return;
    }
    add_from(next + 1);
  }

 private:
  bool joins(StepId step) const {
    return std::all_of(group_.begin(), group_.end(),
                       [&](StepId id) { return may_run_together(plan_, plan_.steps[id], plan_.steps[step]); });
  }
  bool is_largest() const {
    return std::none_of(steps_.begin(), steps_.end(), [&](StepId id) {
      return std::find(group_.begin(), group_.end(), id) == group_.end() && joins(id);
    });
  }

  TransformPlan& plan_;
  const std::vector<StepId>& steps_;
  FusedSteps group_;
};

}  // namespace

void find_fused_steps(TransformPlan& plan, const Transform& transform) {
  plan.fused.clear();
  if (!is_ordered(plan)) return;
  std::vector<StepId> run;  // steps that follow each other, so that nothing has to run between them
  const auto end_run = [&] {
    FusedGroups(plan, run).add_from(0);
    run.clear();
  };
  for (const StepId id : plan.steps.ids()) {
    const bool may_fuse = writes_some_of_rows(plan, transform, id);
    const auto fits = [&](StepId other) { return fit(plan, transform, other, id); };
    if (!may_fuse || run.size() == kMaxSteps || !std::all_of(run.begin(), run.end(), fits)) end_run();
    if (may_fuse) run.push_back(id);
  }
  end_run();
}

}  // namespace pb::choices
