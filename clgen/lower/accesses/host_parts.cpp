// SPDX-License-Identifier: MIT
#include "clgen/lower/accesses/host_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "clgen/facts/names.h"
#include "clgen/lower/accesses/read_boxes.h"
#include "clgen/lower/accesses/step_boxes.h"
#include "clgen/lower/analysis/written_boxes.h"
#include "lang/index/index_bounds.h"
#include "lang/region/affine.h"

namespace pb {

std::vector<MatrixPart> written_parts(const TransformPlan& plan, const RuleShape& rule, StepId step, MatrixId id) {
  const std::vector<StepBox> boxes = step_boxes(plan, rule, step);
  std::vector<MatrixPart> parts;
  for (const std::optional<BoxBounds>& written : written_boxes(plan, rule, plan.steps[step], id)) {
    const auto found =
        std::find_if(boxes.begin(), boxes.end(), [&](const StepBox& box) { return box.bounds == written; });
    parts.push_back({rule.matrix(id).name, found == boxes.end() ? std::nullopt : std::optional(PartBox{found->name})});
  }
  return parts;
}

namespace {

/// Whether the step gives a new value to every cell of the parts that it writes of a matrix, and reads none of it.
bool writes_all(const Step& step, const RuleShape& rule, const RuleMatrix& use) {
  const auto is_tested = [](const RegionAccess& access) { return !access.tested_dims.empty(); };
  return use.is_overwritten && !use.is_input && is_box(step) && rule.rule.tried.empty() &&
         std::none_of(rule.rule.inputs.begin(), rule.rule.inputs.end(), is_tested);
}

/// Returns the parts of a matrix that a step reads; no parts mean that it may read all of the matrix.
std::vector<MatrixPart> read_parts(const TransformPlan& plan, const RuleShape& rule, StepId id, const RuleMatrix& use) {
  const Step& step = plan.steps[id];
  if (step.loops.empty()) return {};
  const std::string& name = rule.matrix(use.matrix).name;
  std::vector<MatrixPart> parts;
  if (use.is_input) {
    const auto box = read_box(step, rule, use.matrix, "pb_box");
    if (!box) return {};
    parts.push_back({name, box});
  }
  if (!use.is_output || use.is_overwritten) return parts;
  // An instance may also write cells of segments that another rule owns.
  if (!step.left_to_others.empty()) return {};
  for (MatrixPart& written : written_parts(plan, rule, id, use.matrix)) {
    if (!written.box) return {};
    parts.push_back(std::move(written));
  }
  return parts;
}

/// Returns a coordinate of a region. Without rule variables it is a value of the call, such as `w/2`.
std::optional<IndexExpr> coordinate_of(const Formula& formula) {
  if (!has_rule_var(formula)) return to_index_expr(formula, {});
  const auto exact = to_rational(formula, {});
  return exact && exact->denominator == 1 ? std::optional(exact->numerator) : std::nullopt;
}

}  // namespace

HostParts parts_of_step(const TransformPlan& plan, const RuleShape& rule, StepId step) {
  HostParts out;
  if (!rule.has_kernels) return out;
  out.may_be_on_device = rule.has_calls();
  for (const RuleMatrix& use : rule.matrices) {
    if (rule.is_awaited(use) && (use.is_input || !use.is_overwritten)) {
      const std::vector<MatrixPart> read = read_parts(plan, rule, step, use);
      if (read.empty()) out.whole.push_back(rule.matrix(use.matrix).name);
      out.read.insert(out.read.end(), read.begin(), read.end());
    }
    if (!use.is_touched || !use.is_output) continue;
    const bool is_all = writes_all(plan.steps[step], rule, use) && !is_scattered(plan, use.matrix);
    for (MatrixPart& part : written_parts(plan, rule, step, use.matrix))
      out.written.push_back({std::move(part), is_all});
  }
  return out;
}

std::optional<PartBox> written_hull(const RuleShape& rule, const Step& step, MatrixId id, const std::string& box) {
  if (!rule.rule.tried.empty() || box.empty()) return std::nullopt;
  const SymbolRanges ranges = ranges_in(step, box);
  BoxBounds hull;
  for (std::size_t d = 0; d < rule.matrix(id).extents.size(); ++d) {
    std::vector<IndexExpr> lo;
    std::vector<IndexExpr> hi;
    for (const RegionAccess& output : rule.rule.outputs) {
      if (output.matrix != id) continue;
      const auto first = coordinate_of(output.lo[d]), end = coordinate_of(output.hi[d]);
      if (!first || !end) return std::nullopt;
      const auto first_bounds = bounds_of(*first, ranges);
      const auto end_bounds = bounds_of(*end, ranges);
      if (!first_bounds || !end_bounds) return std::nullopt;
      lo.push_back(first_bounds->first);
      hi.push_back(end_bounds->last);
    }
    hull.push_back({index_min(lo), index_max(hi)});
  }
  if (hull.empty()) return std::nullopt;
  if (hull == variable_box(box, step.loops.size())) return PartBox{box};
  return PartBox{"", std::move(hull)};
}

/// They do if they are a box, only one output writes the matrix, and each of its coordinates moves with one loop at
/// most, by one cell per iteration.
bool fills_hull(const RuleShape& rule, const Step& step, MatrixId id) {
  if (!is_box(step)) return false;
  const RegionAccess* only = nullptr;
  for (const RegionAccess& output : rule.rule.outputs) {
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

HostParts parts_of_box(const RuleShape& rule, const Step& step, const std::string& box) {
  HostParts out;
  if (!rule.has_kernels) return out;
  out.may_be_on_device = rule.has_calls();
  for (const RuleMatrix& use : rule.matrices) {
    if (!rule.is_awaited(use)) continue;
    const std::string& name = rule.matrix(use.matrix).name;
    const auto read = box.empty() || !use.is_input ? std::nullopt : read_box(step, rule, use.matrix, box);
    if (use.is_input) read ? out.read.push_back({name, read}) : out.whole.push_back(name);
    if (!use.is_output) continue;
    const auto hull = written_hull(rule, step, use.matrix, box);
    const MatrixPart part{name, hull};
    const bool is_all = hull && writes_all(step, rule, use) && fills_hull(rule, step, use.matrix);
    if (!use.is_overwritten && (!use.is_input || read)) hull ? out.read.push_back(part) : out.whole.push_back(name);
    out.written.push_back({part, is_all});
  }
  return out;
}

std::vector<MatrixPart> fetched_parts(const TransformPlan& plan, const RuleShape& rule, StepId step,
                                      const std::string& instances) {
  std::vector<MatrixPart> out;
  for (const RuleMatrix& use : rule.matrices) {
    if (!use.is_input || !rule.is_awaited(use)) continue;
    out.push_back({rule.matrix(use.matrix).name, read_box(plan.steps[step], rule, use.matrix, instances)});
  }
  return out;
}

}  // namespace pb
