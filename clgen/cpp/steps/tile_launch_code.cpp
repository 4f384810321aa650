// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/tile_launch_code.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/steps/band_code.h"
#include "clgen/cpp/steps/several_steps_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/kernel.h"

namespace pb {
namespace {

/// The launches, each behind those that would make temporaries for it.
std::vector<const TileLaunch*> in_order(const std::vector<TileLaunch>& launches) {
  std::vector<const TiledSteps*> all;
  for (const TileLaunch& launch : launches) all.push_back(&launch.steps);
  std::vector<const TileLaunch*> out;
  for (const std::size_t i : behind_their_readers(all)) out.push_back(&launches[i]);
  return out;
}

/// The name of the closure that runs the launch in a frame, and says whether nothing is left to do.
std::string closure_name(const TileLaunch& launch) {
  return "pb_run_tiles_" + std::to_string(launch.steps.reader.index());
}

/// Prints what one launch needs.
class TileLaunchCode : SeveralStepsCode {
 public:
  TileLaunchCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch,
                 const TileLaunch& launch)
      : SeveralStepsCode(out, context, id, dispatch), launch_(launch), reader_(plan_.steps[launch.steps.reader]) {}

  void emit() {
    out_.line("const bool " + tile_flag_name(launch_) + " = " + flag_value() + ";");
    out_.open("const auto " + closure_name(launch_) + " = [&](pbrt::Frame& pb_step) -> bool");
    emit_boxes(out_, lowered(launch_.steps.reader).boxes);
    out_.line("if (pb_box.is_empty()) return false;");
    out_.line("pbrt::gpu::StepCheck pb_check;");
    out_.line("pbrt::gpu::Piece pb_piece;");
    out_.line("pb_piece.is_of_several = true;");
    emit_launch();
    for (const StepId maker : launch_.steps.makers()) dispatch_.emit_count(out_, maker, "pb_step", Version::OpenCl);
    dispatch_.emit_count(out_, launch_.steps.reader, "pb_step", Version::OpenCl);
    out_.open("if (pb_check.has_results())");
    for (const StepId maker : launch_.steps.makers()) emit_on_cpu(maker);
    emit_on_cpu(launch_.steps.reader);
    emit_comparison(out_, "pb_step");
    out_.close();
    out_.line("return true;");
    out_.close(";");
  }

 private:
  const LoweredStep& lowered(StepId step) const { return lowered_of(context_, id_).steps[step]; }
  std::size_t num_dims() const { return launch_.kernel.vars.size(); }

  /// When the launch is to be tried: where a configuration says so, and all steps run on the whole of a device, in the
  /// basic version. Checked programs have all matrices.
  std::string flag_value() const {
    if (context_.options.is_checked) return "false";
    std::vector<StepId> steps = launch_.steps.makers();
    steps.push_back(launch_.steps.reader);
    std::vector<Condition> terms;
    for (const StepId step : steps) {
      const Version version = Version::OpenCl;
      terms.push_back(dispatch_.conditions().runs(step));
      terms.push_back(dispatch_.conditions().chosen(plan_.steps[step], {&version, 1}));
    }
    // A launch that makes what this one writes does all of it.
    for (const TileLaunch& other : lowered_of(context_, id_).tiles)
      if (other.steps.is_maker(launch_.steps.reader))
        terms.push_back(Condition::not_(Condition::named(tile_flag_name(other))));
    const std::string chosen = dispatch_.shape_value(reader_, Version::OpenCl, TunableRole::PerTile);
    std::string out = to_operand(Condition::all_of(std::move(terms))) + " && *(" + chosen + ") != 0";
    if (const std::optional<std::string> share = dispatch_.share_value())
      out += " && pbrt::gpu::is_all_on_device(" + *share + ")";
    return out;
  }

  void emit_launch() {
    const KernelTree& kernel = launch_.kernel;
    out_.line("const pbrt::gpu::CopyOut pb_copy_out = " +
              to_cpp(dispatch_.conditions().copy_out_of_whole(launch_.steps.reader)) + ";");
    emit_launch_of(tile_kernel_name(context_.program, launch_), "pb_step");
    for (const RuleMatrix& use : kernel.matrices) emit_matrix(use);
    emit_arrivals(out_, transform_, kernel, "pb_step");
    for (const KernelScalar& scalar : kernel.scalars) out_.line("pb_launch.scalar(" + launch_value(scalar) + ");");
    for (const TileStage& stage : kernel.tiles) emit_tile(stage);
    emit_range("pb_box", num_dims(), reader_);
    out_.line("if (!" + run_call("pb_step", reader_, "pb_check") + ") return false;");
  }

  /// A step, and what its own launch says of a matrix.
  struct Use {
    StepId step;
    const LaunchRegion* region;
  };

  std::vector<Use> uses_of(const RuleMatrix& use) const {
    std::vector<StepId> steps = launch_.steps.makers();
    steps.insert(steps.begin(), launch_.steps.reader);
    std::vector<Use> out;
    for (const StepId step : steps)
      for (const LoweredKernel& kernel : lowered(step).kernels)
        for (const LaunchRegion& region : kernel.regions)
          if (kernel.tree.version == Version::OpenCl && region.matrix == use.matrix &&
              (region.use == LaunchUse::Output) == use.is_output)
            out.push_back({step, &region});
    return out;
  }

  /// Prints what the launch says of a matrix: what the launch of the only step that uses it says, or all of it.
  void emit_matrix(const RuleMatrix& use) {
    const std::vector<Use> uses = uses_of(use);
    const std::string& name = transform_.matrices[use.matrix].name;
    if (uses.size() == 1 && uses.front().step == launch_.steps.reader) return emit_as_of(uses.front());
    if (uses.size() == 1) {
      out_.open("");
      emit_boxes(out_, lowered(uses.front().step).boxes);
      out_.open("if (pb_box.is_empty())");
      out_.line("pb_launch.input(" + name + ");");
      out_.reopen("else");
      emit_as_of(uses.front());
      out_.close();
      out_.close();
      return;
    }
    out_.line("pb_launch.input(" + name + ");");
    // Programs that check copies also hear exactly what is read, if all steps know it.
    const bool checks = !RuleCode(context_, id_, launch_.kernel.rule).origin.empty();
    if (!checks || !std::all_of(uses.begin(), uses.end(), [](const Use& each) { return each.region->reads; })) return;
    for (const Use& each : uses) {
      out_.open("");
      emit_boxes(out_, lowered(each.step).boxes);
      out_.line("if (!pb_box.is_empty()) pb_launch.reads(" + name + ", " + to_cpp(*each.region->reads) + ");");
      out_.close();
    }
  }

  void emit_as_of(const Use& use) {
    emit_launch_region(out_, RuleCode(context_, id_, plan_.steps[use.step].rule), *use.region);
  }

  void emit_tile(const TileStage& stage) {
    const Matrix& matrix = transform_.matrices[stage.matrix];
    std::vector<std::int64_t> more;
    for (std::size_t d = 0; d < num_dims(); ++d) more.push_back(stage.hi[d] - stage.lo[d] - 1);
    emit_buffers("pb_tile_" + matrix.name, matrix, more);
  }

  /// Runs the step on the CPU, whose results are compared with the device's.
  void emit_on_cpu(StepId step) {
    out_.open("");
    emit_boxes(out_, lowered(step).boxes);
    dispatch_.emit_count(out_, step, "pb_step");
    out_.line(dispatch_.piece_call(step, "pb_step"));
    out_.close();
  }

  const TileLaunch& launch_;
  const Step& reader_;
};

}  // namespace

std::string tile_flag_name(const TileLaunch& launch) {
  return "pb_tiles_" + std::to_string(launch.steps.reader.index());
}

std::vector<const TileLaunch*> tile_launches_of(const LoweredTransform& transform, StepId step) {
  std::vector<const TileLaunch*> out;
  for (const TileLaunch& launch : transform.tiles)
    if (launch.steps.reader == step || launch.steps.is_maker(step)) out.push_back(&launch);
  return out;
}

void emit_step(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch, StepId step,
               const std::string& frame) {
  const TileLaunch* own = nullptr;
  std::vector<std::string> others;
  for (const TileLaunch* launch : tile_launches_of(lowered_of(context, transform), step)) {
    if (launch->steps.reader == step)
      own = launch;
    else
      others.push_back(tile_flag_name(*launch));
  }
  const LoweredTransform& lowered = lowered_of(context, transform);
  for (const std::string& flag : flags_of_readers(lowered, step)) others.push_back(flag);
  if (!others.empty()) out.open("if (!(" + joined(others, " || ") + "))");
  const bool in_bands = has_bands(lowered, step);
  if (in_bands) {
    out.open("if (" + bands_flag_name(step) + ")");
    out.line(bands_closure_name(step) + "(" + frame + ");");
    out.reopen("else");
  }
  if (own == nullptr) {
    dispatch.emit_dispatch(out, step, frame, false);
  } else {
    const std::string flag = tile_flag_name(*own);
    out.open("if (!" + flag + " || !" + closure_name(*own) + "(" + frame + "))");
    // What makes the temporaries has not run in its place.
    out.open("if (" + flag + ") [[unlikely]]");
    for (const StepId maker : own->steps.makers()) {
      out.open("");
      dispatch.emit_dispatch(out, maker, frame, false);
      out.close();
    }
    out.close();
    dispatch.emit_dispatch(out, step, frame, false);
    out.close();
  }
  if (in_bands) out.close();
  if (!others.empty()) out.close();
}

void emit_tile_launches(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch) {
  for (const TileLaunch* launch : in_order(lowered_of(context, transform).tiles))
    TileLaunchCode(out, context, transform, dispatch, *launch).emit();
}

}  // namespace pb
