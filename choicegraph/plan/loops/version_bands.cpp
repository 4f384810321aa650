// SPDX-License-Identifier: MIT
#include "choicegraph/plan/loops/version_bands.h"

#include <algorithm>
#include <utility>

#include "choicegraph/plan/launches/launch_steps.h"
#include "choicegraph/plan/launches/step_cells.h"

namespace pb {
namespace {

/// Bands of which neighbours need more rows than this would not stay in caches.
constexpr std::int64_t kMaxSkew = 64;

/// Looks at the members of one nest.
class BandsFinder {
 public:
  BandsFinder(const Transform& transform, const TransformPlan& plan, const Nest& nest)
      : transform_(transform), plan_(plan), nest_(nest) {}

  VersionBands find() {
    const std::optional<MatrixId> found = matrix_of_versions(plan_, nest_);
    if (!found) return no_bands("the nest makes no versions of a temporary");
    out_.matrix = *found;
    versions_ = transform_.matrices[*found].extents.size() - 1;
    for (const NestMember& member : nest_.members)
      if (std::string why = add(member); !why.empty()) return no_bands("`" + rule_of(member).name + "` " + why);
    // Rows that a version reads are `reach_` away at most, wherever members lie in their bands. So are those that read
    // what a version takes the memory of.
    out_.skew = reach_ + out_.members.back().lag;
    if (out_.skew > kMaxSkew) return no_bands("instances read rows far from their own");
    out_.main = std::max_element(nest_.members.begin(), nest_.members.end(), [&](const auto& a, const auto& b) {
                  return has_less_to_do(transform_, plan_.steps[a.step], plan_.steps[b.step]);
                })->step;
    return std::move(out_);
  }

 private:
  const Rule& rule_of(const NestMember& member) const { return transform_.rules[plan_.steps[member.step].rule]; }
  std::size_t row_dim() const { return versions_ - 1; }

  static VersionBands no_bands(std::string why) {
    VersionBands out;
    out.why_not = std::move(why);
    return out;
  }

  /// Adds a member; returns why it has no bands, or nothing.
  std::string add(const NestMember& member) {
    const Step& step = plan_.steps[member.step];
    const NestCoordinate& version = member.coordinates.front();
    const RegionAccess& output = rule_of(member).outputs.front();
    if (output.matrix != out_.matrix) return "writes another matrix";
    if (member.coordinates.size() != 1 || version.var.empty() || version.sign != 1) return "counts versions otherwise";
    BandMember added;
    std::vector<IndexExpr> rows;  // the row that an instance writes, in several spellings
    for (const LoopDim& loop : member.loops)
      if (is_variable(output.lo[row_dim()], loop.var)) added.var = loop.var;
    if (!added.var.empty()) {
      rows = {index_symbol(added.var)};
    } else if (step.segments.size() == 1 && symbols_of(output.lo[row_dim()], SymbolKind::RuleVar).empty()) {
      const IndexRange& range = plan_.segments[step.segments.front()].box[row_dim()];
      rows = {range.lo, index_sub(range.hi, index_const(1))};
      added.row = range.lo;
      // Bounds of a row in the middle, such as `h/2`, are those of its neighbours, too.
      Step slice = step;
      slice.loops = member.loops;
      const StepCells cells = find_step_cells(transform_, plan_, slice, versions_);
      if (cells.why_not.empty() && cells.dims[row_dim()].is_fixed()) rows = cells.dims[row_dim()].spellings;
    }
    if (rows.empty() || !writes_one_row(output)) return "writes more than one row of a version";
    added.lag = out_.members.empty() ? 0 : out_.members.back().lag;
    std::int64_t ahead = 0;
    for (const InputBox& box : step.input_boxes) {
      const RegionAccess& input = rule_of(member).inputs[box.input];
      if (input.matrix != out_.matrix) continue;
      if (input.may_be_outside() || !input.tested_dims.empty() || input.is_guest)
        return "reads cells that may lie outside";
      std::optional<std::int64_t> first, end;
      for (const IndexExpr& row : rows) {
        if (!first) first = constant_of(index_sub(box.lo[row_dim()], row));
        if (!end) end = constant_of(index_sub(box.hi[row_dim()], row));
      }
      if (!first || !end) return "reads rows that are not next to its own";
      reach_ = std::max({reach_, -*first, *end - 1});
      const IndexExpr written = index_add(index_symbol(version.var), version.shift);
      if (index_sub(written, box.lo[versions_]).is_const(1)) continue;
      // It reads its own version: what other members have made, or itself in rows before. Members stand in the order in
      // which they run within a version, and lags do not fall, so those before it have made rows up to its own. A
      // member with many rows may read later ones of itself.
      if (*end > 1 && !added.var.empty()) return "reads rows after its own in its own version";
      ahead = std::max(ahead, *end - 1);
    }
    added.lag += ahead;
    out_.members.push_back(std::move(added));
    return "";
  }

  bool writes_one_row(const RegionAccess& output) const {
    return output.kind == AccessKind::Cell || output.is_fixed_dim(row_dim());
  }

  const Transform& transform_;
  const TransformPlan& plan_;
  const Nest& nest_;
  std::size_t versions_ = 0;  ///< the dimension of the versions
  std::int64_t reach_ = 0;    ///< the farthest row that an instance reads, from its own
  VersionBands out_;
};

}  // namespace

VersionBands find_version_bands(const Transform& transform, const TransformPlan& plan, const Nest& nest) {
  return BandsFinder(transform, plan, nest).find();
}

}  // namespace pb
