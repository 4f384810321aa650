// SPDX-License-Identifier: MIT
#include "choicegraph/plan/launches/time_tiles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "choicegraph/plan/launch_slices.h"
#include "choicegraph/plan/launches/launch_steps.h"

namespace pb {
namespace {

constexpr std::size_t kMaxSpaceDims = 3;
constexpr std::int64_t kMaxRadius = 8;

/// Looks at the members of one nest.
class VersionStepsFinder {
 public:
  VersionStepsFinder(const Transform& transform, const TransformPlan& plan, const Nest& nest)
      : transform_(transform), plan_(plan), nest_(nest) {}

  VersionSteps find() {
    const std::optional<MatrixId> found = matrix_of_versions(plan_, nest_);
    if (!found) return no_launch("no temporary has its versions from these rules alone");
    out_.matrix = *found;
    num_dims_ = transform_.matrices[*found].extents.size() - 1;
    if (num_dims_ > kMaxSpaceDims) return no_launch("a device has three dimensions");
    out_.radius.assign(num_dims_, 0);
    for (const NestMember& member : nest_.members)
      if (std::string why = add(member); !why.empty()) return no_launch("`" + rule_of(member).name + "` " + why);
    const std::optional<std::size_t> main = main_step(transform_, plan_, out_.steps, out_.cells);
    if (!main) return no_launch("no rule has a variable for each dimension");
    out_.main = out_.steps[*main];
    for (std::size_t m = 0; m < nest_.members.size(); ++m)
      if (std::string why = why_no_tiles(nest_.members[m], out_.cells[m]); !why.empty() && out_.why_no_tiles.empty())
        out_.why_no_tiles = "`" + rule_of(nest_.members[m]).name + "` " + why;
    if (!out_.why_no_tiles.empty()) out_.radius.clear();
    return std::move(out_);
  }

 private:
  const Rule& rule_of(const NestMember& member) const { return transform_.rules[plan_.steps[member.step].rule]; }

  VersionSteps no_launch(std::string why) {
    VersionSteps out;
    out.why_no_tiles = std::move(why);
    return out;
  }

  /// Adds the member to the steps; returns why a launch of all steps cannot run it, or nothing.
  std::string add(const NestMember& member) {
    const Step& step = plan_.steps[member.step];
    const Rule& rule = rule_of(member);
    if (launch_nest(plan_, member.step) != &nest_ || !has_basic_version(plan_, step)) return "has no version `opencl`";
    const NestCoordinate& at = member.coordinates.front();
    if (at.var.empty() || at.factor != 1 || !is_same_shift(at)) return "names the versions in another way";
    if (rule.outputs.front().matrix != out_.matrix) return "makes no single cells";
    StepCells cells = find_step_cells(transform_, plan_, step_of_launch(plan_, member.step), num_dims_);
    if (!cells.why_not.empty()) return std::move(cells.why_not);
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
      const MatrixId read = rule.inputs[i].matrix;
      if (read == out_.matrix && !reads_version_before(step, i, at))
        return "reads a version that is not the one before";
      if (read != out_.matrix && nest_of_versions(plan_, read) != nullptr) return "reads versions of another temporary";
    }
    out_.steps.push_back(member.step);
    out_.cells.push_back(std::move(cells.dims));
    return "";
  }

  /// All members count versions alike.
  bool is_same_shift(const NestCoordinate& at) const {
    return at.shift == nest_.members.front().coordinates.front().shift && constant_of(at.shift);
  }

  const InputBox* box_of(const Step& step, std::size_t input) const {
    const auto found = std::find_if(step.input_boxes.begin(), step.input_boxes.end(),
                                    [&](const InputBox& box) { return box.input == input; });
    return found == step.input_boxes.end() ? nullptr : &*found;
  }

  bool reads_version_before(const Step& step, std::size_t input, const NestCoordinate& at) const {
    const InputBox* box = box_of(step, input);
    if (box == nullptr) return false;
    // The version that is written is `var + shift`.
    const IndexExpr written = index_add(index_symbol(at.var), at.shift);
    return index_sub(written, box->lo[num_dims_]).is_const(1) && index_sub(written, box->hi[num_dims_]).is_const(0);
  }

  /// Returns why a time tile cannot run the member, and widens the radius by what it reads; empty: it can.
  std::string why_no_tiles(const NestMember& member, const CellDims& cells) {
    const Step& step = plan_.steps[member.step];
    const Rule& rule = rule_of(member);
    for (std::size_t i = 0; i < rule.inputs.size(); ++i) {
      const RegionAccess& input = rule.inputs[i];
      if (input.matrix != out_.matrix) continue;
      if (input.may_be_outside() || !input.tested_dims.empty() || input.is_guest)
        return "reads cells that may lie outside";
      for (std::size_t d = 0; d < num_dims_; ++d) {
        const InputBox& box = *box_of(step, i);
        const auto first = distance_from(cells[d], box.lo[d]), end = distance_from(cells[d], box.hi[d]);
        if (!first || !end) return "reads more than a fixed neighbourhood of its cell";
        // Of an empty region, the first cell may lie behind the last one.
        out_.radius[d] = std::max({out_.radius[d], *first < 0 ? -*first : *first, *end - 1});
        if (out_.radius[d] > kMaxRadius) return "reads cells far from its own";
      }
    }
    return "";
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const Nest& nest_;
  std::size_t num_dims_ = 0;
  VersionSteps out_;
};

}  // namespace

VersionSteps find_version_steps(const Transform& transform, const TransformPlan& plan, const Nest& nest) {
  return VersionStepsFinder(transform, plan, nest).find();
}

}  // namespace pb
