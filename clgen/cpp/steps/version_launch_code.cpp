// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/version_launch_code.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "choicegraph/plan/launch_slices.h"
#include "clgen/cpp/boxes/box_text.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/steps/several_steps_code.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/box_bounds.h"
#include "clgen/opencl/kernel.h"

namespace pb {
namespace {

/// The frame of what runs on one device.
constexpr const char* kTask = "pb_task";

class VersionLaunchCode : SeveralStepsCode {
 public:
  VersionLaunchCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch,
                    const VersionLaunch& launch, const std::string& frame)
      : SeveralStepsCode(out, context, id, dispatch),
        launch_(launch),
        frame_(frame),
        main_(plan_.steps[launch.steps.main]),
        num_dims_(step_of_launch(plan_, launch.steps.main).loops.size()) {}

  /// `runs`: when each of the steps does.
  void emit(const std::vector<Condition>& runs) {
    std::vector<std::string> boxes;
    for (const CellDims& cells : launch_.steps.cells) boxes.push_back(initializer_of(cell_box(cells)));
    out_.line("const " + type_of_box(0) + " pb_boxes[] = {" + joined(boxes) + "};");
    emit_state(runs);
    out_.open(
        "const auto pb_launch_versions = [&](const std::int64_t pb_u0, const std::int64_t pb_num_versions) -> bool");
    const std::string& name = matrix().name;
    const std::string all = "pb_versions_of_" + name;
    out_.line("const auto " + name + " = pbrt::at_version(" + all + ", pb_u0);");
    out_.line("const std::int64_t pb_last = pb_u0 + pb_num_versions - 1;");
    out_.line("const auto pb_made = pbrt::at_version(" + all + ", pb_last);");
    out_.line("const " + type_of_box(0) + " pb_all = pbrt::made_up_of(pb_boxes);");
    out_.line("if (pb_all.is_empty()) return false;");
    emit_part();
    const std::string extent = "pb_all.extent(" + cut_dim() + ")";
    if (launch_.is_cut()) {
      out_.line("const std::int64_t pb_extent = " + extent + ";");
      out_.line("if (pbrt::gpu::run_in_blocks(" + frame_ + ", " + frame_ +
                ".context().gpu(), pbrt::gpu::BlockExtent::repeatable(" + joined(block_extent()) +
                "), pb_part_on_device) != pb_extent)");
      out_.line("  return false;");
    } else {
      out_.line("pbrt::gpu::Piece pb_whole;");
      out_.line("if (!pb_part_on_device(" + frame_ + ", 0, " + extent + ", pb_whole)) return false;");
    }
    emit_counts();
    out_.line("return true;");
    out_.close(";");
  }

 private:
  /// Versions are cut in blocks along their slowest dimension, as the steps around the nest are.
  std::string cut_dim() const { return std::to_string(num_dims_ - 1); }

  /// The indices, the instances, and how many indices the blocks beside read: as many more as versions are made.
  std::vector<std::string> block_extent() const {
    const std::int64_t radius = launch_.steps.radius.back();
    if (radius == 0) return {"pb_extent"};
    return {"pb_extent", "pb_all.volume()", (radius == 1 ? "" : std::to_string(radius) + " * ") + "pb_num_versions"};
  }

  /// Declares the closure that makes the versions in some indices along the dimension that is cut.
  void emit_part() {
    out_.open(
        "const auto pb_part_on_device = [&](pbrt::Frame& pb_task, const std::int64_t pb_first, "
        "const std::int64_t pb_count, pbrt::gpu::Piece& pb_piece) -> bool");
    out_.line("const " + type_of_box(0) + " pb_part = pbrt::gpu::middle_part(pb_all, " + cut_dim() +
              ", pb_first, pb_count);");
    out_.line("const " + type_of_box(1) + " pb_read = " + read_box() + ";");
    out_.line("const " + type_of_box(1) + " pb_written = " + written_box() + ";");
    out_.line("pb_piece.is_of_several = true;");
    if (launch_.tile) {
      out_.open("if (pb_num_versions > 1)");
      out_.line(std::string("const std::int64_t ") + kMadeFrom + " = pb_all.lo[" + cut_dim() + "], " + kMadeEnd +
                " = pb_all.hi[" + cut_dim() + "];");
      emit_launch(*launch_.tile, time_tile_name(context_.program, launch_));
      out_.close();
    }
    if (launch_.kernel)
      emit_launch(*launch_.kernel, version_kernel_name(context_.program, launch_));
    else
      out_.line("return false;");
    out_.close(";");
  }

  const Matrix& matrix() const { return transform_.matrices[launch_.steps.matrix]; }
  std::string type_of_box(std::size_t further) const {
    return "pbrt::Box<" + std::to_string(num_dims_ + further) + ">";
  }

  /// Whether a launch has no cell of step number `i`.
  static std::string is_empty(std::size_t i) { return "pb_boxes[" + std::to_string(i) + "].is_empty()"; }

  void emit_state(const std::vector<Condition>& runs) {
    std::vector<Condition> terms;
    for (std::size_t i = 0; i < launch_.steps.steps.size(); ++i) {
      const Version version = Version::OpenCl;
      const Condition chosen = dispatch_.conditions().chosen(plan_.steps[launch_.steps.steps[i]], {&version, 1});
      // Borders of a matrix of one row do not run where others do.
      terms.push_back(runs[i].is_always()
                          ? chosen
                          : Condition::any_of({Condition::named(is_empty(i)), Condition::all_of({runs[i], chosen})}));
    }
    std::string condition = to_operand(Condition::all_of(std::move(terms)));
    if (const std::optional<std::string> share = dispatch_.share_value())
      condition = "pbrt::gpu::is_mostly_on_device(" + *share + ") && " + condition;
    // The only step of a nest has a launch of its own, which one device runs.
    const std::string makes_one = !launch_.kernel ? "false"
                                  : launch_.steps.steps.size() > 1
                                      ? "true"
                                      : "pbrt::gpu::are_several(" + frame_ + ".context().gpu())";
    out_.line("pbrt::gpu::VersionLaunches pb_launches(" + condition + ", " + depth() + ", " + makes_one +
              ", pb_rows.hi[0]);");
  }

  /// How many versions a launch makes. What the configuration leaves open is 1 where bodies are long: margins, which
  /// several groups make, would cost more than memory does.
  std::string depth() {
    if (!launch_.tile) return "1";
    std::string value = "*" + dispatch_.shape_value(main_, Version::OpenCl, TunableRole::TimeTile);
    if (launch_.tile->default_items == 1) return value;
    std::vector<std::string> extents, radius;
    for (std::size_t d = 0; d < num_dims_; ++d) {
      extents.push_back("pb_versions_of_" + matrix().name + ".size(" + std::to_string(d) + ")");
      radius.push_back(std::to_string(launch_.steps.radius[d]));
    }
    out_.line("const std::int64_t pb_extents[] = {" + joined(extents) + "}, pb_radius[] = {" + joined(radius) + "};");
    const std::string facts = joined({std::to_string(num_dims_), "pb_extents", "pb_radius",
                                      "sizeof(" + element_text(matrix().element, matrix().is_element_t) + ")",
                                      dispatch_.shape_value(main_, Version::OpenCl, TunableRole::WorkGroup),
                                      dispatch_.shape_value(main_, Version::OpenCl, TunableRole::Items)});
    return "pbrt::gpu::depth_of(" + value + ", " + frame_ + ".context().gpu(), {" + facts + "})";
  }

  /// What the launch reads of the version before: its cells and what lies around them, if that is known. Of a part this
  /// is as many cells more as the versions after the first one read.
  std::string read_box() const {
    const std::vector<std::int64_t>& around = launch_.steps.radius;
    std::vector<std::string> lo, hi;
    for (std::size_t d = 0; d < num_dims_; ++d) {
      const std::string dim = "[" + std::to_string(d) + "]";
      const std::string radius = around.empty() || around[d] == 0 ? "" : std::to_string(around[d]);
      const std::string all_lo = "pb_all.lo" + dim + (radius.empty() ? "" : " - " + radius);
      const std::string all_hi = "pb_all.hi" + dim + (radius.empty() ? "" : " + " + radius);
      const std::string margin = radius.empty() ? "" : radius + " * pb_num_versions";
      const bool is_cut = launch_.is_cut() && d + 1 == num_dims_;
      lo.push_back(around.empty()   ? "0"
                   : !is_cut        ? all_lo
                   : radius.empty() ? "pb_part.lo" + dim
                                    : "std::max<std::int64_t>(" + all_lo + ", pb_part.lo" + dim + " - " + margin + ")");
      hi.push_back(around.empty()   ? matrix().name + ".size(" + std::to_string(d) + ")"
                   : !is_cut        ? all_hi
                   : radius.empty() ? "pb_part.hi" + dim
                                    : "std::min<std::int64_t>(" + all_hi + ", pb_part.hi" + dim + " + " + margin + ")");
    }
    lo.push_back("pb_u0 - 1");
    hi.push_back("pb_u0");
    return "{{" + joined(lo) + "}, {" + joined(hi) + "}}";
  }

  /// The cells that the launch makes of its last version.
  std::string written_box() const {
    std::vector<std::string> lo, hi;
    for (std::size_t d = 0; d < num_dims_; ++d) {
      lo.push_back("pb_part.lo[" + std::to_string(d) + "]");
      hi.push_back("pb_part.hi[" + std::to_string(d) + "]");
    }
    lo.push_back("pb_last");
    hi.push_back("pb_last + 1");
    return "{{" + joined(lo) + "}, {" + joined(hi) + "}}";
  }

  void emit_launch(const KernelTree& kernel, const std::string& name) {
    emit_launch_of(name, kTask);
    for (const RuleMatrix& use : kernel.matrices) emit_region(use);
    emit_arrivals(out_, transform_, kernel, kTask);
    for (const KernelScalar& scalar : kernel.scalars) out_.line("pb_launch.scalar(" + value_of(kernel, scalar) + ");");
    if (kernel.time_tile) emit_tiles(*kernel.time_tile);
    emit_range("pb_part", num_dims_, main_);
    out_.line("return " + run_call(kTask, main_, "pb_launches.check()") + ";");
  }

  void emit_region(const RuleMatrix& use) {
    const std::string& name = transform_.matrices[use.matrix].name;
    if (use.is_output)
      out_.line("pb_launch.output(pb_made, pb_written, " +
                to_cpp(dispatch_.conditions().copy_out_of_slice(launch_.steps.main)) + ");");
    else if (use.matrix == launch_.steps.matrix)
      out_.line("pbrt::gpu::input_part(pb_launch, " + name + ", pb_read);");
    else
      out_.line("pb_launch.input(" + name + ");");
  }

  std::string value_of(const KernelTree& kernel, const KernelScalar& scalar) const {
    if (scalar.source != ScalarSource::Slice) return launch_value(scalar);
    if (kernel.time_tile) return "static_cast<std::int32_t>(pb_u0)";
    const IndexExpr& shift = member_of(plan_.nests[launch_.nest], launch_.steps.main).coordinates.front().shift;
    return "static_cast<std::int32_t>(" + to_cpp(index_sub(index_symbol("pb_u0"), shift)) + ")";
  }

  /// Says the sizes of the buffers and of the margins.
  void emit_tiles(const TimeTile& tile) {
    std::vector<std::int64_t> more;
    std::vector<std::string> margins;
    for (std::size_t d = 0; d < num_dims_; ++d) {
      more.push_back(2 * tile.radius[d]);
      margins.push_back(std::to_string(tile.radius[d]) + " * pb_num_versions");
    }
    emit_buffers("pb_tile", matrix(), more, kNumTileBuffers);
    out_.line("const std::int64_t pb_margins[] = {" + joined(margins) + "};");
    out_.line("pbrt::gpu::set_margins(pb_launch, " + std::to_string(num_dims_) + ", pb_margins);");
  }

  /// Counts the steps as if each had a launch for each version.
  void emit_counts() {
    out_.open("for (std::int64_t pb_version = pb_u0; pb_version <= pb_last; ++pb_version)");
    for (std::size_t i = 0; i < launch_.steps.steps.size(); ++i) {
      const StepId step = launch_.steps.steps[i];
      if (!dispatch_.conditions().is_decided(plan_.steps[step].site)) continue;
      out_.open("if (!" + is_empty(i) + ")");
      dispatch_.emit_count(out_, step, frame_, Version::OpenCl);
      out_.close();
    }
    out_.close();
  }

  const VersionLaunch& launch_;
  const std::string& frame_;
  const Step& main_;
  std::size_t num_dims_;
};

}  // namespace

void emit_version_launches(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                           const VersionLaunch& launch, const std::vector<Condition>& runs, const std::string& frame) {
  VersionLaunchCode(out, context, transform, dispatch, launch, frame).emit(runs);
}

}  // namespace pb
