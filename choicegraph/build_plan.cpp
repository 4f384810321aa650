// SPDX-License-Identifier: MIT
// The passes of the choice graph in their order.
#include "choicegraph/build_plan.h"

#include "choicegraph/analysis.h"

namespace pb {
namespace {

void run_passes(choices::Analysis& analysis) {
  choices::cut_grid(analysis);
  if (!analysis.ok) return;
  choices::find_sites(analysis);
  choices::make_steps(analysis);
  if (!analysis.ok) return;
  choices::order_steps(analysis);
  choices::find_input_boxes(analysis);
  choices::find_versions(analysis);
  choices::list_tunables(analysis);
  choices::list_calls(analysis);
}

TransformPlan plan_transform(const Program& program, TransformId id, Diagnostics& diags) {
  auto analysis = choices::begin_analysis(program, id, diags);
  TransformPlan empty;
  empty.transform = id;
  if (!analysis) return empty;
  const RegionLimit limit(analysis->context);
  run_passes(*analysis);
  if (!analysis->context.limit_exceeded()) return std::move(analysis->plan);
  analysis->context.clear_limit_exceeded();
  const Transform& transform = program.transforms[id];
  diags.emit(DiagKind::RegionsTooComplex, transform.span).arg(transform.name);
  return empty;
}

}  // namespace

Plan build_plan(const Program& program, Diagnostics& diags) {
  Plan plan;
  for (const TransformId id : program.transforms.ids()) plan.transforms.push_back(plan_transform(program, id, diags));
  return plan;
}

}  // namespace pb
