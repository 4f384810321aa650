// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/joint_launch_code.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "clgen/cpp/boxes/box_text.h"
#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/steps/several_steps_code.h"
#include "clgen/cpp/steps/step_closures.h"
#include "clgen/cpp/steps/step_code.h"
#include "clgen/cpp/steps/tile_launch_code.h"
#include "clgen/facts/names.h"
#include "clgen/opencl/kernel.h"

namespace pb {
namespace {

std::string number_of(const JointLaunch& launch) { return std::to_string(launch.main.index()); }

/// Prints the statements of one launch.
class JointLaunchCode : SeveralStepsCode {
 public:
  JointLaunchCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch,
                  const JointLaunch& launch)
      : SeveralStepsCode(out, context, id, dispatch), launch_(launch) {}

  void emit(const std::function<std::string(StepId)>& piece_name) {
    emit_box();
    out_.open("const auto " + joint_closure_name(launch_) + " = [&](pbrt::Frame& pb_step)");
    out_.line("pbrt::gpu::StepCheck pb_check;");
    emit_piece();
    out_.line("const std::int64_t pb_extent = " + joint_box_name(launch_) + ".extent(" + cut_dim() + ");");
    out_.line("const bool pb_has_run = pbrt::gpu::run_in_blocks(pb_step, pb_context.gpu(), " +
              block_extent(plan_.steps[launch_.main], "pb_extent", joint_box_name(launch_)) +
              ", pb_piece_on_device) == pb_extent;");
    out_.open("if (!pb_has_run && !pb_check.has_results())");
    for (std::size_t i = 0; i < launch_.steps.size(); ++i)
      out_.line(if_there(i) + StepClosures::name_of(launch_.steps[i]) + "(pb_step);");
    out_.line("return;");
    out_.close();
    for (std::size_t i = 0; i < launch_.steps.size(); ++i) {
      open_if_there(i);
      dispatch_.emit_count(out_, launch_.steps[i], "pb_step", Version::OpenCl);
      close_if_there(i);
    }
    out_.open("if (pb_check.has_results())");
    for (std::size_t i = 0; i < launch_.steps.size(); ++i) {
      const StepId step = launch_.steps[i];
      open_if_there(i);
      dispatch_.emit_count(out_, step, "pb_step");
      out_.line(piece_name(step) + "(pb_step, " + box_of(i) + ");");
      close_if_there(i);
    }
    emit_comparison(out_, "pb_step");
    out_.close();
    out_.close(";");
  }

 private:
  std::string cut_dim() const { return std::to_string(launch_.cut_dim); }
  std::string type_of_box() const { return "pbrt::Box<" + std::to_string(launch_.kernel.vars.size()) + ">"; }

  /// The box of step number `i` in the launch.
  [[nodiscard]] std::string box_of(std::size_t i) const { return initializer_of(cell_box(launch_.cells[i])); }

  /// Whether the launch may run without step number `i`: where the matrix has one row, there is no last one beside it.
  [[nodiscard]] bool may_be_missing(std::size_t i) const { return !plan_.steps[launch_.steps[i]].guards.empty(); }
  [[nodiscard]] std::string is_empty(std::size_t i) const { return type_of_box() + box_of(i) + ".is_empty()"; }
  [[nodiscard]] std::string if_there(std::size_t i) const {
    return may_be_missing(i) ? "if (!" + is_empty(i) + ") " : "";
  }
  void open_if_there(std::size_t i) {
    if (may_be_missing(i)) out_.open("if (!" + is_empty(i) + ")");
  }
  void close_if_there(std::size_t i) {
    if (may_be_missing(i)) out_.close();
  }

  /// Declares the box: what those of the steps make up, if a device runs all of them.
  void emit_box() {
    std::vector<Condition> terms;
    std::vector<std::string> boxes;
    for (std::size_t i = 0; i < launch_.steps.size(); ++i) {
      const StepId step = launch_.steps[i];
      const Version version = Version::OpenCl;
      std::vector<Condition> of_step{dispatch_.conditions().runs(step)};
      for (const TileLaunch* tiles : tile_launches_of(lowered_of(context_, id_), step))
        of_step.push_back(Condition::not_(Condition::named(tile_flag_name(*tiles))));
      of_step.push_back(dispatch_.conditions().chosen(plan_.steps[step], {&version, 1}));
      boxes.push_back(box_of(i));
      if (may_be_missing(i))
        terms.push_back(Condition::any_of({Condition::named(is_empty(i)), Condition::all_of(std::move(of_step))}));
      else
        terms.insert(terms.end(), of_step.begin(), of_step.end());
    }
    out_.line(type_of_box() + " " + joint_box_name(launch_) + " = {};");
    out_.open(if_text(Condition::all_of(std::move(terms))) + " [[unlikely]]");
    out_.line("const " + type_of_box() + " pb_boxes[] = {" + joined(boxes) + "};");
    const std::optional<std::string> share = dispatch_.share_value();
    out_.line((share ? "if (pbrt::gpu::is_all_on_device(" + *share + ")) " : "") + joint_box_name(launch_) +
              " = pbrt::made_up_of(pb_boxes);");
    out_.close();
  }

  /// Declares the closure that launches a part of the box.
  void emit_piece() {
    out_.open(
        "const auto pb_piece_on_device = [&](pbrt::Frame& pb_task, std::int64_t pb_first, std::int64_t pb_count, "
        "pbrt::gpu::Piece& pb_piece)");
    out_.line("const " + type_of_box() + " pb_all = pbrt::gpu::middle_part(" + joint_box_name(launch_) + ", " +
              cut_dim() + ", pb_first, pb_count);");
    out_.line("pb_piece.is_of_several = true;");
    const std::string copy_out = to_cpp(dispatch_.conditions().copy_out_of_whole(launch_.main));
    if (launch_.kernel.parts.empty())
      dispatch_.emit_device_piece(out_, launch_.main, "pb_task", "pb_all", copy_out);
    else
      emit_launch(copy_out);
    out_.close(";");
  }

  void emit_launch(const std::string& copy_out) {
    std::vector<std::string> boxes;
    for (std::size_t i = 0; i < launch_.steps.size(); ++i)
      boxes.push_back("pbrt::common_part<" + std::to_string(launch_.kernel.vars.size()) + ">(pb_all, " + box_of(i) +
                      ")");
    out_.line("const " + type_of_box() + " pb_boxes[] = {" + joined(boxes) + "};");
    emit_launch_of(joint_kernel_name(context_.program, launch_), "pb_task");
    for (const JointLaunch::Region& region : launch_.regions) emit_region(region, copy_out);
    emit_arrivals(out_, transform_, launch_.kernel, "pb_task");
    for (const KernelScalar& scalar : launch_.kernel.scalars)
      out_.line("pb_launch.scalar(" + launch_value(scalar) + ");");
    const Step& main = plan_.steps[launch_.main];
    emit_range("pb_all", launch_.kernel.vars.size(), main);
    out_.line("return " + run_call("pb_task", main, "pb_check") + ";");
  }

  void emit_region(const JointLaunch::Region& region, const std::string& copy_out) {
    const std::string& name = transform_.matrices[region.matrix].name;
    if (region.is_output) {
      out_.line("pb_launch.output(" + name + ", pb_all, " + copy_out + ");");
      return;
    }
    if (region.slab) {
      const std::string indices = "pb_read_" + name;
      out_.line("pbrt::gpu::ReadIndices " + indices + ";");
      for_each_reader(region.matrix, [&](std::size_t step, const LaunchRegion& read) {
        const IndexRange& range = read.input.slabs.front().range;
        emit_for_box(step, indices + ".add(" + to_cpp(range.lo) + ", " + to_cpp(range.hi) + ");");
      });
      out_.line("pb_launch.input(" + name + ", " + indices + ".slab_of(" + name + ", " + std::to_string(*region.slab) +
                "));");
    } else {
      out_.line("pb_launch.input(" + name + ");");
    }
    emit_exact_reads(region.matrix);
  }

  /// Programs that check copies also hear exactly what is read, if all steps know it.
  void emit_exact_reads(MatrixId matrix) {
    if (RuleCode(context_, id_, launch_.kernel.rule).origin.empty()) return;
    bool are_known = true;
    for_each_reader(matrix,
                    [&](std::size_t, const LaunchRegion& read) { are_known = are_known && read.reads.has_value(); });
    if (!are_known) return;
    const std::string& name = transform_.matrices[matrix].name;
    for_each_reader(matrix, [&](std::size_t step, const LaunchRegion& read) {
      emit_for_box(step, "pb_launch.reads(" + name + ", " + to_cpp(*read.reads) + ");");
    });
  }

  /// Prints a statement that may speak of `pb_box`, the step's part of the launch, if there is any.
  void emit_for_box(std::size_t step, const std::string& statement) {
    const std::string box = "pb_boxes[" + std::to_string(step) + "]";
    if (!has_fixed(launch_.cells[step]))
      return out_.line("if (const auto& pb_box = " + box + "; !pb_box.is_empty()) " + statement);
    out_.open("if (const auto& pb_cells = " + box + "; !pb_cells.is_empty())");
    const Step& one = plan_.steps[launch_.steps[step]];
    out_.line("const " + box_type(one) + " pb_box = " + loops_at(launch_.cells[step], "pb_cells") + ";");
    out_.line(statement);
    out_.close();
  }

  /// Calls `visit` with the number of each step that reads the matrix, and what its own launch says of it.
  template <class Visit>
  void for_each_reader(MatrixId matrix, const Visit& visit) {
    for (std::size_t i = 0; i < launch_.steps.size(); ++i)
      for (const LaunchRegion& region : launch_.of_steps[i])
        if (region.matrix == matrix && region.use == LaunchUse::Input) visit(i, region);
  }

  const JointLaunch& launch_;
};

}  // namespace

std::string joint_box_name(const JointLaunch& launch) { return "pb_joint_" + number_of(launch); }
std::string joint_closure_name(const JointLaunch& launch) { return "pb_run_joint_" + number_of(launch); }

void emit_joint_launch(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch,
                       const JointLaunch& launch, const std::function<std::string(StepId)>& piece_name) {
  JointLaunchCode(out, context, transform, dispatch, launch).emit(piece_name);
}

}  // namespace pb
