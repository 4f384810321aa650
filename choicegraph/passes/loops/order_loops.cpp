// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/order_loops.h"

#include <algorithm>
#include <utility>

#include "choicegraph/passes/loops/dependences.h"
#include "choicegraph/passes/loops/tile_rows.h"

namespace pb::choices {
namespace {

bool is_parallel(const LoopDim& loop) { return loop.order == LoopOrder::Parallel; }

bool has_parallel_row(const std::vector<NestRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const NestRow& row) { return row.kind == RowKind::Parallel; });
}

/// A nest whose coordinates are the rule variables.
Nest nest_over_variables(StepId step, const std::vector<std::string>& vars, std::vector<NestRow> rows) {
  Nest out;
  out.rows = std::move(rows);
  out.members.push_back({step, {}, {}});
  for (const std::string& var : vars) out.members.front().coordinates.push_back({var, 1, index_const(0)});
  return out;
}

/// Slices along the loops outside that have a direction, if all loops inside of them are parallel.
std::optional<Nest> slices_of(StepId step, const std::vector<LoopDim>& loops) {
  const auto first = std::find_if(loops.begin(), loops.end(), is_parallel);
  if (first == loops.begin() || first == loops.end() || !std::all_of(first, loops.end(), is_parallel))
    return std::nullopt;
  const auto count = static_cast<std::size_t>(first - loops.begin());
  Nest out;
  out.members.push_back({step, {}, {first, loops.end()}});
  for (std::size_t i = 0; i < count; ++i) {
    out.members.front().coordinates.push_back({loops[i].var, 1, index_const(0)});
    std::vector<int> row(count, 0);
    row[i] = loops[i].order == LoopOrder::Increasing ? 1 : -1;
    out.rows.push_back({std::move(row), RowKind::Slices});
  }
  return out;
}

/// A slice for each instance of a step that runs in the order of its one loop, for devices alone. Versions may have
/// memory that depends on how they run, and lie in no such slices.
std::optional<Nest> slices_of_instances(const Analysis& analysis, StepId id) {
  const Step& step = analysis.plan.steps[id];
  if (step.loops.size() != 1 || is_parallel(step.loops.front())) return std::nullopt;
  for (const RegionAccess& output : analysis.rule(step.rule).outputs)
    if (analysis.matrix(output.matrix).has_versions) return std::nullopt;
  const int direction = step.loops.front().order == LoopOrder::Increasing ? 1 : -1;
  return nest_over_variables(id, {step.loops.front().var}, {{{direction}, RowKind::Slices}});
}

/// The best way to run a step whose instances need each other; `loops` have directions if `has_directions`.
/// Independent strips first, then slices along one loop, then tiles, then slices along several.
std::optional<Nest> find_own_nest(StepId id, const Step& step, const Region& needs, bool has_directions) {
  const std::vector<std::string> vars = needs.dims();
  std::vector<NestRow> straight = find_straight_rows(needs);
  if (has_parallel_row(straight)) return nest_over_variables(id, vars, std::move(straight));
  std::optional<Nest> slices;
  if (has_directions) slices = slices_of(id, step.loops);
  if (slices && slices->rows.size() == 1) return slices;
  std::vector<NestRow> tiles = straight.empty() ? find_tile_rows(needs) : std::move(straight);
  return tiles.empty() ? slices : nest_over_variables(id, vars, std::move(tiles));
}

void report(Analysis& analysis, const Step& step) {
  const Rule& rule = analysis.rule(step.rule);
  Span place = rule.span;
  for (const RegionAccess& input : rule.inputs)
    for (const RegionAccess& output : rule.outputs)
      if (input.matrix == output.matrix) place = input.span;
  std::string vars;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop)
    vars += (vars.empty() ? "`" : ", `") + loop->var + "`";
  auto diag = analysis.diags.emit(DiagKind::NoLoopOrder, place).arg(rule.name).arg(vars);
  for (const RegionAccess& input : rule.inputs)
    if (maps_cells(input.border))
      diag.note(input.span,
                "`" + std::string(word_of(input.border)) + "` reads cells of the other side, too, or back from it");
  diag.hint("computations in steps read the step before: of another matrix, or of versions, `T<k>` from `T<k-1>`");
}

/// What stands behind `=` of an input that may lie outside.
std::string outside_text(const RegionAccess& input) {
  if (input.missing_value) return to_string(*input.missing_value);
  return input.border == Border::Optional ? "OPTIONAL" : std::string(word_of(input.border));
}

void report_own_cell(Analysis& analysis, const Step& step, const RegionAccess& input) {
  analysis.diags.emit(DiagKind::BorderReadsOwnCell, input.span)
      .arg(analysis.rule(step.rule).name)
      .arg(input.binding + " = " + outside_text(input))
      .hint("a rule of its own for these cells, or a `where` that leaves them out, says where the computation begins");
}

}  // namespace

bool order_loops(Analysis& analysis, StepId id) {
  Step& step = analysis.plan.steps[id];
  const std::vector<RegionAccess>& inputs = analysis.rule(step.rule).inputs;
  const auto may_be_outside = [](const RegionAccess& input) { return input.may_be_outside(); };
  if (step.loops.empty() && std::none_of(inputs.begin(), inputs.end(), may_be_outside)) return true;
  const SelfDependence dependence = find_self_dependence(analysis, step, analysis.step_sets[id.index()].instances);
  if (!dependence.needs.is_empty()) {
    const bool has_directions = orient_any(step.loops, dependence.needs);
    std::optional<Nest> nest;
    std::optional<Nest> slices;
    if (step.loops.size() > 1 && dependence.overlaps.is_empty()) {
      nest = find_own_nest(id, step, dependence.needs, has_directions);
      // Strips for the CPU, and slices for devices, which run all of a slice at once.
      const bool has_strips = nest && has_parallel_row(nest->rows);
      if (has_strips && has_directions) slices = slices_of(id, step.loops);
      if (slices && slices->rows.size() != 1) slices.reset();
    }
    if (has_directions && dependence.overlaps.is_empty() && !nest) slices = slices_of_instances(analysis, id);
    if (!has_directions && !nest) {
      report(analysis, step);
      return false;
    }
    if (!has_directions)
      for (LoopDim& loop : step.loops) loop.order = LoopOrder::Nested;
    if (nest) analysis.plan.nests.push_back(std::move(*nest));
    if (slices) analysis.plan.nests.push_back(std::move(*slices));
  }
  if (dependence.own_cell != nullptr) {
    report_own_cell(analysis, step, *dependence.own_cell);
    return false;
  }
  if (step.loops.empty()) return true;
  if (!dependence.overlaps.is_empty()) separate_overlaps(step.loops, dependence.overlaps);
  step.is_data_parallel = std::all_of(step.loops.begin(), step.loops.end(), is_parallel);
  return true;
}

}  // namespace pb::choices
