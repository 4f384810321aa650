// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/join_versions.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "choicegraph/passes/choices/find_legal_choices.h"
#include "choicegraph/passes/loops/find_nest.h"
#include "choicegraph/plan/lane_loops.h"

namespace pb::choices {
namespace {

/// Looks at the steps that access one temporary. Its last dimension is that of the versions.
class VersionsFinder {
 public:
  VersionsFinder(Analysis& analysis, MatrixId matrix)
      : analysis_(analysis), plan_(analysis.plan), matrix_(matrix), dim_(analysis.matrix(matrix).extents.size() - 1) {}

  void run() {
    extent_ = to_index_expr(analysis_.matrix(matrix_).extents[dim_], analysis_.scope);
    if (!extent_) return;
    for (const StepId id : plan_.steps.ids())
      if (!add_step(id)) return;
    if (members_.empty() || are_joined_with_others() || !have_all_versions_but_the_first() || is_between()) return;
    const auto nest = find_nest(analysis_, members_);
    if (!nest || !is_by_version(*nest)) return;
    // A nest with one of the members has no others.
    std::erase_if(plan_.nests, [&](const Nest& old) { return is_member(old.members.front().step); });
    plan_.nests.push_back(*nest);
    std::stable_sort(plan_.nests.begin(), plan_.nests.end(),
                     [](const Nest& a, const Nest& b) { return a.members.size() > b.members.size(); });
    plan_.two_versions.push_back(matrix_);
  }

 private:
  [[nodiscard]] bool is_first(const IndexExpr& version) const { return version.is_const(0); }
  [[nodiscard]] bool is_last(const IndexExpr& version) const { return index_sub(*extent_, version).is_const(1); }
  [[nodiscard]] bool is_member(StepId id) const {
    return std::find(members_.begin(), members_.end(), id) != members_.end();
  }

  /// The version of an access; none if it is not one version.
  [[nodiscard]] std::optional<NestCoordinate> version_of(const RegionAccess& access, const Rule& rule) const {
    const auto lo = to_index_expr(access.lo[dim_], analysis_.scope);
    const auto hi = to_index_expr(access.hi[dim_], analysis_.scope);
    if (!lo || !hi || !index_sub(*hi, *lo).is_const(1)) return std::nullopt;
    return to_nest_coordinate(*lo, rule);
  }

  /// Adds the step to the members if it writes versions in a loop; false if it accesses the temporary in a way that
  /// needs more than two versions.
  bool add_step(StepId id) {
    const Rule& rule = analysis_.rule(plan_.steps[id].rule);
    std::optional<NestCoordinate> written;
    bool is_touched = false;
    for (const RegionAccess& output : rule.outputs) {
      if (output.matrix != matrix_) continue;
      if (written) return false;
      written = version_of(output, rule);
      if (!written) return false;
      is_touched = true;
    }
    const bool is_in_loop = written && !written->var.empty();
    if (written && !is_in_loop && !is_first(written->shift)) return false;
    if (is_in_loop && written->factor != 1) return false;
    for (const RegionAccess& input : rule.inputs) {
      if (input.matrix != matrix_) continue;
      is_touched = true;
      const auto read = version_of(input, rule);
      if (!read || input.is_mapped_dim(dim_) || input.is_guest) return false;
      if (is_in_loop ? !is_near(*written, *read) : written || !read->var.empty() || !is_last(read->shift)) return false;
    }
    if (is_touched && !is_plain(rule, id)) return false;
    if (is_in_loop) members_.push_back(id);
    return true;
  }
  /// Whether `read` is the version that is written, or the one before.
  [[nodiscard]] static bool is_near(const NestCoordinate& written, const NestCoordinate& read) {
    const IndexExpr lag = index_sub(written.shift, read.shift);
    return read.var == written.var && read.factor == 1 && (lag.is_const(0) || lag.is_const(1));
  }
  /// Whether the rule accesses matrices only through its own instances, and runs in every call.
  [[nodiscard]] bool is_plain(const Rule& rule, StepId id) const {
    const bool is_single = rule.outputs.size() == 1;
    return is_single && rule.calls.empty() && rule.tried.empty() && !rule.is_dynamic && rule.temporaries.empty() &&
           !has_opaque_parts(rule) && always_runs(plan_, plan_.steps[id]);
  }

  /// Whether a nest has some of the members, and steps that are none.
  [[nodiscard]] bool are_joined_with_others() const {
    return std::any_of(plan_.nests.begin(), plan_.nests.end(), [&](const Nest& nest) {
      const auto is_one = [&](const NestMember& each) { return is_member(each.step); };
      return std::any_of(nest.members.begin(), nest.members.end(), is_one) &&
             !std::all_of(nest.members.begin(), nest.members.end(), is_one);
    });
  }

  [[nodiscard]] bool have_all_versions_but_the_first() const {
    return std::all_of(members_.begin(), members_.end(), [&](StepId id) {
      const std::vector<SegmentId>& segments = plan_.steps[id].segments;
      return std::all_of(segments.begin(), segments.end(), [&](SegmentId segment) {
        const IndexRange& versions = plan_.segments[segment].box[dim_];
        return versions.lo.is_const(1) && index_sub(*extent_, versions.hi).is_const(0);
      });
    });
  }

  /// Whether a step that is no member runs after one and before another.
  [[nodiscard]] bool is_between() const {
    std::vector<bool> after(plan_.steps.size());
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const StepEdge& edge : plan_.edges) {
        if (!is_member(edge.before) && !after[edge.before.index()]) continue;
        if (is_member(edge.after)) {
          if (!is_member(edge.before)) return true;
        } else if (!after[edge.after.index()]) {
          after[edge.after.index()] = true;
          has_changed = true;
        }
      }
    }
    return false;
  }

  /// Whether the nest's slices are the versions.
  [[nodiscard]] bool is_by_version(const Nest& nest) const {
    if (nest.rows.size() != 1 || nest.rows[0].kind != RowKind::Slices || nest.rows[0].coefficients[0] != 1)
      return false;
    return std::all_of(nest.members.begin(), nest.members.end(), [&](const NestMember& member) {
      const Rule& rule = analysis_.rule(plan_.steps[member.step].rule);
      const auto written = version_of(rule.outputs.front(), rule);
      const NestCoordinate& at = member.coordinates.front();
      return at.var == written->var && at.factor == 1 && index_sub(at.shift, written->shift).is_const(0);
    });
  }

  Analysis& analysis_;
  TransformPlan& plan_;
  MatrixId matrix_;
  std::size_t dim_;
  std::optional<IndexExpr> extent_;
  std::vector<StepId> members_;  ///< the steps that write version k for all k
};

}  // namespace

void join_versions(Analysis& analysis) {
  for (const MatrixId id : analysis.transform.matrices_of(MatrixRole::Through)) {
    if (analysis.is_over()) return;
    // With one dimension alone, neighbours in memory would be other versions.
    if (analysis.matrix(id).extents.size() >= 2) VersionsFinder(analysis, id).run();
  }
  leave_order_to_nests(analysis.plan);
}

}  // namespace pb::choices
