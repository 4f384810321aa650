// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/cpu_loops.h"

#include <algorithm>
#include <utility>

#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/independence.h"
#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/loops/in_row_blocks.h"
#include "clgen/lower/loops/inside_cells.h"
#include "clgen/lower/loops/pack_choice.h"
#include "clgen/lower/loops/strip_loops.h"

namespace pb {
namespace {

/// Whether the innermost loop has one iteration whatever the sizes are.
bool is_thin(const Step& step) {
  if (step.loops.size() < 2) return false;
  const LoopDim& loop = step.loops.back();
  return loop.is_plain() && index_sub(loop.range.hi, loop.range.lo).is_const(1);
}

TreeLoop loop_of(const Step& step, std::size_t i) {
  const LoopDim& loop = step.loops[i];
  TreeLoop out;
  out.var = loop.var;
  out.dim = static_cast<int>(step.loops.size() - 1 - i);
  out.lo = loop_begin(loop.var);
  out.hi = loop_end(loop.var);
  out.step = index_const(1);
  out.lower = loop.lower;
  out.upper = loop.upper;
  out.stride = loop.stride;
  out.offset = loop.offset;
  out.is_decreasing = loop.order == LoopOrder::Decreasing;
  return out;
}

RuleInstance instance_of(const RuleShape& rule, const Step& step, bool all_exist) {
  RuleInstance out;
  out.rule = rule.rule_id;
  out.conditions = step.conditions;
  out.all_exist = all_exist;
  out.is_announced = !step.loops.empty() && care_of(rule, step) == HostCare::Instance;
  return out;
}

/// Returns `block` inside of the first `count` loops of the step.
TreeBlock inside_of(const Step& step, std::size_t count, TreeBlock block) {
  for (std::size_t i = count; i-- > 0;) {
    TreeLoop loop = loop_of(step, i);
    loop.body = std::move(block);
    block = {TreeNode{std::move(loop)}};
  }
  return block;
}

/// Returns the innermost loop over a part of its range.
TreeLoop part_of(const Step& step, IndexExpr lo, IndexExpr hi, TreeBlock body) {
  TreeLoop out = loop_of(step, step.loops.size() - 1);
  out.lo = std::move(lo);
  out.hi = std::move(hi);
  out.lower.clear();
  out.upper.clear();
  out.body = std::move(body);
  return out;
}

TreeNode blocks_of(RowBlocks blocks, IndexExpr lo, IndexExpr hi, TreeBlock body) {
  blocks.lo = std::move(lo);
  blocks.hi = std::move(hi);
  blocks.body = std::move(body);
  return {std::move(blocks)};
}

/// Returns the innermost loop in three parts. In the middle part all cells lie inside of their matrices; in the parts
/// before and after it, each cell is tested.
TreeBlock parts_of(const RuleShape& rule, const Step& step, InsideRange range, std::optional<RowBlocks> blocks,
                   bool is_vector) {
  const std::string var = range.var;
  const TreeBlock tested = {{instance_of(rule, step, false)}};
  const TreeBlock inside = {{instance_of(rule, step, true)}};
  TreeLoop all = loop_of(step, step.loops.size() - 1);
  all.role = LoopRole::Parts;
  all.body.push_back({std::move(range)});
  all.body.push_back({part_of(step, loop_begin(var), inside_begin(var), tested)});
  if (blocks) {
    all.body.push_back(blocks_of(std::move(*blocks), inside_begin(var), inside_end(var), inside));
  } else {
    TreeLoop middle = part_of(step, inside_begin(var), inside_end(var), inside);
    if (is_vector) middle.role = LoopRole::Vector;
    all.body.push_back({std::move(middle)});
  }
  all.body.push_back({part_of(step, inside_end(var), loop_end(var), tested)});
  return {{std::move(all)}};
}

}  // namespace

bool may_run_in_vectors(const RuleShape& rule, const Step& step, bool all_exist) {
  if (step.loops.empty() || rule.has_calls()) return false;
  const auto facts = find_pack_facts(rule.rule, step, rule.element, all_exist);
  if (facts && !facts->has_own_rows()) return is_left_to_compilers(rule, *facts);
  // Compilers must gather the cells of an input across the rows one by one. Vectors pay off only if the rule reads
  // other inputs, too.
  const auto is_plain = [](const RegionAccess& input) {
    return is_element(input) && !input.may_be_outside() && input.tested_dims.empty();
  };
  const bool may_cross_rows = find_strips(rule, step) && step.is_data_parallel && rule.rule.inputs.size() > 1 &&
                              rule.rule.tried.empty() && !rule.rule.is_dynamic &&
                              std::all_of(rule.rule.inputs.begin(), rule.rule.inputs.end(), is_plain);
  return has_independent_instances(rule.rule, step, all_exist) || (may_cross_rows && has_independent_body(rule.rule));
}

TreeBlock plain_loops(const RuleShape& rule, const Step& step, bool is_vector) {
  TreeBlock block = {{instance_of(rule, step, false)}};
  const std::size_t num_loops = step.loops.size();
  const std::size_t num_many = num_loops > 0 && is_thin(step) ? num_loops - 1 : num_loops;
  for (std::size_t i = num_loops; i-- > 0;) {
    TreeLoop loop = loop_of(step, i);
    if (i >= num_many) loop.role = LoopRole::Single;
    if (i + 1 == num_many && is_vector) loop.role = LoopRole::Vector;
    loop.body = std::move(block);
    block = {{std::move(loop)}};
  }
  return block;
}

TreeBlock packed_loops(const RuleShape& rule, const Step& step, const PackFacts& facts, const TreeBlock& outside) {
  std::optional<InsideBox> inside = find_inside_box(rule, step);
  Packs packs;
  packs.facts = facts;
  std::vector<IndexExpr> lo = step.loops.back().lower, hi = step.loops.back().upper;
  lo.push_back(loop_begin(facts.lane_var));
  hi.push_back(loop_end(facts.lane_var));
  packs.lane_lo = index_max(lo);
  packs.lane_hi = index_min(hi);
  packs.row_lo = facts.row_var.empty() ? index_const(0) : loop_begin(facts.row_var);
  packs.row_hi = facts.row_var.empty() ? index_const(1) : loop_end(facts.row_var);
  if (!facts.writes_regions) packs.may_repeat = repeat_condition(rule);
  packs.instance = instance_of(rule, step, inside.has_value());
  const std::size_t num_in_packs = std::min<std::size_t>(step.loops.size(), facts.row_var.empty() ? 1 : 2);
  TreeBlock out = inside_of(step, step.loops.size() - num_in_packs, {{std::move(packs)}});
  if (!inside) return out;
  inside->inside = std::move(out);
  inside->outside = outside;
  return {{std::move(*inside)}};
}

namespace {

/// Returns the best form of the loops without packs.
TreeBlock best_plain_loops(const RuleShape& rule, const Step& step) {
  const std::size_t num_loops = step.loops.size();
  if (auto strips = find_strips(rule, step)) {
    strips->is_vector = may_run_in_vectors(rule, step, false);
    strips->body = {{instance_of(rule, step, false)}};
    return inside_of(step, num_loops - 2, {{std::move(*strips)}});
  }
  auto range = is_thin(step) ? std::nullopt : find_inside_range(rule, step);
  const bool is_vector = may_run_in_vectors(rule, step, range.has_value());
  auto blocks = is_vector && !is_thin(step) ? find_row_blocks(rule, step) : std::nullopt;
  if (range)
    return inside_of(step, num_loops - 1, parts_of(rule, step, std::move(*range), std::move(blocks), is_vector));
  if (!blocks) return plain_loops(rule, step, is_vector);
  const std::string& var = step.loops.back().var;
  TreeNode node = blocks_of(std::move(*blocks), loop_begin(var), loop_end(var), {{instance_of(rule, step, false)}});
  return inside_of(step, num_loops - 1, {std::move(node)});
}

}  // namespace

CpuLoops lower_cpu_loops(const RuleShape& rule, const Step& step, PackUse packs) {
  CpuLoops out;
  out.plain = best_plain_loops(rule, step);
  const auto facts = packs == PackUse::None || step.loops.empty() ? std::nullopt : find_packs(rule, step);
  if (!facts) return out;
  out.in_packs = condition_of_packs(rule, *facts);
  if (!out.in_packs.is_never()) out.packed = packed_loops(rule, step, *facts, out.plain);
  return out;
}

}  // namespace pb
