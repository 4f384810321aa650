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

/// Returns the range that a step reads of a matrix along a dimension, if it is the same for all of its instances.
std::optional<IndexRange> fixed_range(const Step& step, const Rule& rule, MatrixId matrix, std::size_t dim) {
  std::vector<IndexExpr> lo, hi;
  for (const InputBox& box : step.input_boxes) {
    if (rule.inputs[box.input].matrix != matrix) continue;
    for (const IndexExpr& end : {box.lo[dim], box.hi[dim]})
      for (const std::string& name : symbols_of(end))
        for (const LoopDim& loop : step.loops)
          if (loop.var == name) return std::nullopt;
    lo.push_back(box.lo[dim]);
    hi.push_back(box.hi[dim]);
  }
  return lo.empty() ? std::nullopt : std::optional(IndexRange{index_min(lo), index_max(hi)});
}

class JointLaunchFinder {
 public:
  JointLaunchFinder(const TransformPlan& plan, const Transform& transform, const std::map<StepId, StepLaunch>& launches)
      : plan_(plan), transform_(transform), launches_(launches) {}

  std::optional<JointLaunch> find(const JointGroup& group) {
    if (!choose_steps(group)) return std::nullopt;
    out_.cut_dim = launches_.at(out_.main).cut_dim;
    for (const StepId step : out_.steps) {
      out_.cells.push_back(group.cells_of(step));
      out_.of_steps.push_back(regions_of(step, has_fixed(out_.cells.back())));
    }
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
    std::vector<CellDims> cells;
    for (const StepId id : group.steps) {
      if (!may_share_launch(id)) continue;
      able.push_back(id);
      cells.push_back(group.cells_of(id));
    }
    const std::optional<std::size_t> main = main_step(transform_, plan_, able, cells);
    if (!main) return false;
    out_.main = able[*main];
    out_.steps = {out_.main};
    for (const StepId id : able)
      if (id != out_.main && has_room_for(id, group.cells_of(id))) out_.steps.push_back(id);
    std::sort(out_.steps.begin(), out_.steps.end());
    return out_.steps.size() > 1;
  }

  bool may_share_launch(StepId step) const {
    const auto launch = launches_.find(step);
    return launch != launches_.end() && launch->second.kernel.with_versions.empty() &&
           launch->second.kernel.batches.empty() && runs_single_instances(launch->second.kernel) &&
           writes_own_cells(launch->second);
  }

  bool has_room_for(StepId step, const CellDims& cells) const {
    const KernelTree& kernel = kernel_of(step);
    const bool has_outputs = outputs_of(kernel) == outputs_of(kernel_of(out_.main));
    // A long body would keep registers from the instances inside.
    const bool is_short = rule_of(step) == rule_of(out_.main) || kernel.default_items > 1;
    const bool has_cut = has_fixed(cells) || launches_.at(step).cut_dim == launches_.at(out_.main).cut_dim;
    return has_outputs && is_short && has_cut && std::all_of(out_.steps.begin(), out_.steps.end(), [&](StepId other) {
             const bool is_alike = rule_of(other) != rule_of(step) || is_same(kernel_of(other), kernel);
             return is_alike && may_run_together(plan_, plan_.steps[step], plan_.steps[other]);
           });
  }

  /// Makes the kernel of all steps; false if there is none.
  bool make_kernel() {
    std::vector<SharedStep> shared;
    for (std::size_t i = 0; i < out_.steps.size(); ++i) shared.push_back({&kernel_of(out_.steps[i]), out_.cells[i]});
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

  /// What the step says of its matrices. Its own launch may be cut along another dimension than this one. Then it says
  /// what it reads along that one, if all of its instances read the same there.
  std::vector<LaunchRegion> regions_of(StepId step, bool has_one_coordinate) const {
    std::vector<LaunchRegion> out = launches_.at(step).regions;
    if (!has_one_coordinate) return out;
    for (LaunchRegion& region : out) {
      if (region.use != LaunchUse::Input || region.input.bordered) continue;
      for (const LaunchRegion& main : launches_.at(out_.main).regions) {
        if (main.matrix != region.matrix || main.use != LaunchUse::Input || main.input.slabs.size() != 1) continue;
        const std::size_t dim = main.input.slabs.front().dim;
        if (region.input.slabs.size() == 1 && region.input.slabs.front().dim == dim) continue;
        const auto range = fixed_range(plan_.steps[step], transform_.rules[rule_of(step)], region.matrix, dim);
        if (range) region.input.slabs = {{dim, *range}};
      }
    }
    return out;
  }

  JointLaunch::Region region_of(const RuleMatrix& use) const {
    JointLaunch::Region out{use.matrix, use.is_output, {}};
    if (use.is_output) return out;
    bool is_first = true;
    for (const std::vector<LaunchRegion>& regions : out_.of_steps) {
      for (const LaunchRegion& region : regions) {
        if (region.matrix != use.matrix || region.use != LaunchUse::Input) continue;
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
