// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_device_shares.h"

#include <algorithm>

namespace pb::choices {
namespace {

/// The dimension of `output` in which an instance has one position, `loop.var + c`, so that neighbouring ranges of the
/// loop write neighbouring parts of `written`; none if there is no such dimension.
std::optional<std::size_t> dimension_of(const Analysis& analysis, const RegionAccess& output, const LoopDim& loop,
                                        const Segment& written) {
  std::optional<std::size_t> out;
  for (std::size_t d = 0; d < output.lo.size(); ++d) {
    const auto lo = to_index_expr(output.lo[d], analysis.scope);
    const auto hi = to_index_expr(output.hi[d], analysis.scope);
    if (!lo || !hi) return std::nullopt;
    if (!names_any(*lo, {loop.var}) && !names_any(*hi, {loop.var})) continue;
    const IndexExpr shift = index_sub(*lo, index_symbol(loop.var));
    const bool is_one_position = index_sub(*hi, *lo).is_const(1) && !names_any(shift, {loop.var});
    const bool is_range = index_sub(index_add(loop.range.lo, shift), written.box[d].lo).is_const(0) &&
                          index_sub(index_add(loop.range.hi, shift), written.box[d].hi).is_const(0);
    if (out || !is_one_position || !is_range) return std::nullopt;
    out = d;
  }
  return out;
}

/// The segment of the output's matrix that the step writes; null if that is not one box of its own.
const Segment* written_segment(const TransformPlan& plan, const Step& step, const Rule& rule,
                               const RegionAccess& output) {
  const auto is_same = [&](const RegionAccess& access) { return access.matrix == output.matrix; };
  if (std::any_of(rule.inputs.begin(), rule.inputs.end(), is_same)) return nullptr;
  if (std::count_if(rule.outputs.begin(), rule.outputs.end(), is_same) != 1) return nullptr;
  const Segment* out = nullptr;
  for (const SegmentId id : step.segments) {
    if (plan.segments[id].matrix != output.matrix) continue;
    if (out != nullptr) return nullptr;
    out = &plan.segments[id];
  }
  return out;
}

std::optional<DeviceShare> share_at(const Analysis& analysis, const Step& step, std::size_t loop) {
  DeviceShare out;
  out.loop = loop;
  const Rule& rule = analysis.rule(step.rule);
  for (const RegionAccess& output : rule.outputs) {
    const Segment* written = written_segment(analysis.plan, step, rule, output);
    const auto dim = written != nullptr ? dimension_of(analysis, output, step.loops[loop], *written) : std::nullopt;
    if (!dim) return std::nullopt;
    out.dims.push_back(*dim);
  }
  return out;
}

bool may_run_on_device(const TransformPlan& plan, const Step& step) {
  const std::vector<Alternative>& alternatives = plan.sites[step.site].alternatives;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& alternative) {
    return alternative.versions.size() > 1 && runs(plan, alternative, step);
  });
}

}  // namespace

void find_device_shares(Analysis& analysis) {
  TransformPlan& plan = analysis.plan;
  for (const StepId id : plan.steps.ids()) {
    Step& step = plan.steps[id];
    const auto has_it = [&](const Nest& nest) { return has_member(nest, id); };
    const bool may_be_shared = step.is_data_parallel && is_box(step) && step.left_to_others.empty() &&
                               std::none_of(plan.nests.begin(), plan.nests.end(), has_it) &&
                               may_run_on_device(plan, step);
    for (std::size_t loop = 0; may_be_shared && !step.device_share && loop < step.loops.size(); ++loop)
      step.device_share = share_at(analysis, step, loop);
  }
}

}  // namespace pb::choices
