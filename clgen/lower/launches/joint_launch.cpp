// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/joint_launch.h"

#include <algorithm>

#include "choicegraph/plan/launches/launch_steps.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/launches/shared_kernel.h"

namespace pb {
namespace {

/// Whether every instance of the step writes its own cell of each output, and the launch reads none of them.
bool writes_own_cells(const StepLaunch& launch) {
  return std::all_of(launch.regions.begin(), launch.regions.end(), [&](const LaunchRegion& region) {
    if (region.use == LaunchUse::Input) return !region.read_part;
    return region.use == LaunchUse::Output && !region.read_part && region.written.size() == 1 &&
           region.written.front().box && region.written.front().box->variable == launch.box;
  });
}

std::vector<MatrixId> outputs_of(const KernelTree& kernel) {
  std::vector<MatrixId> out;
  for (const RuleMatrix& use : kernel.matrices)
    if (use.is_output) out.push_back(use.matrix);
  return out;
}

CellDims cells_of_loops(const Step& step) {
  CellDims out;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop)
    out.push_back({loop->var, loop->range, {index_symbol(loop->var)}});
  return out;
}

class JointLaunchFinder {
 public:
  JointLaunchFinder(const TransformPlan& plan, const Transform& transform, const std::map<StepId, StepLaunch>& launches)
      : plan_(plan), transform_(transform), launches_(launches) {}

  std::optional<JointLaunch> find(const JointGroup& group) {
    if (!choose_steps(group)) return std::nullopt;
    out_.cut_dim = launches_.at(out_.main).cut_dim;
    for (const StepId step : out_.steps) out_.of_steps.push_back(launches_.at(step).regions);
    if (!make_kernel()) return std::nullopt;
    for (const RuleMatrix& use : out_.kernel.matrices) out_.regions.push_back(region_of(use));
    return std::move(out_);
  }

 private:
  const KernelTree& kernel_of(StepId step) const { return launches_.at(step).kernel; }
  RuleId rule_of(StepId step) const { return plan_.steps[step].rule; }

  /// Chooses the steps, beginning with the one that has most to do. Where steps exclude each other, the earlier one
  /// is chosen.
  bool choose_steps(const JointGroup& group) {
    std::vector<StepId> able;
    for (const StepId id : group.steps)
      if (may_share_launch(id)) able.push_back(id);
    if (able.size() < 2) return false;
    out_.main = *std::max_element(able.begin(), able.end(), [&](StepId a, StepId b) {
      return has_less_to_do(transform_, plan_.steps[a], plan_.steps[b]);
    });
    out_.steps = {out_.main};
    for (const StepId id : able)
      if (id != out_.main && has_room_for(id)) out_.steps.push_back(id);
    std::sort(out_.steps.begin(), out_.steps.end());
    return out_.steps.size() > 1;
  }

  bool may_share_launch(StepId step) const {
    const auto launch = launches_.find(step);
    return launch != launches_.end() && launch->second.kernel.with_versions.empty() &&
           runs_single_instances(launch->second.kernel) && writes_own_cells(launch->second);
  }

  bool has_room_for(StepId step) const {
    const KernelTree& kernel = kernel_of(step);
    const bool has_outputs = outputs_of(kernel) == outputs_of(kernel_of(out_.main));
    // A long body would keep registers from the instances inside.
    const bool is_short = rule_of(step) == rule_of(out_.main) || kernel.default_items > 1;
    return has_outputs && is_short && launches_.at(step).cut_dim == launches_.at(out_.main).cut_dim &&
           std::all_of(out_.steps.begin(), out_.steps.end(), [&](StepId other) {
             const bool is_alike = rule_of(other) != rule_of(step) || is_same(kernel_of(other), kernel);
             return is_alike && may_run_together(plan_, plan_.steps[step], plan_.steps[other]);
           });
  }

  /// Makes the kernel of all steps; false if there is none.
  bool make_kernel() {
    std::vector<SharedStep> shared;
    for (const StepId step : out_.steps) shared.push_back({&kernel_of(step), cells_of_loops(plan_.steps[step])});
    const auto main = std::find(out_.steps.begin(), out_.steps.end(), out_.main) - out_.steps.begin();
    std::optional<KernelTree> kernel = shared_kernel(shared, static_cast<std::size_t>(main));
    if (!kernel || (kernel->parts.empty() && !have_equal_regions())) return false;
    out_.kernel = *std::move(kernel);
    return true;
  }

  /// Whether the steps' own launches differ in their boxes alone.
  bool have_equal_regions() const {
    return std::all_of(out_.steps.begin(), out_.steps.end(),
                       [&](StepId step) { return launches_.at(step).regions == launches_.at(out_.main).regions; });
  }

  JointLaunch::Region region_of(const RuleMatrix& use) const {
    JointLaunch::Region out{use.matrix, use.is_output, {}};
    if (use.is_output) return out;
    bool is_first = true;
    for (const StepId step : out_.steps) {
      for (const LaunchRegion& region : launches_.at(step).regions) {
        if (region.matrix != use.matrix) continue;
        const KernelInput& input = region.input;
        const bool is_slab = input.slabs.size() == 1 && !input.bordered;
        const auto slab = is_slab ? std::optional(input.slabs.front().dim) : std::nullopt;
        if (!is_first && slab != out.slab) return {use.matrix, false, {}};
        out.slab = slab;
        is_first = false;
      }
    }
    return out;
  }

  const TransformPlan& plan_;
  const Transform& transform_;
  const std::map<StepId, StepLaunch>& launches_;
  JointLaunch out_;
};

}  // namespace

std::optional<JointLaunch> find_joint_launch(const Program& program, const TransformPlan& plan,
                                             const std::map<StepId, StepLaunch>& launches, const JointGroup& group) {
  return JointLaunchFinder(plan, program.transforms[plan.transform], launches).find(group);
}

}  // namespace pb
