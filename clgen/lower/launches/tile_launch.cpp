// SPDX-License-Identifier: MIT
#include "clgen/lower/launches/tile_launch.h"

#include <algorithm>
#include <utility>

#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/lower/launches/shared_kernel.h"

namespace pb {
namespace {

/// Each box costs a launch that many scalars.
constexpr std::size_t kMostMakers = 8;

/// Whether every cell that the launch writes gets a new value, and it reads none of them.
bool overwrites(const StepLaunch& launch) {
  return std::all_of(launch.regions.begin(), launch.regions.end(), [&](const LaunchRegion& region) {
    const bool is_output = region.use == LaunchUse::Output && region.written.size() == 1;
    return (region.use == LaunchUse::Input || is_output) && !region.read_part;
  });
}

class TileLaunchFinder {
 public:
  TileLaunchFinder(const Program& program, const TransformPlan& plan, const std::map<StepId, StepLaunch>& launches)
      : transform_(program.transforms[plan.transform]), plan_(plan), launches_(launches) {}

  std::optional<TileLaunch> find(StepId reader) {
    out_.steps = find_tiled_steps(transform_, plan_, reader, TileKind::WorkGroups);
    if (out_.steps.matrices.empty() || !may_share_launch(reader)) return std::nullopt;
    out_.kernel = kernel_of(reader);
    out_.kernel.vectors.reset();
    out_.kernel.crossed_loop.reset();
    std::erase_if(out_.kernel.matrices, [&](const RuleMatrix& use) { return stage_of(use.matrix).has_value(); });
    if (!add_reads(reader, cells_of_loops(plan_.steps[reader]))) return std::nullopt;
    std::size_t num_boxes = 0;
    for (const TiledMatrix& tiled : out_.steps.matrices) {
      TileStage stage{tiled.matrix, tiled.lo, tiled.hi, {}, false};
      for (std::size_t i = 0; i < tiled.steps.size(); ++i) {
        const StepId maker = tiled.steps[i];
        if (!may_share_launch(maker) || !makes_value(maker) || !add_reads(maker, tiled.cells[i])) return std::nullopt;
        add_maker(stage, maker, tiled.cells[i], num_boxes++);
      }
      choose_vectors(stage);
      out_.kernel.tiles.push_back(std::move(stage));
    }
    if (num_boxes > kMostMakers) return std::nullopt;
    return std::move(out_);
  }

 private:
  const KernelTree& kernel_of(StepId step) const { return launches_.at(step).kernel; }

  bool may_share_launch(StepId step) const {
    const auto launch = launches_.find(step);
    return launch != launches_.end() && launch->second.kernel.with_versions.empty() &&
           runs_single_instances(launch->second.kernel) && overwrites(launch->second);
  }

  /// Whether the body gives its cell a value, and never keeps an old one.
  bool makes_value(StepId step) const {
    const OperandKind output = instance_of(kernel_of(step).tree).outputs.front().kind;
    return output == OperandKind::Result || output == OperandKind::NewValue;
  }

  /// Returns which of the stages makes the matrix; none: it is stored.
  std::optional<std::size_t> stage_of(MatrixId matrix) const {
    const std::vector<TiledMatrix>& matrices = out_.steps.matrices;
    for (std::size_t i = 0; i < matrices.size(); ++i)
      if (matrices[i].matrix == matrix) return i;
    return std::nullopt;
  }

  /// Adds where the step reads temporaries; false if it cannot read some of them from the memory of a group.
  bool add_reads(StepId id, const CellDims& cells) {
    const Step& step = plan_.steps[id];
    const Rule& rule = transform_.rules[step.rule];
    const RuleInstance& instance = instance_of(kernel_of(id).tree);
    std::vector<std::optional<TileRead>> reads(rule.inputs.size());
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
      const std::optional<std::size_t> stage = stage_of(rule.inputs[i].matrix);
      if (!stage) continue;
      const OperandKind kind = instance.inputs[i].kind;
      if (kind != OperandKind::Value && kind != OperandKind::Cells) return false;
      reads[i] = {*stage, near_box_of(step, cells, i).lo};
    }
    const auto [known, is_new] = out_.kernel.tile_reads.emplace(step.rule, reads);
    return is_new || known->second == reads;
  }

  /// Has work-items make cells of the stage in vectors, where memory allows it: those of the first maker. The tile then
  /// begins where vectors do. All stages that have vectors have those of the same width.
  void choose_vectors(TileStage& stage) {
    const KernelTree& maker = stage.parts.front().kernel;
    if (!maker.vectors || reads_tiles(stage)) return;
    std::optional<VectorInstances>& all = out_.kernel.vectors;
    if (!all) all = VectorInstances{maker.vectors->width, {}, {}, {}};
    if (all->width != maker.vectors->width) return;
    for (const MatrixId matrix : maker.vectors->matrices)
      if (matrix != stage.matrix &&
          std::find(all->matrices.begin(), all->matrices.end(), matrix) == all->matrices.end())
        all->matrices.push_back(matrix);
    const std::int64_t width = all->width;
    const std::int64_t beyond = ((stage.lo[0] % width) + width) % width;
    stage.lo[0] -= beyond;
    stage.hi[0] += (width - (stage.hi[0] - stage.lo[0] - 1) % width) % width;
    stage.has_vectors = true;
  }

  /// Whether some maker of the stage reads another tile, which has the cells that the stage's own ones need, and no
  /// more.
  bool reads_tiles(const TileStage& stage) const {
    return std::any_of(stage.parts.begin(), stage.parts.end(), [&](const KernelPart& part) {
      const std::vector<std::optional<TileRead>>& reads = out_.kernel.tile_reads.at(part.kernel.rule);
      return std::any_of(reads.begin(), reads.end(), [](const auto& read) { return read.has_value(); });
    });
  }

  void add_maker(TileStage& stage, StepId maker, const CellDims& cells, std::size_t box) {
    KernelTree kernel = kernel_of(maker);
    std::erase_if(kernel.matrices,
                  [&](const RuleMatrix& use) { return !use.is_output && stage_of(use.matrix).has_value(); });
    add_parameters(out_.kernel, kernel);
    add_bounds(out_.kernel, box, cell_box(cells));
    stage.parts.push_back({std::move(kernel), variables_of(cells), {box}});
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const std::map<StepId, StepLaunch>& launches_;
  TileLaunch out_;
};

}  // namespace

std::optional<TileLaunch> find_tile_launch(const Program& program, const TransformPlan& plan,
                                           const std::map<StepId, StepLaunch>& launches, StepId reader) {
  return TileLaunchFinder(program, plan, launches).find(reader);
}

}  // namespace pb
