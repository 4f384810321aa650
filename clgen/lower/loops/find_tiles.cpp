// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/find_tiles.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/loop_forms.h"
#include "choicegraph/plan/contraction.h"
#include "clgen/facts/rule_facts.h"
#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/lane_accesses.h"
#include "clgen/lower/analysis/masked_stmts.h"
#include "clgen/lower/analysis/uniformity.h"
#include "clgen/lower/loops/pack_choice.h"

namespace pb {
namespace {

bool moves(const std::vector<std::int64_t>& steps) {
  return std::any_of(steps.begin(), steps.end(), [](std::int64_t step) { return step != 0; });
}

class TileFinder {
 public:
  TileFinder(const TransformPlan& plan, const RuleShape& rule, StepId id, const Contraction& contraction)
      : plan_(plan),
        rule_(rule),
        id_(id),
        step_(plan.steps[id]),
        contraction_(contraction),
        lane_var_(step_.loops.back().var) {}

  /// Returns the facts for rows along the innermost loop that fits.
  [[nodiscard]] std::optional<TileFacts> run() const {
    for (std::size_t i = step_.loops.size() - 1; i-- > 0;)
      if (auto facts = with_rows(step_.loops[i].var)) return facts;
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::optional<TileFacts> with_rows(const std::string& row_var) const {
    TileFacts out;
    bool shares_lanes = false;
    if (!may_leave_out(row_var)) return std::nullopt;
    for (std::size_t i = 0; i < rule_.rule.inputs.size(); ++i) {
      const RegionAccess& input = rule_.rule.inputs[i];
      const auto along = steps_along(input, lane_var_);
      const auto across = steps_along(input, row_var);
      if (!along || !across) return std::nullopt;
      shares_lanes |= moves(*along) && !moves(*across);
      const bool has_panel = contraction_.walked[i] && moves(*along) != moves(*across);
      out.panels.push_back(!has_panel ? PanelOf::None : moves(*along) ? PanelOf::Lanes : PanelOf::Rows);
      out.walked.push_back(has_panel ? *contraction_.walked[i] : 0);
    }
    if (!shares_lanes) return std::nullopt;
    auto body = find_tile_accesses(rule_.rule, step_, row_var, out.panels);
    if (!body || !add_body_facts(rule_.rule, rule_.element, *body) || has_masked_fold(*body) || !are_carried(*body))
      return std::nullopt;
    // All instances run in packs or none does, where packs round in another way.
    if (body->rounds_otherwise() && !find_packs(rule_, step_)) return std::nullopt;
    out.body = std::move(*body);
    out.loops = contraction_.loops;
    out.first = contraction_.first;
    out.last = contraction_.last;
    out.is_inclusive = contraction_.is_inclusive;
    out.carried = contraction_.carried;
    return out;
  }

  /// Whether tiles may leave out the points of the two loops that are no instances. They know borders in both loops'
  /// variables alone, and factors with which no row or column between two instances is without one: so each cell that a
  /// panel has is one that an instance reads. See Note [Points that are no instances].
  [[nodiscard]] bool may_leave_out(const std::string& row_var) const {
    const std::vector<IndexExpr> conditions = instance_conditions(step_);
    for (const IndexExpr& condition : conditions)
      for (const LoopDim& loop : step_.loops) {
        const auto factor = affine_coefficient(condition, loop.var);
        const bool is_of_tile = loop.var == lane_var_ || loop.var == row_var;
        if (!factor || *factor < -1 || *factor > 1 || (!is_of_tile && *factor != 0)) return false;
      }
    return conditions.empty() || may_run_elsewhere(row_var);
  }

  /// Whether the body may run at points that are no instances, whose results nobody gets.
  [[nodiscard]] bool may_run_elsewhere(const std::string& row_var) const {
    const auto only_reads = [&](const RegionAccess& input) {
      const auto along = steps_along(input, lane_var_), across = steps_along(input, row_var);
      if (!along || !across || !moves(*along) || !moves(*across)) return true;
      for (std::size_t d = 0; d < along->size(); ++d)
        if ((*along)[d] != 0 && (*across)[d] != 0) return false;
      return stays_as_it_is(input.matrix);
    };
    const auto only_writes = [](const RuleMatrix& use) {
      return !use.is_output || (use.is_overwritten && !use.is_input);
    };
    return !may_divide_by_zero(rule_.rule) && std::all_of(rule_.matrices.begin(), rule_.matrices.end(), only_writes) &&
           std::all_of(rule_.rule.inputs.begin(), rule_.rule.inputs.end(), only_reads);
  }

  /// Whether no step writes the matrix while this one runs.
  [[nodiscard]] bool stays_as_it_is(MatrixId matrix) const {
    if (rule_.matrix(matrix).role == MatrixRole::From) return true;
    for (const StepId other : plan_.steps.ids()) {
      const auto& outputs = rule_.transform.rules[plan_.steps[other].rule].outputs;
      const bool writes = std::any_of(outputs.begin(), outputs.end(),
                                      [&](const RegionAccess& output) { return output.matrix == matrix; });
      const StepEdge edge{other, id_};
      if (writes && std::find(plan_.edges.begin(), plan_.edges.end(), edge) == plan_.edges.end()) return false;
    }
    return true;
  }

  /// Whether some instances run other rounds of the fold than others.
  [[nodiscard]] bool has_masked_fold(const PackFacts& body) const {
    return std::any_of(contraction_.loops.begin(), contraction_.loops.end(),
                       [&](StmtId loop) { return body.masked_stmts.contains(loop); });
  }

  /// Whether instances have accumulators of their own.
  [[nodiscard]] bool are_carried(const PackFacts& body) const {
    const Body& tree = rule_.rule.body;
    std::set<std::string> missing(contraction_.carried.begin(), contraction_.carried.end());
    for (std::size_t i = 0; i < tree.exprs.size(); ++i) {
      const auto* name = std::get_if<NameExpr>(&tree.exprs[ExprId(i)].node);
      if (name != nullptr && body.is_varying[i]) missing.erase(name->text);
    }
    return missing.empty();
  }

  const TransformPlan& plan_;
  const RuleShape& rule_;
  StepId id_;
  const Step& step_;
  const Contraction& contraction_;
  const std::string& lane_var_;
};

/// Whether the instances need nothing of each other, and read cells that all exist.
bool may_run_in_tiles(const RuleShape& rule, const Step& step) {
  if (rule.has_calls() || step.loops.size() < 2 || !step.is_data_parallel) return false;
  const bool has_handles =
      std::any_of(rule.matrices.begin(), rule.matrices.end(), [](const RuleMatrix& use) { return use.needs_handle; });
  const bool is_plain = std::all_of(step.loops.begin(), step.loops.end(), [](const LoopDim& loop) {
    return loop.stride == 1 && loop.order != LoopOrder::Decreasing;
  });
  return !has_handles && is_plain && care_of(rule, step) != HostCare::Instance &&
         std::none_of(rule.rule.inputs.begin(), rule.rule.inputs.end(), [](const RegionAccess& input) {
           return input.may_be_outside() || !input.tested_dims.empty() || input.is_guest;
         });
}

}  // namespace

TreeBlock tile_loops(const TransformPlan& plan, const RuleShape& rule, StepId id) {
  const Step& step = plan.steps[id];
  if (!may_run_in_tiles(rule, step)) return {};
  const std::optional<Contraction> contraction = find_contraction(rule.rule, computation_of(plan, rule.rule_id));
  if (!contraction) return {};
  std::optional<TileFacts> facts = TileFinder(plan, rule, id, *contraction).run();
  if (!facts) return {};
  Tiles tiles;
  const std::string row_var = facts->body.row_var;
  tiles.lane_lo = loop_begin(facts->body.lane_var);
  tiles.lane_hi = loop_end(facts->body.lane_var);
  tiles.row_lo = loop_begin(row_var);
  tiles.row_hi = loop_end(row_var);
  tiles.size_rule = rule.loop_value(TunableRole::Blocks, static_cast<std::int64_t>(SizeRule::BySize));
  tiles.facts = std::move(*facts);
  tiles.instance.rule = rule.rule_id;
  tiles.instance.conditions = instance_conditions(step);
  TreeBlock out = {TreeNode{std::move(tiles)}};
  for (std::size_t i = step.loops.size() - 1; i-- > 0;) {
    const LoopDim& loop = step.loops[i];
    if (loop.var == row_var) continue;
    TreeLoop around;
    around.var = loop.var;
    around.dim = static_cast<int>(step.loops.size() - 1 - i);
    around.lo = loop_begin(loop.var);
    around.hi = loop_end(loop.var);
    around.step = index_const(1);
    around.body = std::move(out);
    out = {TreeNode{std::move(around)}};
  }
  return out;
}

}  // namespace pb

// Note [Points that are no instances]
// A tile that a border crosses runs whole, as a mask would cost more than the points that it saves: of a triangle with
// sides of 800, they are a twentieth. A point beyond a border that is no instance reads no cell that the matrices lack.
// Its row has an instance, and so has its lane. An input in a panel depends on one of the two; and of another one, each
// coordinate does. Cells that depend on both may be those that another step writes at the same time, unless the matrix
// is the caller's or all steps that write it come before. Nor can the body end the program at such a point, which its
// rule may have left out for that reason.
