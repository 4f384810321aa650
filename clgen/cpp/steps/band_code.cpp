// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/band_code.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/context/condition_code.h"
#include "clgen/cpp/context/tunable_code.h"
#include "clgen/cpp/steps/several_steps_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"

namespace pb {
namespace {

/// The name of the temporary as the call has it, inside of bands, which have handles of their own.
std::string name_outside(const Matrix& matrix) { return "pb_all_" + matrix.name; }

/// What the step announces, without the temporaries that are made in bands.
HostParts outside_of_bands(HostParts parts, const Transform& transform, const TiledSteps& bands) {
  const auto is_made = [&](const std::string& name) {
    return std::any_of(bands.matrices.begin(), bands.matrices.end(),
                       [&](const TiledMatrix& tiled) { return transform.matrices[tiled.matrix].name == name; });
  };
  std::erase_if(parts.whole, is_made);
  std::erase_if(parts.read, [&](const MatrixPart& part) { return is_made(part.matrix); });
  std::erase_if(parts.written, [&](const HostParts::Written& written) { return is_made(written.part.matrix); });
  return parts;
}

/// Prints what one reader's bands need.
class BandsCode : SeveralStepsCode {
 public:
  BandsCode(Writer& out, const CppContext& context, TransformId id, const StepDispatch& dispatch,
            const TiledSteps& bands)
      : SeveralStepsCode(out, context, id, dispatch), bands_(bands) {}

  void emit_flag() { out_.line("const bool " + bands_flag_name(bands_.reader) + " = " + flag_value() + ";"); }

  void emit_closure() {
    out_.open("const auto " + bands_closure_name(bands_.reader) + " = [&](pbrt::Frame& pb_step)");
    for (const StepId step : steps()) dispatch_.emit_count(out_, step, "pb_step");
    emit_waits();
    emit_boxes(out_, lowered(bands_.reader).boxes);
    std::vector<std::string> needs;
    for (const TiledMatrix& tiled : bands_.matrices) {
      const Matrix& matrix = transform_.matrices[tiled.matrix];
      out_.line("const auto& " + name_outside(matrix) + " = " + matrix.name + ";");
      needs.push_back("pbrt::band_rows(" + matrix.name + ", " + std::to_string(tiled.lo.front()) + ", " +
                      std::to_string(tiled.hi.front()) + ")");
    }
    const std::string dim = box_dim(bands_.reader, 0);
    const std::string num = std::to_string(needs.size());
    out_.line("const std::array<pbrt::BandRows, " + num + "> pb_needs = {" + joined(needs) + "};");
    out_.open("pbrt::run_bands<" + num + ">(pb_step, {{pb_box.lo[" + dim + "]}, {pb_box.hi[" + dim +
              "]}}, pb_needs, [&](pbrt::Frame& pb_task, const pbrt::Band<" + num + ">& pb_band)");
    for (std::size_t k = 0; k < bands_.matrices.size(); ++k) {
      const Matrix& matrix = transform_.matrices[bands_.matrices[k].matrix];
      out_.line("const auto " + matrix.name + " = pb_band.matrix(" + std::to_string(k) + ", " + name_outside(matrix) +
                ");");
    }
    for (std::size_t k = 0; k < bands_.matrices.size(); ++k) emit_makers(k);
    emit_part(bands_.reader, "pb_band.part(" + dim + ", ");
    out_.close(");");
    out_.close(";");
  }

 private:
  const LoweredStep& lowered(StepId step) const { return lowered_of(context_, id_).steps[step]; }

  std::vector<StepId> steps() const {
    std::vector<StepId> out = bands_.makers();
    out.push_back(bands_.reader);
    return out;
  }

  /// The dimension of the step's box that the loop of that number runs along.
  std::string box_dim(StepId step, std::size_t loop) const {
    return std::to_string(plan_.steps[step].loops.size() - 1 - loop);
  }

  /// The number of the SizeRule that says whether the bands run.
  std::string size_rule() const {
    std::size_t i = 0;
    const auto is_it = [&](const PlanTunable& tunable) {
      return tunable.role == TunableRole::Bands && tunable.rule == plan_.steps[bands_.reader].rule;
    };
    while (!is_it(plan_.tunables[i])) ++i;
    return tunable_value(context_, id_, i, "pb_context", "pb_n");
  }

  /// When the bands run: where a configuration says so, and all steps run on the CPU. Checked programs have all
  /// matrices.
  std::string flag_value() const {
    if (context_.options.is_checked || context_.options.checks_copies) return "false";
    std::vector<Condition> terms;
    for (const StepId step : steps()) {
      terms.push_back(dispatch_.conditions().runs(step));
      if (dispatch_.conditions().has_device(step))
        terms.push_back(Condition::not_(dispatch_.conditions().tries_device(step)));
    }
    // Bands that make what these write do all of it.
    for (const TiledSteps& other : lowered_of(context_, id_).bands)
      if (other.is_maker(bands_.reader))
        terms.push_back(Condition::not_(Condition::named(bands_flag_name(other.reader))));
    const std::string num_rows = to_wide_c(transform_.matrices[bands_.matrices.front().matrix].extents.back());
    std::int64_t num_shared = 0;
    std::vector<std::string> bytes;
    for (const TiledMatrix& tiled : bands_.matrices) {
      const Matrix& matrix = transform_.matrices[tiled.matrix];
      std::string text = "std::int64_t{sizeof(" + element_text(matrix.element, matrix.is_element_t) + ")}";
      for (const Formula& extent : matrix.extents) text += " * (" + to_wide_c(extent) + ")";
      bytes.push_back(std::move(text));
      num_shared = std::max(num_shared, tiled.hi.front() - tiled.lo.front() - 1);
    }
    const Condition all = Condition::all_of(std::move(terms));
    const Condition apart = inputs_are_apart();
    const auto view = [&](MatrixId matrix) { return transform_.matrices[matrix].name + ".view()"; };
    return (all.is_always() ? "" : to_operand(all) + " && ") + "pbrt::runs_in_bands(pb_frame, " + size_rule() +
           ", {.num_rows = " + num_rows + ", .num_shared = " + std::to_string(num_shared) +
           ", .bytes = " + joined(bytes, " + ") + "})" +
           (apart.is_always() ? "" : " && " + to_operand(apart, {.view = view}));
  }

  /// When the reader writes nothing that makers read: bands take turns, where the makers would be done before. Callers
  /// may give both in one matrix.
  Condition inputs_are_apart() const {
    std::set<MatrixId> read;
    for (const StepId step : bands_.makers())
      for (const RegionAccess& input : transform_.rules[plan_.steps[step].rule].inputs) read.insert(input.matrix);
    std::vector<Condition> terms;
    for (const RegionAccess& output : transform_.rules[plan_.steps[bands_.reader].rule].outputs)
      for (const MatrixId id : read)
        if (is_argument(output.matrix) && is_argument(id)) terms.push_back(are_apart(output.matrix, id));
    return Condition::all_of(std::move(terms));
  }

  /// Whether a caller gives the memory of the matrix. A single number that is read was copied.
  bool is_argument(MatrixId id) const {
    const Matrix& matrix = transform_.matrices[id];
    return matrix.role != MatrixRole::Through && matrix.num_dims() > 0;
  }

  /// Prints a wait for everything that the steps read and write elsewhere, because tasks do not wait.
  void emit_waits() {
    if (!context_.lowered.has_kernels) return;
    out_.open("if (pb_step.has_device()) [[unlikely]]");
    for (const StepId step : steps()) {
      out_.open("");
      emit_boxes(out_, lowered(step).boxes);
      emit_arrivals(out_, outside_of_bands(lowered(step).hosted, transform_, bands_), "pb_step");
      out_.close();
    }
    out_.close();
  }

  void emit_makers(std::size_t k) {
    const TiledMatrix& tiled = bands_.matrices[k];
    for (std::size_t i = 0; i < tiled.steps.size(); ++i) {
      out_.open("");
      emit_boxes(out_, lowered(tiled.steps[i]).boxes);
      out_.open("");
      emit_part(tiled.steps[i],
                "pb_band.made(" + std::to_string(k) + ", " + box_dim(tiled.steps[i], tiled.row_loops[i]) + ", ");
      out_.close();
      out_.close();
    }
  }

  /// Prints a call of the step's loops for a part of `pb_box`.
  void emit_part(StepId step, const std::string& begin) {
    out_.line("const auto pb_part = " + begin + "pb_box);");
    out_.open("");
    out_.line("const auto& pb_box = pb_part;");
    out_.line(dispatch_.piece_call(step, "pb_task"));
    out_.close();
  }

  const TiledSteps& bands_;
};

/// The bands of a transform, each behind those that would make temporaries for it.
std::vector<const TiledSteps*> in_order(const std::vector<TiledSteps>& bands) {
  std::vector<const TiledSteps*> all, out;
  for (const TiledSteps& each : bands) all.push_back(&each);
  for (const std::size_t i : behind_their_readers(all)) out.push_back(all[i]);
  return out;
}

}  // namespace

std::string bands_closure_name(StepId reader) { return "pb_run_in_bands_" + std::to_string(reader.index()); }

void emit_bands_flags(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch) {
  for (const TiledSteps* bands : in_order(lowered_of(context, transform).bands))
    BandsCode(out, context, transform, dispatch, *bands).emit_flag();
}

void emit_bands(Writer& out, const CppContext& context, TransformId transform, const StepDispatch& dispatch) {
  for (const TiledSteps& bands : lowered_of(context, transform).bands)
    BandsCode(out, context, transform, dispatch, bands).emit_closure();
}

}  // namespace pb
