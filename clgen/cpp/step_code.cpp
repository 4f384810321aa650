// SPDX-License-Identifier: MIT
#include "clgen/cpp/step_code.h"

#include <algorithm>

#include "clgen/cpp/instance_code.h"
#include "clgen/cpp/nest_code.h"
#include "clgen/cpp/packs.h"
#include "clgen/names.h"
#include "lang/body_walk.h"

namespace pb {
namespace {

bool is_split(const Step& step) { return !step.loops.empty() && step.is_data_parallel; }

const TransformPlan& plan_of(const CppContext& context, const RuleCode& code) {
  return context.plan.transforms[code.transform_id.index()];
}

/// The boxes of a matrix that a step writes: `Out`, or `Out.region(0, 0, w, 1)`. All of a scattered matrix: no device
/// writes it.
std::vector<std::string> written_parts(const TransformPlan& plan, const Transform& transform, const Step& step,
                                       MatrixId id) {
  std::vector<std::string> parts;
  const Matrix& matrix = transform.matrices[id];
  if (is_scattered(plan, id)) return {matrix.name};
  for (const SegmentId segment_id : step.segments) {
    const Segment& segment = plan.segments[segment_id];
    if (segment.matrix != id) continue;
    bool is_whole = true;
    std::vector<std::string> corners;
    for (std::size_t d = 0; d < segment.box.size(); ++d) {
      is_whole = is_whole && segment.box[d].lo.is_const(0) && to_cpp(segment.box[d].hi) == to_c(matrix.extents[d]);
      corners.push_back(to_cpp(segment.box[d].lo));
    }
    for (const IndexRange& range : segment.box) corners.push_back(to_cpp(range.hi));
    parts.push_back(is_whole ? matrix.name : matrix.name + ".region(" + joined(corners) + ")");
  }
  return parts;
}

/// Whether the body writes elements of a matrix while it reads others: compilers must know that they are apart.
bool writes_among_reads(const RuleCode& code) {
  if (!code.tried.empty()) return false;
  const bool writes = std::any_of(code.rule.outputs.begin(), code.rule.outputs.end(),
                                  [](const RegionAccess& output) { return !is_element(output); });
  return writes && code.matrices.size() > 1;
}

/// Whether the rule knows the matrix by one name only.
bool has_one_name(const RuleCode& code, MatrixId id) {
  const auto is_it = [&](const RegionAccess& access) { return access.matrix == id; };
  return std::count_if(code.rule.outputs.begin(), code.rule.outputs.end(), is_it) +
             std::count_if(code.rule.inputs.begin(), code.rule.inputs.end(), is_it) ==
         1;
}

/// Handles, or views that compilers know more of, or any views.
std::vector<std::string> matrix_args(const RuleCode& code, bool is_fast) {
  std::vector<std::string> args;
  const bool is_apart = writes_among_reads(code);
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    if (use.needs_handle) {
      args.push_back(matrix.name);
    } else if (!is_fast || matrix.num_dims() == 0) {
      args.push_back(matrix.name + ".view()");
    } else {
      args.push_back(matrix.name + (is_apart && has_one_name(code, use.matrix) ? ".apart_view()" : ".unit_view()"));
    }
  }
  return args;
}

}  // namespace

void emit_arrivals(Writer& out, const TransformPlan& plan, const RuleCode& code, const Step& step) {
  for (const RuleMatrix& use : code.matrices) {
    // A 0-D input is a number: it was copied when the call was made.
    const Matrix& matrix = code.matrix(use.matrix);
    if (!use.is_touched || (matrix.num_dims() == 0 && matrix.role == MatrixRole::From)) continue;
    const bool keeps_cells = use.is_output && !use.is_overwritten;
    if (use.is_input || keeps_cells) out.line("pbrt::need_on_host(pb_frame, " + matrix.name + ");");
    if (!use.is_output) continue;
    for (const std::string& part : written_parts(plan, code.transform, step, use.matrix))
      out.line("pbrt::before_host_write(pb_frame, " + part + ");");
  }
}

void emit_departures(Writer& out, const TransformPlan& plan, const RuleCode& code, const Step& step) {
  for (const RuleMatrix& use : code.matrices) {
    if (!use.is_output || !use.is_touched) continue;
    for (const std::string& part : written_parts(plan, code.transform, step, use.matrix)) {
      // A call in the body may have left it on a device.
      if (code.has_calls()) out.line("pbrt::need_on_host(pb_frame, " + part + ");");
      out.line("pbrt::wrote_on_host(" + part + ");");
    }
  }
}

std::string unit_condition(const RuleCode& code) {
  std::vector<std::string> terms;
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    if (!use.needs_handle && matrix.num_dims() > 0) terms.push_back(matrix.name + ".view().has_unit_stride()");
  }
  if (terms.empty() || !writes_among_reads(code)) return joined(terms, " && ");
  for (std::size_t i = 0; i < code.matrices.size(); ++i) {
    if (!code.matrices[i].is_output) continue;
    for (std::size_t k = 0; k < code.matrices.size(); ++k) {
      if (k == i || (k < i && code.matrices[k].is_output)) continue;
      terms.push_back("pbrt::is_apart(" + code.matrix(code.matrices[i].matrix).name + ".view(), " +
                      code.matrix(code.matrices[k].matrix).name + ".view())");
    }
  }
  return joined(terms, " && ");
}

std::string loops_call(const RuleCode& code, const std::string& function, bool is_unit, const std::string& box) {
  std::vector<std::string> args;
  if (code.has_calls()) args.emplace_back("pb_inner");
  for (std::string& arg : matrix_args(code, is_unit)) args.push_back(std::move(arg));
  for (std::string& arg : scalar_args(code, ScalarSet::Rule)) args.push_back(std::move(arg));
  if (!box.empty()) args.push_back(box);
  return function + "(" + joined(args) + ");";
}

std::string box_initializer(const Step& step) {
  std::vector<std::string> lo;
  std::vector<std::string> hi;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    lo.push_back(to_cpp(loop->range.lo));
    hi.push_back(to_cpp(loop->range.hi));
  }
  return "{{" + joined(lo) + "}, {" + joined(hi) + "}}";
}

void emit_piece(Writer& out, const RuleCode& code, const std::string& stem, bool has_packs, const std::string& unit,
                const std::string& box) {
  if (unit.empty()) {
    out.line(loops_call(code, "loops_" + stem, false, box));
    return;
  }
  out.open("if (" + unit + ")");
  out.line(loops_call(code, (has_packs ? "lanes_" : "loops_") + stem, true, box));
  out.reopen("else");
  out.line(loops_call(code, "loops_" + stem, false, box));
  out.close();
}

namespace {

/// Whether the body has loops, so that it matters what compilers know of its matrices.
bool may_loop(const Rule& rule) {
  bool result = false;
  walk(
      rule.body, rule.body.root,
      [&](StmtId id) {
        const auto& node = rule.body.stmts[id].node;
        result |= std::holds_alternative<ForStmt>(node) || std::holds_alternative<WhileStmt>(node) ||
                  std::holds_alternative<DoStmt>(node) || std::holds_alternative<ForEnoughStmt>(node) ||
                  std::holds_alternative<OpaqueStmt>(node);
      },
      [](ExprId) {});
  return result;
}

/// Records, where the run is traced, that the rule runs until the end of the block.
std::string scope_line(const RuleCode& code, const std::string& cells) {
  return "const pbrt::RuleScope pb_scope(pb_frame, " + rule_constant(code.stem) + ", " + cells + ");";
}

/// The cells that the one instance of a rule writes.
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

void emit_loop_step(Writer& out, const RuleCode& code, const Step& step, const std::string& stem, bool has_packs) {
  const std::string condition = unit_condition(code);
  const std::string unit = condition.empty() ? "" : "pb_unit";
  if (!unit.empty()) out.line("const bool pb_unit = " + condition + ";");
  out.line("const " + box_type(step) + " pb_box = " + box_initializer(step) + ";");
  if (!is_split(step)) {
    out.line("if (pb_box.is_empty()) return;");
    out.line(scope_line(code, "pb_box.volume()"));
    if (code.has_calls()) out.line("pbrt::Frame& pb_inner = pb_frame;");
    emit_piece(out, code, stem, has_packs, unit, "pb_box");
    return;
  }
  const std::string frame = code.has_calls() ? "pbrt::Frame& pb_inner" : "pbrt::Frame&";
  out.open("pbrt::parallel_for(pb_frame, pb_box, pb_split, [&](" + frame + ", const " + box_type(step) + "& pb_piece)");
  emit_piece(out, code, stem, has_packs, unit, "pb_piece");
  out.close(", &" + rule_constant(code.stem) + ");");
}

}  // namespace

StepPieces pieces_of(const TransformPlan& plan, StepId id) {
  if (const Nest* nest = own_nest(plan, id))
    return !is_sliced(*nest) ? StepPieces::Tiles : has_split(*nest) ? StepPieces::Split : StepPieces::None;
  return is_split(plan.steps[id]) ? StepPieces::Split : StepPieces::None;
}

std::string step_stem(const CppContext& context, const RuleCode& code, StepId step) {
  int count = 0;
  for (const Step& other : plan_of(context, code).steps) count += other.rule == code.rule_id ? 1 : 0;
  return count > 1 ? code.stem + "_s" + std::to_string(step.index()) : code.stem;
}

std::vector<std::string> step_params(const RuleCode& code) {
  std::vector<std::string> params = {"pbrt::Frame& pb_frame"};
  for (const RuleMatrix& use : code.matrices) {
    const Matrix& matrix = code.matrix(use.matrix);
    params.push_back("const " + region_type(matrix, matrix.role == MatrixRole::From) + "& " + matrix.name);
  }
  for (std::string& param : scalar_params(code, ScalarSet::Rule)) params.push_back(std::move(param));
  return params;
}

std::vector<std::string> step_args(const RuleCode& code, const std::string& frame) {
  std::vector<std::string> args = {frame};
  for (const RuleMatrix& use : code.matrices) args.push_back(code.matrix(use.matrix).name);
  for (std::string& arg : scalar_args(code, ScalarSet::Rule)) args.push_back(std::move(arg));
  return args;
}

namespace {

/// The loops of a step, and the same on packs; earlier ones if they are the same.
SharedLoops emit_shared_loops(Writer& out, const RuleCode& code, const Step& step, const std::string& stem, bool may_pack,
                              LoopsByText& loops) {
  const auto emit = [&](Writer& to, const std::string& name) {
    emit_loops(to, code, step, "loops_" + name);
    to.blank();
    return may_pack && emit_packs(to, code, step, name);
  };
  Writer text;
  const bool has_packs = emit(text, code.stem);
  const auto [place, is_new] = loops.emplace(text.text(), SharedLoops{stem, has_packs});
  if (is_new) emit(out, stem);
  return place->second;
}

/// The loops of a step and what runs them; `body` takes the statements of the step function.
void emit_cpu_body(Writer& out, Writer& body, const RuleCode& code, const TransformPlan& plan, StepId id,
                   const std::string& stem, bool may_pack, LoopsByText& loops) {
  const Step& step = plan.steps[id];
  if (const Nest* nest = own_nest(plan, id)) {
    const std::vector<NestPart> parts{{code, nest->members.front(), stem, ""}};
    const bool has_packs = emit_member_loops(out, plan, *nest, parts.front(), may_pack);
    body.line("const " + box_type(step) + " pb_box = " + box_initializer(step) + ";");
    body.line("if (pb_box.is_empty()) return;");
    emit_nest(body, plan, *nest, parts, {has_packs}, {"pb_frame", "pb_split", "pb_extent", rule_constant(code.stem), "pb_box.volume()"});
    return;
  }
  if (step.loops.empty()) {
    body.line(scope_line(code, written_cells(code)));
    const std::string unit = may_loop(code.rule) ? unit_condition(code) : "";
    if (unit.empty()) {
      emit_instance(body, code);
      return;
    }
    emit_loops(out, code, step, "loops_" + stem);
    out.blank();
    body.line("const bool pb_unit = " + unit + ";");
    if (code.has_calls()) body.line("pbrt::Frame& pb_inner = pb_frame;");
    emit_piece(body, code, stem, false, "pb_unit", "");
    return;
  }
  const SharedLoops shared = emit_shared_loops(out, code, step, stem, may_pack, loops);
  emit_loop_step(body, code, step, shared.stem, shared.has_packs);
}

}  // namespace

void emit_cpu_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step_id, LoopsByText& loops) {
  const TransformPlan& plan = plan_of(context, code);
  const Step& step = plan.steps[step_id];
  const std::string stem = step_stem(context, code, step_id);
  Writer body;
  body.indent();
  // Packs go to memory without a look at the index.
  emit_cpu_body(out, body, code, plan, step_id, stem, !context.options.is_checked, loops);
  std::vector<std::string> params = step_params(code);
  const StepPieces pieces = pieces_of(plan, step_id);
  if (pieces == StepPieces::Split) params.emplace_back("const std::int64_t pb_split");
  if (pieces == StepPieces::Tiles) params.emplace_back("const std::int64_t* pb_extent");
  open_function(out, "static void step_" + stem + "_cpu", params);
  emit_scalar_constants(out, code, ScalarSet::Rule);
  emit_arrivals(out, plan, code, step);
  out.verbatim(body.text());
  emit_departures(out, plan, code, step);
  out.close();
  out.blank();
}

namespace {

/// `.output(Out, Out.region(…), pb_copy_out)` and so on, in order of the kernel's regions.
std::string region_call(const TransformPlan& plan, const RuleCode& code, const Step& step, const RuleMatrix& use) {
  const std::string& name = code.matrix(use.matrix).name;
  if (!use.is_output) return "pb_launch.input(" + name + ");";
  const std::vector<std::string> parts = written_parts(plan, code.transform, step, use.matrix);
  const bool is_plain = use.is_overwritten && !use.is_input && parts.size() == 1;
  if (!is_plain) return "pb_launch.inout(" + name + ", pb_copy_out);";
  if (parts[0] == name) return "pb_launch.output(" + name + ", pb_copy_out);";
  return "pb_launch.output(" + name + ", " + parts[0] + ", pb_copy_out);";
}

std::string tile_dims(const KernelTile& tile) {
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < tile.extent.size(); ++d) {
    const auto& step = tile.step[d];
    dims.push_back("{{" + std::to_string(step[0]) + ", " + std::to_string(step[1]) + ", " + std::to_string(step[2]) +
                   "}, " + to_cpp(tile.extent[d]) + "}");
  }
  return "{" + joined(dims) + "}";
}

}  // namespace

void emit_device_step(Writer& out, const CppContext& context, const RuleCode& code, StepId step_id,
                      const Kernel& kernel) {
  const TransformPlan& plan = plan_of(context, code);
  const Step& step = plan.steps[step_id];
  std::vector<std::string> params = step_params(code);
  params.emplace_back("const std::int64_t* pb_group");
  params.emplace_back("const pbrt::gpu::CopyOut pb_copy_out");
  params.emplace_back("const int pb_site");
  params.emplace_back("const int pb_alternative");
  open_function(out, "static bool step_" + step_stem(context, code, step_id) + "_" + to_string(kernel.version), params);
  emit_scalar_constants(out, code, ScalarSet::Rule);
  out.line("pbrt::gpu::Launch pb_launch(kKernel_" + kernel.name + ", pb_frame, pb_frame.context().gpu());");
  for (const RuleMatrix& use : kernel.matrices) out.line(region_call(plan, code, step, use));
  for (const KernelScalar& scalar : kernel.scalars) out.line("pb_launch.scalar(" + scalar.value + ");");
  for (const KernelTile& tile : kernel.tiles) {
    const RegionAccess& input = code.rule.inputs[tile.input];
    const Matrix& matrix = code.matrix(input.matrix);
    const std::string rank = std::to_string(tile.extent.size());
    out.line("const pbrt::gpu::TileDim pb_tile_" + input.binding + "[] = " + tile_dims(tile) + ";");
    out.line("pb_launch.tile(sizeof(" + element_text(matrix.element, matrix.is_element_t) + "), " + rank +
             ", pb_tile_" + input.binding + ");");
  }
  const std::string rank = std::to_string(step.loops.size());
  std::vector<std::string> lo;
  std::vector<std::string> extent;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    const IndexRange& range = loop->range;
    lo.push_back("static_cast<std::int32_t>(" + to_cpp(range.lo) + ")");
    extent.push_back("static_cast<std::int32_t>(" + to_cpp(index_max({index_const(0), index_sub(range.hi, range.lo)})) +
                     ")");
  }
  if (step.loops.empty()) {
    out.line("pb_launch.range(0, nullptr, nullptr);");
  } else {
    out.line("const std::int32_t pb_lo[] = {" + joined(lo) + "};");
    out.line("const std::int32_t pb_extent[] = {" + joined(extent) + "};");
    out.line("pb_launch.range(" + rank + ", pb_lo, pb_extent);");
  }
  out.line("if (pb_group != nullptr) pb_launch.group(pb_group, " + rank + ");");
  out.line("if (pb_launch.run()) return true;");
  out.line("pb_frame.context().fallback(pb_site, pb_alternative, pb_launch.reason());");
  out.line("return false;");
  out.close();
  out.blank();
}

}  // namespace pb
