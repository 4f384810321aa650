// SPDX-License-Identifier: MIT
// The passes of the choice graph in their order.
#include "choicegraph/passes/build_plan.h"

#include <set>
#include <utility>

#include "choicegraph/passes/analysis/analysis.h"
#include "choicegraph/passes/checks/check_region_ends.h"
#include "choicegraph/passes/checks/warn_of_overwritten.h"
#include "choicegraph/passes/choices/endless_rules.h"
#include "choicegraph/passes/choices/find_legal_choices.h"
#include "choicegraph/passes/choices/find_sites.h"
#include "choicegraph/passes/choices/join_versions.h"
#include "choicegraph/passes/choices/list_calls.h"
#include "choicegraph/passes/choices/list_tunables.h"
#include "choicegraph/passes/computation/find_folds.h"
#include "choicegraph/passes/device/find_device_shares.h"
#include "choicegraph/passes/device/find_input_boxes.h"
#include "choicegraph/passes/device/find_phases.h"
#include "choicegraph/passes/device/find_versions.h"
#include "choicegraph/passes/segments/cut_grid.h"
#include "choicegraph/passes/steps/find_classes.h"
#include "choicegraph/passes/steps/find_edges.h"
#include "choicegraph/passes/steps/find_fused_steps.h"
#include "choicegraph/passes/steps/make_steps.h"
#include "choicegraph/passes/steps/sort_steps.h"

namespace pb {
namespace {

void run_passes(choices::Analysis& analysis) {
  for (const auto pass :
       {choices::check_output_ends, choices::find_computations, choices::cut_grid, choices::find_classes,
        choices::check_region_ends, choices::find_sites, choices::make_steps, choices::find_edges,
        choices::find_legal_choices, choices::join_versions, choices::sort_steps, choices::warn_of_overwritten,
        choices::find_input_boxes, choices::find_phases, choices::find_versions, choices::find_device_shares,
        choices::list_tunables, choices::list_calls}) {
    pass(analysis);
    if (analysis.is_over()) return;
  }
  choices::find_fused_steps(analysis.plan, analysis.transform);
}

TransformPlan plan_transform(const Program& program, TransformId id, const std::set<RuleId>& avoided,
                             const PlanOptions& options, Diagnostics& diags) {
  TransformPlan empty;
  empty.transform = id;
  Diagnostics messages;  // dropped if the analysis is given up, because they may then be wrong
  auto analysis = choices::begin_analysis(program, id, messages);
  if (!analysis) return empty;
  analysis->avoided = avoided;
  analysis->fold_orders = options.fold_orders;
  const RegionContext& context = analysis->context;
  const Transform& transform = program.transforms[id];
  {
    const RegionLimit limit(context, options.max_operations * (1 + transform.rules.size() / 3));
    run_passes(*analysis);
  }
  if (!context.limit_exceeded()) {
    diags.add_new(messages, program.instance_note(id));
    return std::move(analysis->plan);
  }
  context.clear_limit_exceeded();
  diags.emit(DiagKind::RegionsTooComplex, transform.span).arg(transform.name);
  return empty;
}

}  // namespace

Plan build_plan(const Program& program, Diagnostics& diags, const PlanOptions& options) {
  Plan plan;
  for (const TransformId id : program.transforms.ids())
    plan.transforms.push_back(plan_transform(program, id, {}, options, diags));
  if (diags.has_errors()) return plan;
  const auto avoided = choices::endless_rules(program, plan);
  for (const TransformId id : program.transforms.ids()) {
    Diagnostics again;  // messages that were emitted before
    if (!avoided[id.index()].empty())
      plan.transforms[id.index()] = plan_transform(program, id, avoided[id.index()], options, again);
  }
  return plan;
}

std::optional<TransformPlan> try_plan(const Program& program, TransformId id, const PlanOptions& options) {
  Diagnostics messages;
  TransformPlan plan = plan_transform(program, id, {}, options, messages);
  return messages.has_errors() ? std::nullopt : std::optional(std::move(plan));
}

}  // namespace pb
