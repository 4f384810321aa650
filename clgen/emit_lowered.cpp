// SPDX-License-Identifier: MIT
#include "clgen/emit_lowered.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "clgen/facts/names.h"
#include "clgen/lower/schedule/schedule_text.h"
#include "clgen/lower/tree_text.h"

namespace pb {
namespace {

/// Returns a line for each loop of a rule's body that asks for elements ahead.
std::string reads_ahead_text(const std::vector<ReadsAhead>& all) {
  std::string out;
  for (const ReadsAhead& reads : all)
    out += fmt::format("  its loop over {} asks {} lines ahead for {}\n", reads.counter, to_string(reads.lines),
                       joined(reads.inputs));
  return out;
}

/// Returns a line for each loop of a rule's body that may run in chunks, and for each that may run in lanes.
std::string loops_text(const std::vector<TaskLoop>& divided, const std::vector<LaneLoop>& loops,
                       const Computation& computation) {
  std::string out;
  for (const TaskLoop& each : divided) out += "  " + to_words(each, computation.loop_of(each.loop)) + "\n";
  for (const LaneLoop& loop : loops) out += "  " + to_words(loop, computation.loop_of(loop.loop)) + "\n";
  return out;
}

/// Returns a line for each part of a kernel.
std::string parts_text(const Program& program, const KernelTree& kernel) {
  std::string out;
  for (const KernelPart& part : kernel.parts) {
    std::vector<std::string> boxes;
    for (const std::size_t box : part.boxes) boxes.push_back("pb_box" + std::to_string(box));
    out += fmt::format("  part {} {}\n", program.transforms[kernel.transform].rules[part.kernel.rule].name,
                       boxes.empty() ? "elsewhere" : "in " + joined(boxes));
  }
  return out;
}

/// Returns what a joint launch runs, and its kernel.
std::string joint_launch_text(const Program& program, const JointLaunch& launch) {
  std::vector<std::string> steps;
  for (const StepId step : launch.steps) steps.push_back(std::to_string(step.index()));
  return fmt::format("one launch of steps {}\n", joined(steps)) + to_text(program, launch.kernel) +
         parts_text(program, launch.kernel);
}

/// Returns the kernels that make versions of a temporary.
std::string version_launch_text(const Program& program, const VersionLaunch& launch) {
  std::vector<std::string> steps;
  for (const StepId step : launch.steps.steps) steps.push_back(std::to_string(step.index()));
  std::string out;
  if (launch.kernel)
    out += fmt::format("a launch of steps {} per version\n", joined(steps)) + to_text(program, *launch.kernel) +
           parts_text(program, *launch.kernel);
  if (launch.tile) {
    std::vector<std::string> radius;
    for (const std::int64_t each : launch.tile->time_tile->radius) radius.push_back(std::to_string(each));
    out += fmt::format("time tiles of steps {} with margins {} per version{}\n", joined(steps), joined(radius, " x "),
                       launch.tile->time_tile->may_use_any_value ? ", of any values" : "") +
           to_text(program, *launch.tile) + parts_text(program, *launch.tile);
  }
  return out;
}

/// Returns what a step that may run in bands of rows makes of what it alone reads.
std::string bands_text(const Transform& transform, const TransformPlan& plan, const TiledSteps& bands) {
  std::string out = fmt::format("bands of step {} with what it alone reads\n", bands.reader.index());
  for (const TiledMatrix& tiled : bands.matrices) {
    std::vector<std::string> makers;
    for (std::size_t i = 0; i < tiled.steps.size(); ++i) {
      const Step& step = plan.steps[tiled.steps[i]];
      makers.push_back(fmt::format("{} of step {} along {}", transform.rules[step.rule].name, tiled.steps[i].index(),
                                   step.loops[tiled.row_loops[i]].var));
    }
    out += fmt::format("  per band {}, rows [{}, {}), by {}\n", transform.matrices[tiled.matrix].name, tiled.lo.front(),
                       tiled.hi.front(), joined(makers));
  }
  return out;
}

/// Returns the kernel of a launch that computes temporaries, and what it knows of these.
std::string tile_launch_text(const Program& program, const TileLaunch& launch) {
  const Transform& transform = program.transforms[launch.kernel.transform];
  std::string out = fmt::format("a launch of step {} with what it alone reads\n", launch.steps.reader.index());
  for (const TileStage& stage : launch.kernel.tiles) {
    std::vector<std::string> sides, makers;
    for (std::size_t d = 0; d < stage.lo.size(); ++d)
      sides.push_back(fmt::format("[{}, {})", stage.lo[d], stage.hi[d]));
    for (const KernelPart& part : stage.parts)
      makers.push_back(fmt::format("{} of step {}", transform.rules[part.kernel.rule].name, part.kernel.step.index()));
    out += fmt::format("  per tile {}, near {}, by {}{}\n", transform.matrices[stage.matrix].name, joined(sides, " x "),
                       joined(makers), stage.has_vectors ? "; of the first in vectors" : "");
  }
  return out + to_text(program, launch.kernel);
}

}  // namespace

std::string emit_lowered(const Program& program, const Plan& plan, const LoweredProgram& lowered) {
  std::string out;
  for (const TransformPlan& transform : plan.transforms) {
    const LoweredTransform& of_transform = lowered.transforms[transform.transform.index()];
    out += to_text(program, transform, of_transform.schedule);
    for (const StepId id : transform.steps.ids()) {
      const Step& step = transform.steps[id];
      const bool is_in_nest = std::any_of(transform.nests.begin(), transform.nests.end(),
                                          [&](const Nest& nest) { return has_member(nest, id); });
      const std::vector<LaneLoop>& lanes = of_transform.lanes[step.rule];
      const std::vector<TaskLoop>& divided = of_transform.task_loops[step.rule];
      const bool has_forms = !lanes.empty() || !divided.empty();
      if (!is_in_nest && step.loops.empty() && has_forms)
        out += fmt::format("instance {}\n", of_transform.rules[step.rule].rule.name);
      if (!is_in_nest && !step.loops.empty()) {
        const RuleShape& rule = of_transform.rules[step.rule];
        out += to_text(rule, id, of_transform.steps[id].loops) + reads_ahead_text(of_transform.reads_ahead[step.rule]);
      }
      if (!of_transform.steps[id].scanned.empty())
        out += scans_text(of_transform.rules[step.rule], id, of_transform.steps[id].scanned);
      if (!is_in_nest && has_forms) out += loops_text(divided, lanes, transform.computations[step.rule.index()]);
      for (const LoweredKernel& kernel : of_transform.steps[id].kernels) out += to_text(program, kernel.tree);
    }
    for (const JointLaunch& launch : of_transform.launches) out += joint_launch_text(program, launch);
    for (const TiledSteps& bands : of_transform.bands)
      out += bands_text(program.transforms[transform.transform], transform, bands);
    for (const TileLaunch& launch : of_transform.tiles) out += tile_launch_text(program, launch);
    for (const VersionLaunch& launch : of_transform.versions) out += version_launch_text(program, launch);
    for (std::size_t f = 0; f < transform.fused.size(); ++f)
      out += to_text(program, transform, transform.fused[f], of_transform.fused[f].loops);
    for (std::size_t n = 0; n < transform.nests.size(); ++n) {
      const Nest& nest = transform.nests[n];
      out += to_text(transform, nest);
      for (std::size_t m = 0; m < nest.members.size(); ++m) {
        const StepId step = nest.members[m].step;
        const RuleShape& rule = of_transform.rules[transform.steps[step].rule];
        out += to_text(rule, step, of_transform.nests[n].members[m].loops);
      }
    }
    for (const CheckedSum& sum : of_transform.sums)
      out += to_words(sum, program.transforms[transform.transform]) + "\n";
  }
  return out;
}

}  // namespace pb
