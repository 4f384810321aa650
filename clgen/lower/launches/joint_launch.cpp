// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/joint_launch.h"

#include <algorithm>
#include <variant>

#include "clgen/lower/analysis/box_bounds.h"

namespace pb {
namespace {

/// Each box that is tested costs a launch that many scalars, and instances that many comparisons.
constexpr std::size_t kMaxBoxes = 8;

/// Whether each work-item of the kernel runs instances by itself, wherever they lie.
bool is_plain(const KernelTree& kernel) {
  bool out = kernel.with_versions.empty() && kernel.tree.buffers.empty();
  walk(kernel.tree.root, [&](const TreeNode& node) {
    const auto* instance = std::get_if<RuleInstance>(&node.node);
    const bool is_loop = std::holds_alternative<TreeLoop>(node.node);
    out = out && (is_loop || (instance != nullptr && instance->conditions.empty()));
  });
  return out;
}

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

bool is_input_of(const KernelTree& kernel, MatrixId matrix) {
  return std::any_of(kernel.matrices.begin(), kernel.matrices.end(),
                     [&](const RuleMatrix& use) { return use.matrix == matrix && !use.is_output; });
}

class JointLaunchFinder {
 public:
  JointLaunchFinder(const TransformPlan& plan, const Transform& transform, const std::map<StepId, StepLaunch>& launches)
      : plan_(plan), transform_(transform), launches_(launches) {}

  std::optional<JointLaunch> find(const JointGroup& group) {
    if (!choose_steps(group)) return std::nullopt;
    out_.kernel = kernel_of(out_.main);
    out_.cut_dim = launches_.at(out_.main).cut_dim;
    for (const StepId step : out_.steps) out_.of_steps.push_back(launches_.at(step).regions);
    add_parameters();
    if (!add_parts()) return std::nullopt;
    for (const RuleMatrix& use : out_.kernel.matrices) out_.regions.push_back(region_of(use));
    return std::move(out_);
  }

 private:
  const KernelTree& kernel_of(StepId step) const { return launches_.at(step).kernel; }
  RuleId rule_of(StepId step) const { return plan_.steps[step].rule; }

  /// Chooses the steps, beginning with the one whose rule reads most. Where steps exclude each other, the earlier one
  /// is chosen.
  bool choose_steps(const JointGroup& group) {
    std::vector<StepId> able;
    for (const StepId id : group.steps)
      if (may_share_launch(id)) able.push_back(id);
    if (able.size() < 2) return false;
    const auto num_inputs = [&](StepId id) { return transform_.rules[rule_of(id)].inputs.size(); };
    out_.main =
        *std::max_element(able.begin(), able.end(), [&](StepId a, StepId b) { return num_inputs(a) < num_inputs(b); });
    out_.steps = {out_.main};
    for (const StepId id : able)
      if (id != out_.main && has_room_for(id)) out_.steps.push_back(id);
    std::sort(out_.steps.begin(), out_.steps.end());
    return out_.steps.size() > 1;
  }

  bool may_share_launch(StepId step) const {
    const auto launch = launches_.find(step);
    return launch != launches_.end() && is_plain(launch->second.kernel) && writes_own_cells(launch->second);
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

  /// Adds to the kernel what the kernels of the other steps get.
  void add_parameters() {
    for (const StepId step : out_.steps) {
      const KernelTree& kernel = kernel_of(step);
      out_.kernel.needs_fp64 = out_.kernel.needs_fp64 || kernel.needs_fp64;
      for (const RuleMatrix& use : kernel.matrices)
        if (!use.is_output && !is_input_of(out_.kernel, use.matrix)) out_.kernel.matrices.push_back(use);
      for (const KernelScalar& scalar : kernel.scalars) add_scalar(scalar);
    }
  }

  void add_scalar(const KernelScalar& scalar) {
    const auto known = std::find_if(out_.kernel.scalars.begin(), out_.kernel.scalars.end(),
                                    [&](const KernelScalar& other) { return other.name == scalar.name; });
    if (known == out_.kernel.scalars.end()) {
      out_.kernel.scalars.push_back(scalar);
    } else {
      known->is_specialized = known->is_specialized || scalar.is_specialized;
    }
  }

  /// Adds a part for each rule, that of the main step first. Only the last one needs no boxes.
  bool add_parts() {
    std::vector<RuleId> rules{rule_of(out_.main)};
    for (const StepId step : out_.steps)
      if (std::find(rules.begin(), rules.end(), rule_of(step)) == rules.end()) rules.push_back(rule_of(step));
    if (rules.size() == 1) return have_equal_regions();
    std::size_t num_boxes = 0;
    for (const RuleId rule : rules) {
      KernelPart part;
      for (const StepId step : out_.steps) {
        if (rule_of(step) != rule) continue;
        part.kernel = kernel_of(step);
        if (rule == rules.back()) continue;
        part.boxes.push_back(num_boxes);
        add_bounds(num_boxes++, instance_box(plan_.steps[step]));
      }
      out_.kernel.parts.push_back(std::move(part));
    }
    return num_boxes <= kMaxBoxes;
  }

  /// Whether the steps' own launches differ in their boxes alone.
  bool have_equal_regions() const {
    return std::all_of(out_.steps.begin(), out_.steps.end(),
                       [&](StepId step) { return launches_.at(step).regions == launches_.at(out_.main).regions; });
  }

  void add_bounds(std::size_t box, const BoxBounds& bounds) {
    for (std::size_t d = 0; d < bounds.size(); ++d)
      for (const bool is_upper : {false, true}) {
        KernelScalar scalar{ScalarSource::Bound, ScalarType::Int, box_bound_name(box, is_upper, d), ""};
        scalar.bound = is_upper ? bounds[d].hi : bounds[d].lo;
        out_.kernel.scalars.push_back(std::move(scalar));
      }
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
