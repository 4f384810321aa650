// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launch_waves.h"

#include <algorithm>
#include <string>

#include "choicegraph/plan/launch_scans.h"
#include "choicegraph/plan/launch_slices.h"

namespace pb {
namespace {

/// Whether the instances of a wavefront may be those of the nest: its tiles are over all loops of one step.
bool is_over_all_loops(const Nest& nest, const Step& step) {
  const NestMember& member = nest.members.front();
  const auto is_variable = [](const NestCoordinate& coordinate) { return !coordinate.var.empty(); };
  return nest.members.size() == 1 && nest.rows.front().kind != RowKind::Slices && member.loops.empty() &&
         member.coordinates.size() == step.loops.size() &&
         std::all_of(member.coordinates.begin(), member.coordinates.end(), is_variable);
}

/// The row over the loops' variables. What is added to them moves all instances alike.
WaveRow over_loops(const NestRow& row, const NestMember& member, const Step& step) {
  WaveRow out{{}, row.kind == RowKind::Carried};
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    const auto at = std::find_if(member.coordinates.begin(), member.coordinates.end(),
                                 [&](const NestCoordinate& coordinate) { return coordinate.var == loop->var; });
    const auto number = static_cast<std::size_t>(at - member.coordinates.begin());
    out.coefficients.push_back(at == member.coordinates.end() ? 0 : at->factor * row.coefficients[number]);
  }
  return out;
}

/// The fastest loop that moves along the row.
std::ptrdiff_t fastest_loop(const WaveRow& row) {
  return std::find_if(row.coefficients.begin(), row.coefficients.end(), [](int c) { return c != 0; }) -
         row.coefficients.begin();
}

}  // namespace

std::vector<WaveRow> wave_of_launch(const TransformPlan& plan, StepId id) {
  const Step& step = plan.steps[id];
  if (scan_of_launch(plan, id) != nullptr || launch_nest(plan, id) != nullptr) return {};
  const auto found = std::find_if(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) {
    return has_member(nest, id) && is_over_all_loops(nest, step);
  });
  if (found == plan.nests.end()) return {};
  std::vector<WaveRow> out;
  for (auto row = found->rows.rbegin(); row != found->rows.rend(); ++row)
    out.push_back(over_loops(*row, found->members.front(), step));
  std::stable_sort(out.begin(), out.end(),
                   [](const WaveRow& a, const WaveRow& b) { return fastest_loop(a) < fastest_loop(b); });
  const auto num_carried = std::count_if(out.begin(), out.end(), [](const WaveRow& row) { return row.is_carried; });
  return num_carried >= 2 ? out : std::vector<WaveRow>();
}

std::vector<std::vector<int>> inverse_of(const std::vector<WaveRow>& rows) {
  std::vector<NestRow> of_nest;
  for (const WaveRow& row : rows) of_nest.push_back({row.coefficients});
  return inverse_of(of_nest);
}

}  // namespace pb
