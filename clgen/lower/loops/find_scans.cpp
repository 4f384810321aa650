// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/find_scans.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop_forms.h"
#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/uniformity.h"

namespace pb {
namespace {

bool continues(const Scan& scan, std::size_t input) {
  return std::any_of(scan.values.begin(), scan.values.end(),
                     [&](const ScannedValue& value) { return value.input == input; });
}

/// Whether all cells that instances read exist, apart from those one step back.
bool has_plain_inputs(const Rule& rule, const Scan& scan) {
  for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
    const RegionAccess& input = rule.inputs[i];
    if ((input.may_be_outside() && !continues(scan, i)) || !input.tested_dims.empty() || input.is_guest) return false;
  }
  return true;
}

/// Whether the step is a plain box of instances whose innermost loop is the scan's, and that touches cells which all
/// exist.
bool may_run_in_chunks(const RuleShape& rule, const Step& step, const Scan& scan) {
  if (rule.has_calls() || !is_box(step) || step.loops.empty() || !step.conditions.empty() || scan.dim != 0)
    return false;
  const bool has_handles =
      std::any_of(rule.matrices.begin(), rule.matrices.end(), [](const RuleMatrix& use) { return use.needs_handle; });
  const bool is_plain =
      std::all_of(step.loops.begin(), step.loops.end(), [](const LoopDim& loop) { return loop.is_plain(); });
  const bool is_overwritten = std::all_of(rule.facts.outputs.begin(), rule.facts.outputs.end(),
                                          [](const RegionUse& use) { return use.is_overwritten; });
  return !has_handles && is_plain && is_overwritten && step.loops.back().var == scan.var &&
         step.loops.back().order != LoopOrder::Parallel && care_of(rule, step) != HostCare::Instance &&
         has_plain_inputs(rule.rule, scan);
}

/// Whether, beside the loop of the scan, the step's instances need nothing of each other.
bool has_parallel_lines(const Step& step) {
  return std::all_of(step.loops.begin(), step.loops.end() - 1, [](const LoopDim& loop) {
    return loop.order == LoopOrder::Parallel || loop.order == LoopOrder::Nested;
  });
}

/// Returns what packs along the scan need to know. Each lane gets what the one before it computes from the pass.
std::optional<PackFacts> facts_of(const RuleShape& rule, Step step) {
  step.is_data_parallel = true;
  for (LoopDim& loop : step.loops) loop.order = LoopOrder::Parallel;
  // Only what stands before a line may not exist, and packs get it from the pass.
  constexpr bool kAllExist = true;
  std::optional<PackFacts> out = find_pack_facts(rule.rule, step, rule.element, kAllExist);
  if (!out || out->writes_regions || out->has_own_rows() || !out->masked_stmts.empty()) return std::nullopt;
  // Lanes are neighbours along the scan, and there are no rows.
  out->is_tall = false;
  out->row_var.clear();
  for (auto* list : {&out->inputs, &out->outputs})
    for (LaneAccess& lanes : *list) lanes.row_dim = -1;
  return out;
}

}  // namespace

TreeBlock scan_loops(const TransformPlan& plan, const RuleShape& rule, const Step& step) {
  const std::optional<Scan>& scan = computation_of(plan, rule.rule_id).scan;
  if (!scan || !scan->is_free || !may_run_in_chunks(rule, step, *scan) || !has_parallel_lines(step)) return {};
  std::optional<PackFacts> facts = facts_of(rule, step);
  if (!facts) return {};
  Scans out;
  out.facts = {std::move(*facts), *scan};
  out.length = rule.loop_value(TunableRole::ScanChunk, kScanChunk);
  std::vector<Condition> terms = {Condition::relation(out.length, RelationOp::Greater, index_const(0))};
  for (const RuleMatrix& output : rule.matrices)
    for (const RuleMatrix& other : rule.matrices) {
      if (rule.matrix(other.matrix).num_dims() > 0 && output.is_output) terms.push_back(has_unit_stride(other.matrix));
      if (output.is_output && other.matrix != output.matrix && rule.matrix(other.matrix).num_dims() > 0)
        terms.push_back(are_apart(output.matrix, other.matrix));
    }
  out.condition = Condition::all_of(std::move(terms));
  if (out.condition.is_never()) return {};
  out.instance.rule = rule.rule_id;
  return {TreeNode{std::move(out)}};
}

}  // namespace pb
