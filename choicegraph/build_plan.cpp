// SPDX-License-Identifier: MIT
// The passes of the choice graph in their order.
#include "choicegraph/build_plan.h"

#include "choicegraph/analysis.h"

namespace pb {
namespace {

void run_passes(choices::Analysis& analysis) {
  choices::cut_grid(analysis);
  if (!analysis.ok) return;
  choices::find_classes(analysis);
  choices::find_sites(analysis);
  if (!analysis.ok) return;
  choices::make_steps(analysis);
  if (!analysis.ok) return;
  choices::find_edges(analysis);
  choices::find_legal_choices(analysis);
  if (!analysis.ok) return;
  choices::sort_steps(analysis);
  choices::find_input_boxes(analysis);
  choices::find_versions(analysis);
  choices::list_tunables(analysis);
  choices::list_calls(analysis);
}

TransformPlan plan_transform(const Program& program, TransformId id, std::uint64_t max_operations, Diagnostics& diags) {
  TransformPlan empty;
  empty.transform = id;
  Diagnostics messages;  // dropped if the analysis is given up: then they may be wrong
  auto analysis = choices::begin_analysis(program, id, messages);
  if (!analysis) return empty;
  const RegionContext& context = analysis->context;
  const Transform& transform = program.transforms[id];
  {
    const RegionLimit limit(context, max_operations);
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

Plan build_plan(const Program& program, Diagnostics& diags, std::uint64_t max_operations) {
  Plan plan;
  for (const TransformId id : program.transforms.ids())
    plan.transforms.push_back(plan_transform(program, id, max_operations, diags));
  return plan;
}

}  // namespace pb
