// SPDX-License-Identifier: MIT
#include "clgen/testing/run_all_loops.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/loops/cpu_loops.h"
#include "clgen/lower/loops/find_scans.h"
#include "clgen/lower/loops/find_tiles.h"
#include "clgen/lower/loops/fused_loops.h"
#include "clgen/lower/loops/inside_cells.h"
#include "clgen/lower/loops/nest_loops.h"
#include "clgen/testing/draw_call.h"
#include "clgen/testing/run_loops.h"

namespace pb::testing {
namespace {

/// How often the loops of one step are run.
constexpr int kRuns = 4;

using Forms = std::map<std::string, int>;

void count_forms(const TreeBlock& loops, Forms& forms) {
  walk(loops, [&](const TreeNode& node) {
    if (std::holds_alternative<Strips>(node.node)) ++forms["strips"];
    if (std::holds_alternative<RowBlocks>(node.node)) ++forms["row blocks"];
    if (std::holds_alternative<InsideRange>(node.node)) ++forms["inside"];
    if (std::holds_alternative<InsideBox>(node.node)) ++forms["inside box"];
    if (std::holds_alternative<Let>(node.node)) ++forms["let"];
    const auto* packs = std::get_if<Packs>(&node.node);
    if (packs != nullptr) ++forms[packs->facts.is_tall ? "tall packs" : "packs"];
    if (packs != nullptr && !packs->may_repeat.is_never()) ++forms["repeating packs"];
    if (std::holds_alternative<Tiles>(node.node)) ++forms["tiles"];
    if (std::holds_alternative<Scans>(node.node)) ++forms["scans"];
    const auto* loop = std::get_if<TreeLoop>(&node.node);
    if (loop == nullptr) return;
    if (!loop->is_plain()) ++forms["bounds"];
    if (loop->role == LoopRole::Vector) ++forms["vector"];
    if (loop->role == LoopRole::Single) ++forms["single"];
    if (loop->is_decreasing) ++forms["decreasing"];
  });
}

bool is_in_nest(const TransformPlan& plan, StepId id) {
  return std::any_of(plan.nests.begin(), plan.nests.end(), [&](const Nest& nest) { return has_member(nest, id); });
}

/// Draws a part of the step's box at these sizes, as a task gets it. Returns false if the box is empty.
bool draw_box(std::mt19937_64& random, const Step& step, const Values& sizes, Point& lo, Point& hi) {
  const std::size_t rank = step.loops.size();
  lo.assign(rank, 0);
  hi.assign(rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto begin = evaluate(step.loops[i].range.lo, {sizes.begin(), sizes.end()});
    const auto end = evaluate(step.loops[i].range.hi, {sizes.begin(), sizes.end()});
    if (!begin || !end || *end <= *begin) return false;
    const std::size_t dim = rank - 1 - i;
    const bool takes_all = random() % 2 == 0;
    const auto extent = static_cast<std::uint64_t>(*end - *begin);
    lo[dim] = takes_all ? *begin : *begin + static_cast<std::int64_t>(random() % extent);
    hi[dim] = takes_all
                  ? *end
                  : lo[dim] + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(*end - lo[dim]));
  }
  return true;
}

/// Runs the loops of one transform.
class AllLoops {
 public:
  AllLoops(const Program& program, const TransformPlan& plan, std::int64_t max_size, std::mt19937_64& random,
           LoopRuns& runs)
      : program_(program),
        transform_(program.transforms[plan.transform]),
        plan_(plan),
        max_size_(max_size),
        random_(random),
        runs_(runs) {}

  void run() {
    for (const StepId id : plan_.steps.ids()) {
      const Step& step = plan_.steps[id];
      if (step.loops.empty()) continue;
      const RuleShape rule = shape(id);
      const TreeBlock scanned = scan_loops(plan_, rule, step);
      if (!scanned.empty()) run_in_boxes(id, rule, step, scanned, 0);
      if (is_in_nest(plan_, id)) continue;
      run_in_boxes(id, rule, step, lower_cpu_loops(rule, step).plain, 0);
      run_packed(id, rule, step);
      const TreeBlock tiled = tile_loops(plan_, rule, id);
      if (!tiled.empty()) run_in_boxes(id, rule, step, tiled, 0);
    }
    for (const FusedSteps& steps : plan_.fused) run_as_one(steps);
    for (const Nest& nest : plan_.nests)
      for (const NestMember& member : nest.members) run_member(nest, member);
  }

 private:
  RuleShape shape(StepId id) const { return {program_, plan_, plan_.steps[id].rule, true}; }

  std::optional<Values> draw_sizes() { return testing::draw_sizes(transform_, max_size_, random_); }

  void keep(StepId step, const std::string& fault) {
    ++runs_.num_runs;
    if (runs_.fault.empty() && !fault.empty())
      runs_.fault = transform_.name + " step " + std::to_string(step.index()) + ": " + fault;
  }

  /// Runs the loops in boxes that have one value along each of the first `num_fixed` loops.
  void run_in_boxes(StepId id, const RuleShape& rule, const Step& step, const TreeBlock& loops, std::size_t num_fixed) {
    count_forms(loops, runs_.forms);
    for (int run = 0; run < kRuns; ++run) {
      const std::optional<Values> sizes = draw_sizes();
      Point lo, hi;
      if (!sizes || !draw_box(random_, step, *sizes, lo, hi)) continue;
      for (std::size_t i = 0; i < num_fixed; ++i) hi[hi.size() - 1 - i] = lo[lo.size() - 1 - i] + 1;
      keep(id, run_loops(rule, step, loops, *sizes, lo, hi, random_()));
    }
  }

  /// Runs the loops on packs wherever they are legal, also where they would not pay off.
  void run_packed(StepId id, const RuleShape& rule, const Step& step) {
    if (!is_box(step) || rule.has_calls()) return;
    const bool all_exist = find_inside_box(rule, step).has_value();
    const auto facts = find_pack_facts(rule.rule, step, rule.element, all_exist);
    if (facts) run_in_boxes(id, rule, step, packed_loops(rule, step, *facts, lower_cpu_loops(rule, step).plain), 0);
  }

  void run_as_one(const FusedSteps& steps) {
    std::vector<RuleShape> rules;
    for (const StepId id : steps) rules.push_back(shape(id));
    std::vector<const RuleShape*> refs;
    for (const RuleShape& rule : rules) refs.push_back(&rule);
    const TreeBlock loops = fused_loops(refs, plan_, steps);
    ++runs_.forms["fused"];
    for (int run = 0; run < kRuns; ++run) {
      const std::optional<Values> sizes = draw_sizes();
      Point lo, hi;
      if (sizes && draw_box(random_, plan_.steps[steps[0]], *sizes, lo, hi))
        keep(steps[0], run_fused(rules[0], plan_, steps, loops, *sizes, lo, hi));
    }
  }

  void run_member(const Nest& nest, const NestMember& member) {
    const RuleShape rule = shape(member.step);
    const CpuLoops loops = lower_member_loops(rule, plan_, nest, member);
    if (is_sliced(nest)) {
      const Step step = step_in_slices(plan_, member);
      if (step.loops.empty()) return;
      ++runs_.forms["slices"];
      return run_in_boxes(member.step, rule, step, loops.plain, step.loops.size() - member.loops.size());
    }
    ++runs_.forms["tiles"];
    count_forms(loops.plain, runs_.forms);
    for (int run = 0; run < kRuns; ++run)
      if (const std::optional<Values> sizes = draw_sizes())
        keep(member.step, run_tiles(rule, plan_, nest, member, loops.plain, *sizes, random_()));
  }

  const Program& program_;
  const Transform& transform_;
  const TransformPlan& plan_;
  std::int64_t max_size_;
  std::mt19937_64& random_;
  LoopRuns& runs_;
};

}  // namespace

void run_all_loops(const Program& program, const TransformPlan& plan, std::int64_t max_size, std::mt19937_64& random,
                   LoopRuns& runs) {
  AllLoops(program, plan, max_size, random, runs).run();
}

}  // namespace pb::testing
