// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/version_launch.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "choicegraph/plan/launch_slices.h"
#include "clgen/facts/numbering.h"
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
    why_no_tile_ = out_.steps.why_no_tiles;
    const std::vector<StepId>& steps = out_.steps.steps;
    if (steps.empty()) return std::nullopt;
    for (const StepId id : steps) {
      const std::string why = why_not_shared(id);
      if (why.empty()) continue;
      why_no_tile_ = "`" + rule_of(id).name + "` " + why;
      return std::nullopt;
    }
    std::vector<SharedStep> shared;
    for (std::size_t i = 0; i < steps.size(); ++i) shared.push_back({kernels_.at(steps[i]), out_.steps.cells[i]});
    const auto main = std::find(steps.begin(), steps.end(), out_.steps.main) - steps.begin();
    out_.kernel = shared_kernel(shared, static_cast<std::size_t>(main));
    if (!out_.kernel) {
      why_no_tile_ = "its steps have more boxes than a launch";
      return std::nullopt;
    }
    if (out_.steps.why_no_tiles.empty()) out_.tile = tile_kernel();
    // A single step has a launch of its own, but for blocks.
    if (steps.size() == 1 && !out_.is_cut()) out_.kernel.reset();
    return out_.kernel || out_.tile ? std::optional(std::move(out_)) : std::nullopt;
  }

  /// After find(): why there is no kernel for several versions; empty: there is one.
  [[nodiscard]] const std::string& why_no_tile() const { return why_no_tile_; }

 private:
  const Rule& rule_of(StepId step) const { return transform_.rules[plan_.steps[step].rule]; }

  /// Why the step's instances cannot run in a launch of all steps, as what follows the rule's name; empty: they can.
  std::string why_not_shared(StepId step) const {
    const auto kernel = kernels_.find(step);
    if (kernel == kernels_.end()) return "has no kernel for a version";
    if (!runs_single_instances(*kernel->second)) return "has instances that work-items do not run by themselves";
    const bool is_main = plan_.steps[step].rule == plan_.steps[out_.steps.main].rule;
    // A long body would keep registers from the instances inside.
    if (!is_main && kernel->second->default_items == 1) return "has a longer body than borders may have";
    const OperandKind output = instance_of(kernel->second->tree).outputs.front().kind;
    const std::vector<RuleMatrix>& uses = kernel->second->matrices;
    const bool writes_all = (output == OperandKind::Result || output == OperandKind::NewValue) &&
                            std::all_of(uses.begin(), uses.end(),
                                        [](const RuleMatrix& use) { return !use.is_output || use.is_overwritten; });
    return writes_all ? "" : "may leave a cell as it was";
  }

  /// Returns the kernel that makes several versions; none if work-groups cannot keep what it reads of them.
  std::optional<KernelTree> tile_kernel() {
    KernelTree kernel = *out_.kernel;
    TimeTile tile;
    tile.matrix = out_.steps.matrix;
    tile.radius = out_.steps.radius;
    tile.shift = plan_.nests[out_.nest].members.front().coordinates.front().shift.value;
    tile.may_use_any_value = true;
    bool reads_versions = false;
    for (std::size_t s = 0; s < out_.steps.steps.size(); ++s) {
      const StepId id = out_.steps.steps[s];
      const Rule& rule = rule_of(id);
      const RuleInstance& instance = instance_of(kernels_.at(id)->tree);
      std::vector<std::vector<std::int64_t>>& begins = tile.begins[plan_.steps[id].rule];
      begins.resize(rule.inputs.size());
      tile.may_use_any_value = tile.may_use_any_value && is_straight(rule, instance);
      for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
        if (rule.inputs[i].matrix != tile.matrix) continue;
        const OperandKind kind = instance.inputs[i].kind;
        if (kind != OperandKind::Value && kind != OperandKind::Cells) {
          why_no_tile_ = "`" + rule.name + "` reads a version in another way than by its cells";
          return std::nullopt;
        }
        begins[i] = begin_of(*box_of(plan_.steps[id], i), out_.steps.cells[s]);
        reads_versions = true;
      }
    }
    if (!reads_versions) {
      why_no_tile_ = "no step reads a version";
      return std::nullopt;
    }
    for (KernelScalar& scalar : kernel.scalars)
      if (scalar.source == ScalarSource::Slice) scalar.name = kFirstVersion;
    kernel.scalars.push_back({ScalarSource::Depth, ScalarType::Int, kTileDepth, kTileDepth, {}, 0, true});
    for (const char* end : {kMadeFrom, kMadeEnd})
      kernel.scalars.push_back({ScalarSource::Made, ScalarType::Int, end, end});
    kernel.time_tile = std::move(tile);
    return kernel;
  }

  /// Where the box begins along each dimension, beside the instance's own cell.
  static std::vector<std::int64_t> begin_of(const InputBox& box, const CellDims& cells) {
    std::vector<std::int64_t> out;
    for (std::size_t d = 0; d < cells.size(); ++d) out.push_back(*distance_from(cells[d], box.lo[d]));
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
  std::string why_no_tile_;
};

}  // namespace

std::string why_no_time_tile(const Program& program, const TransformPlan& plan, std::size_t nest) {
  std::map<StepId, KernelTree> kernels;
  std::map<StepId, const KernelTree*> by_step;
  for (const NestMember& member : plan.nests[nest].members) {
    const Step& step = plan.steps[member.step];
    if (launch_nest(plan, member.step) == nullptr || choices_running(plan, step, Version::OpenCl).empty()) continue;
    by_step[member.step] =
        &kernels.emplace(member.step, lower_kernel(program, plan, member.step, Version::OpenCl)).first->second;
  }
  VersionLaunchFinder finder(program, plan, by_step);
  (void)finder.find(nest);
  return finder.why_no_tile();
}

Plan drop_missing_time_tiles(const Program& program, Plan plan) {
  for (TransformPlan& transform : plan.transforms) {
    std::vector<RuleId> with_tiles;
    for (std::size_t n = 0; n < transform.nests.size(); ++n) {
      const VersionSteps found =
          find_version_steps(program.transforms[transform.transform], transform, transform.nests[n]);
      if (found.why_no_tiles.empty() && why_no_time_tile(program, transform, n).empty())
        with_tiles.push_back(transform.steps[found.main].rule);
    }
    std::erase_if(transform.tunables, [&](const PlanTunable& tunable) {
      return tunable.role == TunableRole::TimeTile &&
             std::find(with_tiles.begin(), with_tiles.end(), *tunable.rule) == with_tiles.end();
    });
  }
  return plan;
}

std::optional<VersionLaunch> find_version_launch(const Program& program, const TransformPlan& plan, std::size_t nest,
                                                 const std::map<StepId, const KernelTree*>& kernels) {
  return VersionLaunchFinder(program, plan, kernels).find(nest);
}

}  // namespace pb
