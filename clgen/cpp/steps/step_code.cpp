// SPDX-License-Identifier: MIT
#include "clgen/cpp/steps/step_code.h"

#include <algorithm>

#include "choicegraph/plan/launch_slices.h"
#include "clgen/cpp/boxes/host_code.h"
#include "clgen/cpp/loops/instance_count.h"
#include "clgen/cpp/loops/loop_code.h"
#include "clgen/cpp/loops/nest_code.h"
#include "clgen/cpp/loops/piece_code.h"
#include "clgen/cpp/loops/scan_code.h"
#include "clgen/cpp/rules/instance_code.h"
#include "clgen/facts/index_width.h"
#include "clgen/facts/names.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "lang/body/body_walk.h"
#include "lang/check.h"

namespace pb {
namespace {

const TransformPlan& plan_of(const CppContext& context, const RuleCode& code) {
  return context.plan.transforms[code.transform_id.index()];
}

/// Returns a statement that records, in a traced run, that the rule runs on that many cells until the end of the block.
std::string scope_line(const RuleCode& code, const std::string& cells) {
  return "const pbrt::RuleScope pb_scope(pb_frame, " + rule_constant(code.stem) + ", " + cells + ");";
}

/// Returns a statement that records, in a traced run, that the rule runs until the end of the block on those instances
/// of `box` that the step has.
std::string counted_line(const RuleCode& code, const std::string& frame, const std::string& stem,
                         const std::string& box) {
  return counted_scope(frame, rule_constant(code.stem), {count_call(code, stem, box)});
}

/// Returns the number of cells that the one instance of a rule writes.
std::string written_cells(const RuleCode& code) {
  std::vector<std::string> terms;
  for (const RegionAccess& access : code.rule.outputs) {
    if (access.kind == AccessKind::All) {
      terms.push_back(code.matrix_name(access) + ".count()");
      continue;
    }
    std::vector<std::string> extents{"std::int64_t{1}"};
    for (std::size_t d = 0; access.kind != AccessKind::Cell && d < access.lo.size(); ++d)
      extents.push_back("((" + to_c(access.hi[d]) + ") - (" + to_c(access.lo[d]) + "))");
    terms.push_back(joined(extents, " * "));
  }
  return joined(terms, " + ");
}

/// Returns how many cells the lines have.
std::vector<std::string> cells_of(const RuleCode& code, const std::vector<CellLine>& lines) {
  std::vector<std::string> terms;
  for (const CellLine& line : lines) {
    std::vector<std::string> extents;
    for (const CellLine::Extent& extent : line.extents) {
      const std::string length = extent.whole
                                     ? code.matrix(line.matrix).name + ".size(" + std::to_string(*extent.whole) + ")"
                                     : to_cpp(extent.length);
      extents.push_back("std::int64_t{" + length + "}");
    }
    terms.push_back(joined(extents, " * "));
  }
  return terms;
}

/// Returns the split size of a step, which is smaller where each instance writes many cells.
std::string split_of(const RuleCode& code, const LoweredStep& lowered) {
  std::vector<std::string> terms;
  for (const MatrixId matrix : lowered.shared) terms.push_back(code.matrix(matrix).name + ".count() / pb_box.volume()");
  for (std::string& cells : cells_of(code, lowered.lines)) terms.push_back(std::move(cells));
  return terms.empty() ? "pb_split" : "pbrt::split_of_long(pb_split, " + joined(terms, " + ") + ")";
}

}  // namespace

std::string shape_of_tiles(const Step& step) { return is_box(step) ? "pbrt::kSquarePieces" : "pbrt::kObliquePieces"; }

namespace {

/// Returns the shape of a step's pieces; empty for the usual one.
std::string shape_of_pieces(const RuleCode& code, const Step& step, const LoweredStep& lowered) {
  const bool is_tiled = !lowered.loops.tiled.empty();
  std::string shape = is_tiled ? shape_of_tiles(step) : lowered.has_tall_pieces ? "pbrt::kTallPieces" : "";
  if (lowered.read.empty()) return shape;
  return (shape.empty() ? "pbrt::kLongPieces" : shape) + ".reading(" + joined(cells_of(code, lowered.read), " + ") +
         (lowered.loops.packed.empty() || is_tiled ? ")" : ", pbrt::kLeastInPacks)");
}

/// Prints the loops over a piece: in tiles, where that pays off, or else in the other forms.
void emit_piece_or_blocks(Writer& out, const RuleCode& code, const std::string& stem, const CpuLoops& loops,
                          const std::optional<DeclaredViews>& fast, const std::string& box) {
  if (loops.tiled.empty()) return emit_piece(out, code, stem, loops.in_packs, fast, box);
  std::string call = loops_call(code, "blocks_" + stem, nullptr, box);
  call.pop_back();  // the semicolon
  out.open("if (!" + call + ")");
  emit_piece(out, code, stem, loops.in_packs, fast, box);
  out.close();
}

void emit_loop_step(Writer& out, const RuleCode& code, const Step& step, const LoweredStep& lowered,
                    const std::string& stem) {
  const auto fast = declare_views(out, code, lowered.views, "pb_unit");
  if (lowered.pieces == StepPieces::None) {
    out.line(is_box(step) ? scope_line(code, "pb_box.volume()") : counted_line(code, "pb_frame", stem, "pb_box"));
    if (code.needs_frame()) out.line("pbrt::Frame& pb_inner = pb_frame;");
    emit_piece_or_blocks(out, code, stem, lowered.loops, fast, "pb_box");
    return;
  }
  const std::string frame = code.needs_frame() || !is_box(step) ? "pbrt::Frame& pb_inner" : "pbrt::Frame&";
  out.open("pbrt::parallel_for(pb_frame, pb_box, " + split_of(code, lowered) + ", [&](" + frame + ", const " +
           box_type(step) + "& pb_piece)");
  if (!is_box(step)) out.line(counted_line(code, "pb_inner", stem, "pb_piece"));
  emit_piece_or_blocks(out, code, stem, lowered.loops, fast, "pb_piece");
  const std::string shape = shape_of_pieces(code, step, lowered);
  const std::string rule = is_box(step) ? "&" + rule_constant(code.stem) : shape.empty() ? "" : "nullptr";
  out.close((rule.empty() ? "" : ", " + rule) + (shape.empty() ? "" : ", " + shape) + ");");
}

/// Returns a stem for functions of a step: the rule's own or, if that is taken, one with the step's number.
std::string free_stem(std::set<std::string>& taken, const std::string& stem, StepId step) {
  return taken.insert(stem).second ? stem : stem + "_s" + std::to_string(step.index());
}

/// Returns the functions of a step's loops. Prints them, unless the rule has earlier ones with equal trees.
const SharedLoops& emit_shared_loops(Writer& out, const RuleCode& code, const Step& step, const LoweredStep& lowered,
                                     StepId id, StepFunctions& done) {
  const bool is_announced = lowered.care == HostCare::Instance;
  SharedLoops wanted{code.rule_id, lowered.loops, is_announced ? lowered.hosted : HostParts{}, ""};
  for (const SharedLoops& known : done.loops)
    if (known.rule == wanted.rule && known.loops == wanted.loops && known.around == wanted.around) return known;
  wanted.stem = free_stem(done.taken_by_loops, code.stem, id);
  emit_loops(out, code, step, wanted.loops, wanted.around, wanted.stem);
  if (!is_box(step)) emit_instance_count(out, code, step, wanted.stem);
  return done.loops.emplace_back(std::move(wanted));
}

/// Prints the loops of a step that does not run as scans to `out`, and to `body` the statements of the step function
/// that run them.
std::string emit_loops_of_step(Writer& out, Writer& body, const CppContext& context, const RuleCode& code, StepId id,
                               StepFunctions& done) {
  const TransformPlan& plan = plan_of(context, code);
  const Step& step = plan.steps[id];
  const LoweredTransform& lowered = lowered_of(context, code.transform_id);
  if (const Nest* nest = own_nest(plan, id)) {
    const NestMember& member = nest->members.front();
    const auto number = static_cast<std::size_t>(nest - plan.nests.data());
    const std::vector<NestPart> parts{
        {code, member, free_stem(done.taken_by_loops, code.stem, id), lowered.nests[number].members.front()}};
    emit_member_loops(out, plan, *nest, parts.front());
    NestArgs args{"pb_frame", "pb_split", "pb_extent", rule_constant(code.stem)};
    set_bands(args, lowered.nests[number], parts);
    emit_nest(body, plan, *nest, parts, args);
    return parts.front().stem;
  }
  if (!step.loops.empty()) {
    const SharedLoops& shared = emit_shared_loops(out, code, step, lowered.steps[id], id, done);
    emit_loop_step(body, code, step, lowered.steps[id], shared.stem);
    return shared.stem;
  }
  body.line(scope_line(code, written_cells(code)));
  const auto fast = declare_views(body, code, lowered.steps[id].views, "pb_unit");
  if (!fast) {
    open_watched(body, code);
    emit_instance(body, code, {false, true});
    close_watched(body, code);
    return "";
  }
  std::string stem = free_stem(done.taken_by_loops, code.stem, id);
  emit_loops(out, code, step, lowered.steps[id].loops, {}, stem);
  if (code.needs_frame()) body.line("pbrt::Frame& pb_inner = pb_frame;");
  emit_piece(body, code, stem, Condition::never(), fast, "");
  return stem;
}

/// Prints the loops of a step to `out`, and to `body` the statements of the step function that run them.
std::string emit_cpu_body(Writer& out, Writer& body, const CppContext& context, const RuleCode& code, StepId id,
                          StepFunctions& done) {
  const TreeBlock& scanned = lowered_of(context, code.transform_id).steps[id].scanned;
  if (scanned.empty()) return emit_loops_of_step(out, body, context, code, id, done);
  const auto& scans = std::get<Scans>(scanned.front().node);
  Writer others;
  others.indent();
  others.indent();
  const std::string stem = emit_loops_of_step(out, others, context, code, id, done);
  if (done.taken_by_loops.insert("scans_" + stem).second)
    emit_scans(out, code, plan_of(context, code).steps[id], scans, stem);
  body.open(scans_test(code, scans));
  body.line(scope_line(code, "pb_box.volume()"));
  body.line(scans_call(code, scans, stem));
  body.reopen("else");
  body.verbatim(others.text());
  body.close();
  return stem + " as scans";
}

/// Returns the name of a function of that form: an earlier one, or a new one, which `emit` then prints.
template <class Emit>
std::string shared_function(Writer& out, StepFunctions& done, const RuleCode& code, StepId step, StepForm form,
                            const Emit& emit) {
  for (const SharedFunction& known : done.functions)
    if (known.form == form) return known.name;
  const std::string stem = free_stem(done.taken[form.version], code.stem, step);
  std::string name = "step_" + stem + "_" + to_string(form.version);
  emit(name);
  out.blank();
  done.functions.push_back({std::move(form), name});
  return name;
}

std::vector<StepBox> without_bounds(std::vector<StepBox> boxes) {
  for (StepBox& box : boxes) box.bounds.clear();
  return boxes;
}

}  // namespace

std::string emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step_id,
                          StepFunctions& done) {
  const TransformPlan& plan = plan_of(context, code);
  const LoweredStep& lowered = lowered_of(context, code.transform_id).steps[step_id];
  StepForm form;
  form.rule = code.rule_id;
  Writer body;
  body.indent();
  form.loops = emit_cpu_body(out, body, context, code, step_id, done);
  const bool is_announced = lowered.care == HostCare::Step;
  if (lowered.is_given_boxes) {
    form.params = without_bounds(lowered.boxes);
  } else {
    form.boxes = is_announced || lowered.boxes.empty() ? lowered.boxes : std::vector<StepBox>{lowered.boxes.front()};
  }
  if (is_announced) form.hosted = lowered.hosted;
  form.pieces = lowered.pieces;
  return shared_function(out, done, code, step_id, form, [&](const std::string& name) {
    std::vector<Parameter> params = step_params(code);
    for (const StepBox& box : form.params) params.push_back({"const " + type_of(box) + "&", box.name});
    if (form.pieces == StepPieces::Split) params.push_back({"const std::int64_t", "pb_split"});
    if (form.pieces == StepPieces::Tiles) params.push_back({"const std::int64_t*", "pb_extent"});
    Writer statements;
    statements.indent();
    emit_scalar_constants(statements, code, ScalarSet::Step);
    emit_boxes(statements, form.boxes);
    if (!plan.steps[step_id].loops.empty()) statements.line("if (pb_box.is_empty()) return;");
    emit_arrivals(statements, form.hosted, "pb_frame");
    statements.verbatim(body.text());
    emit_departures(statements, form.hosted, "pb_frame");
    emit_function(out, (lowered.is_given_boxes ? "PB_STEP void " : "static void ") + name, params, statements);
  });
}

namespace {

bool is_written_number(const RuleCode& code, const LaunchRegion& region) {
  return region.use != LaunchUse::Input && code.matrix(region.matrix).extents.empty();
}

/// Declares a matrix of the kernel's own for a number that it writes, and tells the launch about it. A number need not
/// be in matrix storage, and any text of a body may read or write it, without an announcement.
void emit_number(Writer& out, const std::string& name, LaunchUse use) {
  const std::string own = "pb_own_" + name;
  out.line("const auto " + own + " = std::remove_cvref_t<decltype(" + name + ")>::allocate();");
  if (use == LaunchUse::InOut) {
    out.line("pbrt::need_on_host(pb_frame, " + name + ");");
    out.line(own + ".cell() = " + name + ".cell();");
  }
  out.line("pb_launch." + std::string(use == LaunchUse::InOut ? "inout(" : "output(") + own + ", pb_copy_out);");
  out.line("pbrt::gpu::stand_for(pb_launch, " + name + ");");
}

/// Prints the statements that give a number its value after the launch.
void emit_number_back(Writer& out, const RuleCode& code, const LaunchRegion& region) {
  const std::string& name = code.matrix(region.matrix).name;
  out.line("pbrt::need_on_host(pb_frame, pb_own_" + name + ");");
  out.line("pbrt::before_host_overwrite(pb_frame, " + name + ");");
  out.line(name + ".cell() = pb_own_" + name + ".cell();");
  out.line("pbrt::wrote_on_host(pb_frame, " + name + ");");
}

}  // namespace

void emit_launch_region(Writer& out, const RuleCode& code, const LaunchRegion& region) {
  const std::string& name = code.matrix(region.matrix).name;
  std::vector<std::string> boxes;
  if (is_written_number(code, region)) return emit_number(out, name, region.use);
  switch (region.use) {
    case LaunchUse::Input:
      if (region.read_part) {
        out.line("pbrt::gpu::input_part(pb_launch, " + name + ", " + to_cpp(*region.read_part) + ");");
      } else {
        out.line("pb_launch.input(" + to_cpp(region.input, name) + ");");
      }
      break;
    case LaunchUse::Output:
      if (region.read_part) {
        out.line("pbrt::gpu::continued_output(pb_launch, " + to_cpp(region.written.front()) + ", " +
                 to_cpp(*region.read_part) + ", pb_copy_out);");
        break;
      }
      out.line("pb_launch.output(" + to_cpp(region.written.front()) + ", pb_copy_out);");
      break;
    case LaunchUse::InOut:
      if (region.is_part) {
        out.line("pbrt::gpu::inout_part(pb_launch, " + to_cpp(region.written.front()) + ", pb_copy_out);");
        break;
      }
      for (const MatrixPart& part : region.written) boxes.push_back(to_cpp(*part.box));
      out.line("pb_launch.inout(" + name + (boxes.empty() ? "" : ", {" + joined(boxes) + "}") + ", pb_copy_out);");
      break;
  }
  if (region.reads && !code.origin.empty()) out.line("pb_launch.reads(" + name + ", " + to_cpp(*region.reads) + ");");
}

namespace {

std::string tile_dims(const Buffer& buffer) {
  std::vector<std::string> dims;
  for (const GroupExtent& extent : buffer.extents) {
    const auto& step = extent.step;
    dims.push_back(
        "{{" + std::to_string(step[0]) + ", " + std::to_string(step[1]) + ", " + std::to_string(step[2]) + "}, " +
        (extent.extent_of_one == block_rounds() ? "pbrt::gpu::kBlockExtent" : to_cpp(extent.extent_of_one)) + "}");
  }
  return "{" + joined(dims) + "}";
}

/// `rank` is the number of the loops of a launch.
void emit_launch(Writer& out, const RuleCode& code, std::size_t rank, const Kernel& kernel, const StepForm& form) {
  const std::vector<LaunchRegion>& regions = form.regions;
  out.line("pbrt::gpu::Launch pb_launch(kKernel_" + kernel.name + ", pb_frame, pb_frame.context().gpu());");
  const KernelTree& lowered = kernel.lowered;
  if (const LineScans* scans = scans_of(lowered.tree))
    out.line("[[maybe_unused]] const auto " + std::string(kFirstInstances) + " = pbrt::gpu::first_of_lines(pb_box, " +
             std::to_string(scans->dim) + ", " + (scans->scan.is_backward ? "true" : "false") + ");");
  std::vector<const LaunchRegion*> numbers;
  for (const LaunchRegion& region : regions) {
    emit_launch_region(out, code, region);
    if (is_written_number(code, region)) numbers.push_back(&region);
  }
  for (const RuleMatrix& use : code.matrices) {  // single numbers are passed as values
    const Matrix& matrix = code.matrix(use.matrix);
    if (matrix.extents.empty() && matrix.role != MatrixRole::From)
      out.line("pbrt::need_on_host(pb_frame, " + matrix.name + ");");
  }
  for (const KernelScalar& scalar : lowered.scalars) out.line("pb_launch.scalar(" + launch_value(scalar) + ");");
  for (const Buffer& buffer : lowered.tree.buffers) {
    const RegionAccess& input = code.rule.inputs[buffer.input];
    const Matrix& matrix = code.matrix(input.matrix);
    out.line("const pbrt::gpu::TileDim pb_tile_" + input.binding + "[] = " + tile_dims(buffer) + ";");
    const bool is_panel = buffer.space == BufferSpace::Panel;
    out.line("pb_launch.tile(sizeof(" + element_text(matrix.element, matrix.is_element_t) + "), " +
             std::to_string(buffer.extents.size()) + ", pb_tile_" + input.binding +
             (is_panel ? ", " + std::to_string(buffer.contiguous) : "") + ");");
  }
  for (const InsideTest& test : form.inside) {
    const RegionAccess& input = code.rule.inputs[test.input];
    std::vector<std::string> terms;
    for (const IndexExpr& value : test.values)
      if (value.op != IndexExpr::Op::Const || value.value < 0)
        terms.push_back(to_index_cpp(value, code.transform) + " >= 0");
    if (terms.empty()) continue;
    out.line("pbrt::gpu::only_if(pb_launch, " + joined(terms, " && ") + ", " +
             quoted("`" + input.binding + "` may lie outside of `" + code.matrix_name(input) + "`") + ");");
  }
  const bool has_slice = std::any_of(lowered.scalars.begin(), lowered.scalars.end(),
                                     [](const KernelScalar& scalar) { return scalar.source == ScalarSource::Slice; });
  out.line(rank == 0   ? "pb_launch.range(pbrt::Box<1>{{0}, {1}});"
           : has_slice ? "pbrt::gpu::range_in_slice(pb_launch, pb_box);"
                       : "pb_launch.range(pb_box);");
  const bool has_lanes = instance_with_lanes(lowered.tree) != nullptr;
  const bool has_blocks = instance_in_blocks(lowered.tree) != nullptr;
  out.line("pb_launch.group(pb_group, " + std::to_string(std::max<std::size_t>(1, rank)) + ", pb_items" +
           (has_lanes    ? ", pb_lanes"
            : has_blocks ? ", nullptr"
                         : "") +
           (lowered.kept_length ? ", pb_kept_rounds"
            : has_blocks        ? ", nullptr"
                                : "") +
           (has_blocks ? ", pb_block_items, pb_block_rounds, pb_block_stages, pb_block_parts, pb_matrix_units" : "") +
           ");");
  const std::string run = std::string("pb_frame.context().run(pb_frame, pb_launch, pb_site, pb_alternative, pb_check") +
                          (form.has_pieces ? ", &pb_piece)" : ")");
  if (numbers.empty()) return out.line("return " + run + ";");
  out.line("if (!" + run + ") return false;");
  out.line("if (pb_check.has_results()) return true;");
  for (const LaunchRegion* number : numbers) emit_number_back(out, code, *number);
  out.line("return true;");
}

}  // namespace

void emit_arrivals(Writer& out, const Transform& transform, const KernelTree& kernel, const std::string& frame) {
  for (const KernelScalar& scalar : kernel.scalars) {
    if (scalar.source != ScalarSource::Matrix) continue;
    const Matrix& number = transform.matrices[scalar.matrix];
    if (number.role != MatrixRole::From) out.line("pbrt::need_on_host(" + frame + ", " + number.name + ");");
  }
}

std::string launch_value(const KernelScalar& scalar) {
  // Functions of steps have tunables of the kernel's types, others as the configuration has them.
  const std::string type_of_tunable = scalar.type == ScalarType::Int ? "std::int32_t" : "double";
  switch (scalar.source) {
    case ScalarSource::Matrix:
      return (scalar.type == ScalarType::Int ? "static_cast<std::int32_t>(" : "(") + scalar.origin + ".cell())";
    case ScalarSource::Size:
      return "static_cast<std::int32_t>(" + scalar.origin + ")";
    case ScalarSource::Tunable:
      return "static_cast<" + type_of_tunable + ">(" + scalar.origin + ")";
    case ScalarSource::OfTunable:
      return "static_cast<" + type_of_tunable + ">(" + scalar.origin + "[" + std::to_string(scalar.element) + "])";
    case ScalarSource::Slice:
      return "pbrt::gpu::slice_of(pb_box)";
    case ScalarSource::Bound:
      return "static_cast<std::int32_t>(" + to_cpp(scalar.bound) + ")";
    case ScalarSource::Depth:
      return "static_cast<std::int32_t>(pb_num_versions)";
    case ScalarSource::Made:
      return "static_cast<std::int32_t>(" + scalar.name + ")";
  }
  PB_CHECK(false, "every scalar has a source");
  return {};
}

std::string emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step,
                             const Kernel& kernel, StepFunctions& done) {
  const TransformPlan& plan = plan_of(context, code);
  StepForm form;
  form.rule = code.rule_id;
  form.version = kernel.lowered.version;
  form.kernel = kernel.name;
  const LoweredStep& lowered = lowered_of(context, code.transform_id).steps[step];
  if (lowered.slice) {
    form.params = {*lowered.slice};
  } else if (lowered.is_given_boxes) {
    form.params = without_bounds(lowered.boxes);
  } else {
    form.boxes = lowered.boxes;
  }
  const auto own = std::find_if(lowered.kernels.begin(), lowered.kernels.end(),
                                [&](const LoweredKernel& each) { return each.tree.version == form.version; });
  form.has_pieces = !lowered.cuts.empty();
  form.regions = own->regions;
  form.inside = own->inside;
  return shared_function(out, done, code, step, form, [&](const std::string& name) {
    std::vector<Parameter> params = step_params(code);
    for (const StepBox& box : form.params) params.push_back({"const " + type_of(box) + "&", box.name});
    for (const char* shape : {"pb_group", "pb_items"}) params.push_back({"const std::int64_t*", shape});
    if (instance_with_lanes(kernel.lowered.tree) != nullptr) params.push_back({"const std::int64_t*", "pb_lanes"});
    if (kernel.lowered.kept_length) params.push_back({"const std::int64_t*", "pb_kept_rounds"});
    if (instance_in_blocks(kernel.lowered.tree) != nullptr)
      for (const char* shape :
           {"pb_block_items", "pb_block_rounds", "pb_block_stages", "pb_block_parts", "pb_matrix_units"})
        params.push_back({"const std::int64_t*", shape});
    params.push_back({"const pbrt::gpu::CopyOut", "pb_copy_out"});
    for (const char* number : {"pb_site", "pb_alternative"}) params.push_back({"const int", number});
    params.push_back({"pbrt::gpu::StepCheck&", "pb_check"});
    if (form.has_pieces) params.push_back({"pbrt::gpu::Piece&", "pb_piece"});
    Writer statements;
    statements.indent();
    emit_scalar_constants(statements, code, ScalarSet::Step);
    emit_boxes(statements, form.boxes);
    emit_launch(statements, code, step_of_launch(plan, step).loops.size(), kernel, form);
    emit_function(out, "PB_COLD static bool " + name, params, statements);
  });
}

}  // namespace pb
