// SPDX-License-Identifier: MIT
#include "clgen/cpp/boxes/step_boxes.h"

#include <algorithm>
#include <utility>

#include "base/seeded_fault.h"
#include "clgen/cpp/boxes/box_text.h"
#include "clgen/cpp/boxes/read_boxes.h"
#include "clgen/lower/analysis/nest_shape.h"
#include "clgen/names.h"
#include "lang/index/index_bounds.h"
#include "lang/region/affine.h"

namespace pb {
namespace {

/// Whether a step waits for the matrix. It does not wait for a 0-D input, a number that was copied when the call was
/// made.
bool is_awaited(const RuleCode& code, const RuleMatrix& use) {
  const Matrix& matrix = code.matrix(use.matrix);
  return use.is_touched && (matrix.num_dims() > 0 || matrix.role != MatrixRole::From);
}

}  // namespace

bool takes_boxes(const TransformPlan& plan, StepId step) {
  return !plan.steps[step].loops.empty() && own_nest(plan, step) == nullptr;
}

std::vector<StepBox> step_boxes(const TransformPlan& plan, const RuleCode& code, StepId step_id) {
  const Step& step = plan.steps[step_id];
  std::vector<StepBox> boxes;
  if (!step.loops.empty()) boxes.push_back({"pb_box", box_type(step), instance_box(step)});
  // Only devices need to know which parts are written.
  if (!code.has_kernels) return boxes;
  for (const RuleMatrix& use : code.matrices) {
    if (!use.is_output || !use.is_touched) continue;
    for (const std::optional<BoxBounds>& box : written_boxes(plan, code, step, use.matrix)) {
      const auto is_it = [&](const StepBox& other) { return other.bounds == *box; };
      if (!box || std::any_of(boxes.begin(), boxes.end(), is_it)) continue;
      boxes.push_back({"pb_part" + std::to_string(boxes.size()),
                       "pbrt::Box<" + std::to_string(code.matrix(use.matrix).num_dims()) + ">", *box});
    }
  }
  return boxes;
}

std::string to_cpp(const MatrixPart& part) { return part.matrix + (part.box ? ", " + *part.box : ""); }

std::vector<MatrixPart> written_parts(const TransformPlan& plan, const RuleCode& code, StepId step, MatrixId id) {
  const std::vector<StepBox> boxes = step_boxes(plan, code, step);
  std::vector<MatrixPart> parts;
  for (const std::optional<BoxBounds>& written : written_boxes(plan, code, plan.steps[step], id)) {
    const auto found =
        std::find_if(boxes.begin(), boxes.end(), [&](const StepBox& box) { return box.bounds == written; });
    parts.push_back({code.matrix(id).name, found == boxes.end() ? std::nullopt : std::optional(found->name)});
  }
  return parts;
}

namespace {

/// Whether the step gives a new value to every cell of the parts that it writes of a matrix, and reads none of it.
bool writes_all(const Step& step, const RuleCode& code, const RuleMatrix& use) {
  const auto is_tested = [](const RegionAccess& access) { return !access.tested_dims.empty(); };
  return use.is_overwritten && !use.is_input && is_box(step) && code.tried.empty() &&
         std::none_of(code.rule.inputs.begin(), code.rule.inputs.end(), is_tested);
}

/// Returns the parts of a matrix that a step reads; no parts mean that it may read all of the matrix.
std::vector<MatrixPart> read_parts(const TransformPlan& plan, const RuleCode& code, StepId id, const RuleMatrix& use) {
  const Step& step = plan.steps[id];
  if (step.loops.empty()) return {};
  const std::string& name = code.matrix(use.matrix).name;
  std::vector<MatrixPart> parts;
  if (use.is_input) {
    const auto box = read_box(step, code, use.matrix, "pb_box");
    if (!box) return {};
    parts.push_back({name, box});
  }
  if (!use.is_output || use.is_overwritten) return parts;
  // An instance may also write cells of segments that another rule owns.
  if (!step.left_to_others.empty()) return {};
  for (MatrixPart& written : written_parts(plan, code, id, use.matrix)) {
    if (!written.box) return {};
    parts.push_back(std::move(written));
  }
  return parts;
}

}  // namespace

void emit_boxes(Writer& out, const std::vector<StepBox>& boxes, bool may_change) {
  for (const StepBox& box : boxes)
    out.line((may_change ? "" : "const ") + box.type + " " + box.name + " = " + initializer_of(box.bounds) + ";");
}

HostParts parts_of_step(const TransformPlan& plan, const RuleCode& code, StepId step) {
  HostParts out;
  if (!code.has_kernels) return out;
  out.may_be_on_device = code.has_calls();
  for (const RuleMatrix& use : code.matrices) {
    if (is_awaited(code, use) && (use.is_input || !use.is_overwritten)) {
      const std::vector<MatrixPart> read = read_parts(plan, code, step, use);
      if (read.empty()) out.whole.push_back(code.matrix(use.matrix).name);
      out.read.insert(out.read.end(), read.begin(), read.end());
    }
    if (!use.is_touched || !use.is_output) continue;
    const bool is_all = writes_all(plan.steps[step], code, use) && !is_scattered(plan, use.matrix);
    for (MatrixPart& part : written_parts(plan, code, step, use.matrix))
      out.written.push_back({std::move(part), is_all});
  }
  return out;
}

namespace {

/// Returns the box in which instances of the box named `box` write the matrix; none if they may write anywhere.
std::optional<std::string> written_hull(const RuleCode& code, const Step& step, MatrixId id, const std::string& box) {
  if (!code.tried.empty() || box.empty()) return std::nullopt;
  const SymbolRanges ranges = ranges_in(step, box);
  BoxBounds hull;
  for (std::size_t d = 0; d < code.matrix(id).extents.size(); ++d) {
    std::vector<IndexExpr> lo;
    std::vector<IndexExpr> hi;
    for (const RegionAccess& output : code.rule.outputs) {
      if (output.matrix != id) continue;
      const auto first = to_rational(output.lo[d], {});
      const auto end = to_rational(output.hi[d], {});
      if (!first || !end || first->denominator != 1 || end->denominator != 1) return std::nullopt;
      const auto first_bounds = bounds_of(first->numerator, ranges);
      const auto end_bounds = bounds_of(end->numerator, ranges);
      if (!first_bounds || !end_bounds) return std::nullopt;
      lo.push_back(first_bounds->first);
      hi.push_back(end_bounds->last);
    }
    hull.push_back({index_min(lo), index_max(hi)});
  }
  if (hull.empty()) return std::nullopt;
  return hull == variable_box(box, step.loops.size()) ? box : box_text(hull);
}

/// Whether the instances of a box write every cell of the box that `written_hull` returns. They do if only one output
/// writes the matrix, and each of its coordinates moves with one loop at most, by one cell per iteration.
bool fills_hull(const RuleCode& code, const Step& step, MatrixId id) {
  const RegionAccess* only = nullptr;
  for (const RegionAccess& output : code.rule.outputs) {
    if (output.matrix != id) continue;
    if (only != nullptr) return false;
    only = &output;
  }
  if (only == nullptr || !is_element(*only)) return false;
  std::vector<int> used(only->lo.size(), 0);
  for (const LoopDim& loop : step.loops) {
    int num_dims = 0;
    for (std::size_t d = 0; d < only->lo.size(); ++d) {
      const auto by = coefficient_of(only->lo[d], loop.var);
      if (!by || *by > 1 || *by < -1) return false;
      num_dims += *by != 0 ? 1 : 0;
      used[d] += *by != 0 ? 1 : 0;
    }
    if (num_dims > 1) return false;
  }
  return std::all_of(used.begin(), used.end(), [](int count) { return count <= 1; });
}

}  // namespace

HostParts parts_of_box(const RuleCode& code, const Step& step, const std::string& box) {
  HostParts out;
  if (!code.has_kernels) return out;
  out.may_be_on_device = code.has_calls();
  for (const RuleMatrix& use : code.matrices) {
    if (!is_awaited(code, use)) continue;
    const std::string& name = code.matrix(use.matrix).name;
    const auto read = box.empty() || !use.is_input ? std::nullopt : read_box(step, code, use.matrix, box);
    if (use.is_input) read ? out.read.push_back({name, read}) : out.whole.push_back(name);
    if (!use.is_output) continue;
    const auto hull = written_hull(code, step, use.matrix, box);
    const MatrixPart part{name, hull};
    const bool is_all = hull && writes_all(step, code, use) && fills_hull(code, step, use.matrix);
    if (!use.is_overwritten && (!use.is_input || read)) hull ? out.read.push_back(part) : out.whole.push_back(name);
    out.written.push_back({part, is_all});
  }
  return out;
}

void emit_arrivals(Writer& out, const HostParts& parts, const std::string& frame) {
  if (!parts.whole.empty()) out.line("pbrt::need_on_host(" + frame + ", " + joined(parts.whole) + ");");
  for (const MatrixPart& part : parts.read) out.line("pbrt::need_on_host(" + frame + ", " + to_cpp(part) + ");");
  for (const HostParts::Written& written : parts.written)
    out.line((written.is_all ? "pbrt::before_host_overwrite(" : "pbrt::before_host_write(") + frame + ", " +
             to_cpp(written.part) + ");");
}

std::vector<std::string> fetches_of(const TransformPlan& plan, const RuleCode& code, StepId step,
                                    const std::string& frame, const std::string& instances) {
  std::vector<std::string> out;
  for (const RuleMatrix& use : code.matrices) {
    if (!use.is_input || !is_awaited(code, use)) continue;
    const auto box = read_box(plan.steps[step], code, use.matrix, instances);
    out.push_back("pbrt::gpu::fetch(" + frame + ", " + to_cpp(MatrixPart{code.matrix(use.matrix).name, box}) + ");");
  }
  return out;
}

void emit_departures(Writer& out, const HostParts& parts, const std::string& frame) {
  if (PB_FAULT(departures_are_forgotten)) return;
  for (const HostParts::Written& written : parts.written) {
    if (parts.may_be_on_device) out.line("pbrt::need_on_host(" + frame + ", " + to_cpp(written.part) + ");");
    out.line("pbrt::wrote_on_host(" + frame + ", " + to_cpp(written.part) + ");");
  }
}

std::vector<BoxCut> cuts_of(const TransformPlan& plan, const RuleCode& code, StepId step_id) {
  const Step& step = plan.steps[step_id];
  if (!step.device_share || !takes_boxes(plan, step_id)) return {};
  const std::vector<StepBox> boxes = step_boxes(plan, code, step_id);
  std::vector<BoxCut> cuts{{boxes.front(), step.loops.size() - 1 - step.device_share->loop}};
  for (std::size_t i = 0; i < code.rule.outputs.size(); ++i) {
    const MatrixId id = code.rule.outputs[i].matrix;
    const auto use =
        std::find_if(code.matrices.begin(), code.matrices.end(), [&](const RuleMatrix& m) { return m.matrix == id; });
    // A matrix that keeps earlier values goes to the device as a whole.
    if (use == code.matrices.end() || !use->is_touched || !use->is_overwritten) return {};
    const std::optional<BoxBounds> written = written_boxes(plan, code, step, id).front();
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const StepBox& b) { return b.bounds == written; });
    const auto known =
        std::find_if(cuts.begin(), cuts.end(), [&](const BoxCut& cut) { return cut.box.name == box->name; });
    if (known == cuts.end())
      cuts.push_back({*box, step.device_share->dims[i]});
    else if (known->dim != step.device_share->dims[i])
      return {};
  }
  return cuts;
}

std::vector<std::string> box_args(const TransformPlan& plan, const RuleCode& code, StepId step, bool are_declared) {
  std::vector<std::string> args;
  if (!takes_boxes(plan, step)) return args;
  for (const StepBox& box : step_boxes(plan, code, step))
    args.push_back(are_declared ? box.name : initializer_of(box.bounds));
  return args;
}

}  // namespace pb
