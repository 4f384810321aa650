// SPDX-License-Identifier: MIT
#include "clgen/lower/lower.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launches/inside_of_box.h"
#include "clgen/facts/names.h"
#include "clgen/facts/numbering.h"
#include "clgen/lower/accesses/read_boxes.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/lower/loops/find_scans.h"
#include "clgen/lower/loops/find_tiles.h"
#include "clgen/lower/loops/fused_loops.h"
#include "clgen/lower/loops/nest_loops.h"
#include "clgen/lower/loops/strip_loops.h"
#include "clgen/lower/schedule/joint_steps.h"
#include "clgen/lower/verify_tree.h"
#include "lang/check.h"

namespace pb {
namespace {

/// Lowers the parts of one transform.
class TransformLowering {
 public:
  TransformLowering(const Program& program, const TransformPlan& plan, PackUse packs, bool has_kernels)
      : program_(program), plan_(plan), packs_(packs), rules_(find_rule_shapes(program, plan, has_kernels)) {}

  LoweredTransform run() && {
    LoweredTransform out;
    out.bands = steps_in_bands();
    out.schedule = make_schedule(program_, plan_, rules_, out.bands);
    for (const RuleShape& rule : rules_) out.reads_ahead.add(find_reads_ahead(rule));
    for (const RuleShape& rule : rules_) out.lanes.add(lanes_of(rule));
    for (const RuleShape& rule : rules_) out.task_loops.add(task_loops_of(rule));
    for (const StepId id : plan_.steps.ids()) out.steps.add(step(id));
    for (const Nest& each : plan_.nests) out.nests.push_back(nest(each));
    for (const FusedSteps& steps : plan_.fused) out.fused.push_back(fused(steps));
    const std::map<StepId, StepLaunch> launches = step_launches(out);
    out.launches = joint_launches(launches, out.schedule);
    out.tiles = tile_launches(launches);
    out.versions = version_launches(out);
    out.sums = find_checked_sums(program_.transforms[plan_.transform], plan_, program_.element);
    out.rules = std::move(rules_);
    return out;
  }

 private:
  /// Returns the launches of steps that a device may share with the CPU.
  [[nodiscard]] std::map<StepId, StepLaunch> step_launches(const LoweredTransform& lowered) const {
    std::map<StepId, StepLaunch> out;
    for (const StepId id : plan_.steps.ids()) {
      const LoweredStep& step = lowered.steps[id];
      if (!step.is_given_boxes || step.slice || step.cuts.empty() || has_tested_inputs(id)) continue;
      const CellDims cells = joint_cells(rules_, plan_, id);
      std::string box = step.boxes.size() == 1 ? step.boxes.front().name : "";
      if (has_fixed(cells))
        for (const StepBox& each : step.boxes)
          if (each.bounds == cell_box(cells)) box = each.name;
      for (const LoweredKernel& kernel : step.kernels)
        if (kernel.tree.version == Version::OpenCl) out[id] = {kernel.tree, kernel.regions, box, step.cuts.front().dim};
    }
    return out;
  }

  /// Whether a launch needs to know where the step's inputs lie.
  [[nodiscard]] bool has_tested_inputs(StepId id) const {
    const std::vector<RegionAccess>& inputs = rule_of(id).rule.inputs;
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const RegionAccess& input) { return !input.tested_dims.empty(); });
  }

  [[nodiscard]] std::vector<JointLaunch> joint_launches(const std::map<StepId, StepLaunch>& launches,
                                                        const Schedule& schedule) const {
    std::vector<JointLaunch> out;
    for (const StepGroup& group : schedule.groups) {
      const auto* joint = std::get_if<JointGroup>(&group);
      auto launch = joint == nullptr ? std::nullopt : find_joint_launch(program_, plan_, launches, *joint);
      if (launch) out.push_back(*std::move(launch));
    }
    return out;
  }

  /// Whether a configuration may say so. When compiling, it may have been decided that it does not.
  [[nodiscard]] bool may_compute_per_tile(RuleId rule, TunableRole role) const {
    return std::any_of(plan_.tunables.begin(), plan_.tunables.end(), [&](const PlanTunable& tunable) {
      const bool is_never = tunable.is_constant() && tunable.fixed.front() == 0;
      return tunable.role == role && tunable.rule == rule && !is_never;
    });
  }

  [[nodiscard]] std::vector<TiledSteps> steps_in_bands() const {
    std::vector<TiledSteps> out;
    for (const StepId id : plan_.steps.ids()) {
      if (!may_compute_per_tile(plan_.steps[id].rule, TunableRole::Bands)) continue;
      TiledSteps found = find_tiled_steps(program_.transforms[plan_.transform], plan_, id, TileKind::Bands);
      if (!found.matrices.empty()) out.push_back(std::move(found));
    }
    return out;
  }

  [[nodiscard]] std::vector<TileLaunch> tile_launches(const std::map<StepId, StepLaunch>& launches) const {
    std::vector<TileLaunch> out;
    for (const auto& [id, launch] : launches) {
      if (!may_compute_per_tile(plan_.steps[id].rule, TunableRole::PerTile)) continue;
      if (auto tiles = find_tile_launch(program_, plan_, launches, id)) out.push_back(*std::move(tiles));
    }
    return out;
  }

  [[nodiscard]] std::vector<VersionLaunch> version_launches(const LoweredTransform& lowered) const {
    std::map<StepId, const KernelTree*> kernels;
    for (const StepId id : plan_.steps.ids())
      for (const LoweredKernel& kernel : lowered.steps[id].kernels)
        if (kernel.tree.version == Version::OpenCl && lowered.steps[id].slice) kernels[id] = &kernel.tree;
    std::vector<VersionLaunch> out;
    for (std::size_t n = 0; n < plan_.nests.size(); ++n)
      if (auto launch = find_version_launch(program_, plan_, n, kernels)) out.push_back(*std::move(launch));
    return out;
  }

  [[nodiscard]] const RuleShape& rule_of(StepId id) const { return rules_[plan_.steps[id].rule]; }
  [[nodiscard]] std::vector<const RuleShape*> rules_of(const std::vector<StepId>& steps) const {
    std::vector<const RuleShape*> out;
    for (const StepId id : steps) out.push_back(&rule_of(id));
    return out;
  }

  /// Returns the loops of the rule's body that run in lanes; those that are rounded in another way then, only if the
  /// order is a choice.
  [[nodiscard]] std::vector<LaneLoop> lanes_of(const RuleShape& rule) const {
    if (!may_change_loops(rule) || !prefers_rounds_in_lanes(rule.rule)) return {};
    const bool has_order = has_tunable(rule, TunableRole::FoldOrder);
    auto out = find_lane_loops(rule.rule, plan_.computations[rule.rule_id.index()], rule.element);
    std::erase_if(out, [&](const LaneLoop& loop) { return loop.rounds && !has_order; });
    return out;
  }

  /// Returns the loops of the rule's body that tasks divide; those that are rounded in another way then, only if the
  /// order is a choice.
  [[nodiscard]] std::vector<TaskLoop> task_loops_of(const RuleShape& rule) const {
    if (!may_change_loops(rule) || !has_tunable(rule, TunableRole::FoldChunk)) return {};
    const bool has_order = has_tunable(rule, TunableRole::FoldOrder);
    auto out = find_task_loops(rule.rule, plan_.computations[rule.rule_id.index()]);
    std::erase_if(out, [&](const TaskLoop& fold) { return fold.is_rounded && !has_order; });
    return out;
  }

  /// Whether loops of the rule's body may run in another form than that of the source.
  [[nodiscard]] bool may_change_loops(const RuleShape& rule) const {
    const bool has_handles =
        std::any_of(rule.matrices.begin(), rule.matrices.end(), [](const RuleMatrix& use) { return use.needs_handle; });
    return packs_ != PackUse::None && !has_handles && !plan_.computations.empty();
  }

  [[nodiscard]] bool has_tunable(const RuleShape& rule, TunableRole role) const {
    return std::any_of(plan_.tunables.begin(), plan_.tunables.end(), [&](const PlanTunable& tunable) {
      return tunable.role == role && tunable.rule == rule.rule_id;
    });
  }

  [[nodiscard]] LoweredStep step(StepId id) const {
    const Step& step = plan_.steps[id];
    const RuleShape& rule = rule_of(id);
    LoweredStep out;
    out.boxes = step_boxes(plan_, rule, id);
    out.is_given_boxes = takes_boxes(plan_, id);
    out.pieces = pieces_of(plan_, id);
    if (out.pieces == StepPieces::Split) {
      out.lines = written_lines(rule, step);
      out.read = read_lines(rule, step);
      out.shared = shared_inputs(rule, step);
    }
    out.cuts = cuts_of(plan_, rule, id);
    if (!step.loops.empty() || may_loop(rule.rule)) out.views = find_fast_views(rule);
    if (!out.cuts.empty()) out.fetched = fetched_parts(plan_, rule, id, out.cuts.front().box.name + kOnCpu);
    if (packs_ != PackUse::None) out.scanned = scan_loops(plan_, rule, step);
    if (const Nest* own = own_nest(plan_, id)) {
      out.care = care_in(plan_, *own, {&rule}, 0);
    } else {
      out.loops = lower_cpu_loops(rule, step, packs_);
      if (packs_ != PackUse::None) out.loops.tiled = tile_loops(plan_, rule, id);
      out.care = care_of(rule, step);
      out.has_tall_pieces = find_strips(rule, step).has_value();
    }
    out.hosted = out.care == HostCare::Step ? parts_of_step(plan_, rule, id) : parts_of_box(rule, step, kOneInstance);
    const std::optional<Step> slice = slice_of(id);
    for (const Version version : kDeviceVersions) {
      if (choices_running(plan_, step, version).empty()) continue;
      if (slice) out.slice = StepBox{"pb_box", slice->loops.size(), {}};
      KernelTree kernel = lower_kernel(program_, plan_, id, version);
      std::vector<LaunchRegion> regions =
          slice                              ? slice_regions(plan_, rule, *slice, kernel.matrices)
          : scans_of(kernel.tree) != nullptr ? scan_regions(plan_, rule, id, kernel.matrices)
          : waves_of(kernel.tree) != nullptr ? wave_regions(plan_, rule, id, kernel.matrices)
                                             : launch_regions(plan_, rule, id, kernel.matrices);
      out.kernels.push_back({std::move(kernel), std::move(regions), inside_tests(rule, step)});
    }
    return out;
  }

  [[nodiscard]] static std::vector<InsideTest> inside_tests(const RuleShape& rule, const Step& step) {
    std::vector<InsideTest> out;
    for (std::size_t i = 0; i < rule.rule.inputs.size(); ++i) {
      const RegionAccess& input = rule.rule.inputs[i];
      for (const std::size_t dim : input.tested_dims)
        if (auto values =
                inside_of_box(input, dim, view_extent(rule.matrix(input.matrix), dim), ranges_in(step, "pb_box"))
                    .value();
            !values.empty())
          out.push_back({i, std::move(values)});
    }
    return out;
  }

  /// Returns the step in a slice of its nest, if each slice may be a launch.
  [[nodiscard]] std::optional<Step> slice_of(StepId id) const {
    const Nest* nest = launch_nest(plan_, id);
    return nest != nullptr ? std::optional(step_in_slices(plan_, member_of(*nest, id))) : std::nullopt;
  }

  [[nodiscard]] LoweredNest nest(const Nest& nest) const {
    std::vector<StepId> steps;
    for (const NestMember& member : nest.members) steps.push_back(member.step);
    const std::vector<const RuleShape*> rules = rules_of(steps);
    LoweredNest out;
    for (std::size_t m = 0; m < nest.members.size(); ++m) {
      const NestMember& member = nest.members[m];
      const HostCare care = care_in(plan_, nest, rules, m);
      out.members.push_back({lower_member_loops(*rules[m], plan_, nest, member, packs_), care,
                             care == HostCare::Step ? parts_of_step(plan_, *rules[m], member.step)
                                                    : parts_within(*rules[m], nest, member, care),
                             find_fast_views(*rules[m])});
    }
    VersionBands bands = find_version_bands(program_.transforms[plan_.transform], plan_, nest);
    if (bands.why_not.empty()) out.bands = std::move(bands);
    return out;
  }

  /// Returns the accesses that host code announces around each slice, each point of a tile, or each instance.
  [[nodiscard]] HostParts parts_within(const RuleShape& rule, const Nest& nest, const NestMember& member,
                                       HostCare care) const {
    const bool is_by_instance = care == HostCare::Instance;
    if (!is_sliced(nest)) return parts_of_box(rule, plan_.steps[member.step], is_by_instance ? kOneInstance : "");
    const Step slice = step_in_slices(plan_, member);
    // A slice without loops is a single instance, which needs no box of its own.
    return parts_of_box(rule, slice, slice.loops.empty() ? "" : is_by_instance ? kOneInstance : kSlice);
  }

  [[nodiscard]] LoweredFused fused(const FusedSteps& steps) const {
    RuleShape all = rule_of(steps.front());
    for (std::size_t i = 1; i < steps.size(); ++i) all.join_matrices(rule_of(steps[i]));
    return {fused_loops(rules_of(steps), plan_, steps), parts_of_step(plan_, all, steps.front()), find_fast_views(all)};
  }

  const Program& program_;
  const TransformPlan& plan_;
  PackUse packs_;
  RuleShapes rules_;
};

void check(const std::string& fault) { PB_CHECK(fault.empty(), fault.c_str()); }

void verify_loops(const Step& step, const CpuLoops& loops) {
  check(verify(step, loops.plain));
  check(verify(step, loops.packed));
  check(verify(step, loops.tiled));
}

void verify_transform(const Transform& transform, const TransformPlan& plan, const LoweredTransform& lowered) {
  for (const StepId id : plan.steps.ids()) {
    verify_loops(plan.steps[id], lowered.steps[id].loops);
    check(verify(plan.steps[id], lowered.steps[id].scanned));
    for (const LoweredKernel& kernel : lowered.steps[id].kernels) check(verify(transform, kernel.tree));
  }
  for (const JointLaunch& launch : lowered.launches) check(verify(transform, launch.kernel));
  for (const TileLaunch& launch : lowered.tiles) check(verify(transform, launch.kernel));
  for (const VersionLaunch& launch : lowered.versions) {
    if (launch.kernel) check(verify(transform, *launch.kernel));
    if (launch.tile) check(verify(transform, *launch.tile));
  }
  for (std::size_t n = 0; n < plan.nests.size(); ++n)
    for (std::size_t m = 0; m < plan.nests[n].members.size(); ++m)
      verify_loops(plan.steps[plan.nests[n].members[m].step], lowered.nests[n].members[m].loops);
  for (std::size_t f = 0; f < plan.fused.size(); ++f)
    check(verify(plan.steps[plan.fused[f].front()], lowered.fused[f].loops));
}

}  // namespace

LoweredProgram lower(const Program& program, const Plan& plan, PackUse packs) {
  LoweredProgram out;
  out.has_kernels = has_kernels(plan);
  for (const TransformPlan& transform : plan.transforms) {
    out.transforms.push_back(TransformLowering(program, transform, packs, out.has_kernels).run());
    verify_transform(program.transforms[transform.transform], transform, out.transforms.back());
  }
  return out;
}

}  // namespace pb
