// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/version_launch.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "choicegraph/plan/launch_slices.h"
#include "clgen/lower/launches/shared_kernel.h"
#include "lang/body/body_walk.h"

namespace pb {
namespace {

class VersionLaunchFinder {
 public:
  VersionLaunchFinder(const Program& program, const TransformPlan& plan,
                      const std::map<StepId, const KernelTree*>& kernels)
      : transform_(program.transforms[plan.transform]), plan_(plan), kernels_(kernels) {}

  std::optional<VersionLaunch> find(std::size_t nest) {
    out_.nest = nest;
    out_.steps = find_version_steps(transform_, plan_, plan_.nests[nest]);
    const std::vector<StepId>& steps = out_.steps.steps;
    if (steps.empty() || !std::all_of(steps.begin(), steps.end(), [&](StepId id) { return may_share_launch(id); }))
      return std::nullopt;
    std::vector<SharedStep> shared;
    for (const StepId id : steps) shared.push_back({kernels_.at(id), instance_box(step_of_launch(plan_, id))});
    const auto main = std::find(steps.begin(), steps.end(), out_.steps.main) - steps.begin();
    out_.kernel = shared_kernel(shared, static_cast<std::size_t>(main));
    if (!out_.kernel) return std::nullopt;
    if (out_.steps.why_no_tiles.empty()) out_.tile = tile_kernel();
    if (steps.size() == 1) out_.kernel.reset();
    return out_.kernel || out_.tile ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  const Rule& rule_of(StepId step) const { return transform_.rules[plan_.steps[step].rule]; }

  bool may_share_launch(StepId step) const {
    const auto kernel = kernels_.find(step);
    if (kernel == kernels_.end() || !runs_single_instances(*kernel->second)) return false;
    const bool is_main = plan_.steps[step].rule == plan_.steps[out_.steps.main].rule;
    // A long body would keep registers from the instances inside.
    if (!is_main && kernel->second->default_items == 1) return false;
    const OperandKind output = instance_of(kernel->second->tree).outputs.front().kind;
    const std::vector<RuleMatrix>& uses = kernel->second->matrices;
    return (output == OperandKind::Result || output == OperandKind::NewValue) &&
           std::all_of(uses.begin(), uses.end(),
                       [](const RuleMatrix& use) { return !use.is_output || use.is_overwritten; });
  }

  /// Returns the kernel that makes several versions; none if work-groups cannot keep what it reads of them.
  std::optional<KernelTree> tile_kernel() const {
    KernelTree kernel = *out_.kernel;
    TimeTile tile;
    tile.matrix = out_.steps.matrix;
    tile.radius = out_.steps.radius;
    tile.shift = plan_.nests[out_.nest].members.front().coordinates.front().shift.value;
    tile.may_use_any_value = true;
    bool reads_versions = false;
    for (const StepId id : out_.steps.steps) {
      const Rule& rule = rule_of(id);
      const RuleInstance& instance = instance_of(kernels_.at(id)->tree);
      std::vector<std::vector<std::int64_t>>& begins = tile.begins[plan_.steps[id].rule];
      begins.resize(rule.inputs.size());
      tile.may_use_any_value = tile.may_use_any_value && is_straight(rule, instance);
      for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
        if (rule.inputs[i].matrix != tile.matrix) continue;
        const OperandKind kind = instance.inputs[i].kind;
        if (kind != OperandKind::Value && kind != OperandKind::Cells) return std::nullopt;
        begins[i] = begin_of(id, i);
        reads_versions = true;
      }
    }
    if (!reads_versions) return std::nullopt;
    for (KernelScalar& scalar : kernel.scalars)
      if (scalar.source == ScalarSource::Slice) scalar.name = kFirstVersion;
    kernel.scalars.push_back({ScalarSource::Depth, ScalarType::Int, kTileDepth, kTileDepth, {}, 0, true});
    kernel.time_tile = std::move(tile);
    return kernel;
  }

  /// Where the input begins along each loop, fastest first, beside the instance's own cell.
  std::vector<std::int64_t> begin_of(StepId id, std::size_t input) const {
    const Step step = step_of_launch(plan_, id);
    const InputBox& box = *box_of(step, input);
    std::vector<std::int64_t> out;
    for (std::size_t d = 0; d < step.loops.size(); ++d)
      out.push_back(index_sub(box.lo[d], index_symbol(step.loops[step.loops.size() - 1 - d].var)).value);
    return out;
  }

  /// Whether the body ends and accesses the same cells, whatever values it reads.
  static bool is_straight(const Rule& rule, const RuleInstance& instance) {
    bool out = std::all_of(instance.inputs.begin(), instance.inputs.end(), [](const Operand& operand) {
      return operand.kind == OperandKind::Value || operand.kind == OperandKind::Number;
    });
    walk(
        rule.body, rule.body.root, [&](StmtId id) { out = out && !is_loop(rule.body.stmts[id]); },
        [&](ExprId id) { out = out && !std::holds_alternative<SubscriptExpr>(rule.body.exprs[id].node); });
    return out;
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const std::map<StepId, const KernelTree*>& kernels_;
  VersionLaunch out_;
};

}  // namespace

std::optional<VersionLaunch> find_version_launch(const Program& program, const TransformPlan& plan, std::size_t nest,
                                                 const std::map<StepId, const KernelTree*>& kernels) {
  return VersionLaunchFinder(program, plan, kernels).find(nest);
}

}  // namespace pb
