// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_stages.h"

#include <algorithm>
#include <vector>

#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

/// Whether the expression is an access to a cell of an output that is a region.
bool is_cell_of_output(const Rule& rule, ExprId id) {
  const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
  return member != nullptr && is_cell_call(*member) &&
         rule.body_types.bindings[member->object.index()].kind == NameKind::Output;
}

/// Whether what all stages run again reads cells of outputs: a statement that is in no phase or that all work-items
/// run, or the range of a divided loop.
bool repeats_a_read(const Rule& rule, const Computation& computation) {
  bool found = false;
  const auto visit = [&](ExprId id) { found = found || is_cell_of_output(rule, id); };
  const auto visit_range = [&](const Fold& loop) {
    walk_expr(rule.body, loop.first, visit);
    walk_expr(rule.body, loop.last, visit);
  };
  for (const StmtId stmt : std::get<BlockStmt>(rule.body.stmts[rule.body.root].node).stmts) {
    const auto phase = std::find_if(computation.phases.begin(), computation.phases.end(),
                                    [&](const Phase& each) { return each.stmt == stmt; });
    const bool is_phase = phase != computation.phases.end();
    if (!is_phase || phase->kind == PhaseKind::Alike)
      walk(
          rule.body, stmt, [](StmtId) {}, visit);
    if (!is_phase || phase->kind != PhaseKind::Divided) continue;
    visit_range(computation.loop_of(phase->stmt));
    if (!phase->inner.is_none()) visit_range(computation.loop_of(phase->inner));
  }
  return found;
}

}  // namespace

void find_stages(const Rule& rule, Computation& computation) {
  std::vector<Phase>& phases = computation.phases;
  if (phases.empty() || repeats_a_read(rule, computation)) return;
  const auto has_two_stages = [&](const Phase& phase) {
    return computation.has_running_places(phase.stmt) || computation.has_ordered_bins(phase.stmt);
  };
  int stage = 1;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (i > 0 && (phases[i].waits || computation.has_parts(phases[i - 1]))) ++stage;
    if (i > 0) phases[i - 1].ends_stage = phases[i - 1].stage < stage;
    if (has_two_stages(phases[i])) ++stage;
    phases[i].stage = stage;
  }
  const bool has_elements = std::any_of(rule.outputs.begin(), rule.outputs.end(),
                                        [](const RegionAccess& output) { return output.num_body_dims() == 0; });
  const bool ends_with_parts = computation.has_parts(phases.back()) && !has_two_stages(phases.back());
  phases.back().ends_stage = has_elements || ends_with_parts;
  computation.stages.num = stage + (phases.back().ends_stage ? 1 : 0);
  computation.stages.last_is_divided = std::any_of(phases.begin(), phases.end(), [&](const Phase& phase) {
    return phase.kind == PhaseKind::Divided && phase.stage == computation.stages.num;
  });
}

}  // namespace pb::choices
