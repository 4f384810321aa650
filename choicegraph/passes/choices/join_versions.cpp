// SPDX-License-Identifier: MIT
#include "choicegraph/passes/choices/join_versions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "choicegraph/passes/choices/find_legal_choices.h"
#include "choicegraph/passes/loops/find_nest.h"
#include "choicegraph/plan/lane_loops.h"

namespace pb::choices {
namespace {

std::string quoted_name(const Rule& rule) { return "`" + rule.name + "`"; }

/// Looks at the steps that access one temporary. Its last dimension is that of the versions.
class VersionsFinder {
 public:
  VersionsFinder(Analysis& analysis, MatrixId matrix)
      : analysis_(analysis), plan_(analysis.plan), matrix_(matrix), dim_(analysis.matrix(matrix).extents.size() - 1) {}

  void run() {
    if (std::string why = join(); !why.empty() && analysis_.matrix(matrix_).has_versions)
      plan_.whole_versions.push_back({matrix_, std::move(why)});
  }

 private:
  /// Makes the steps of the temporary one nest; returns why not, or nothing.
  [[nodiscard]] std::string join() {
    extent_ = to_index_expr(analysis_.matrix(matrix_).extents[dim_], analysis_.scope);
    if (!extent_) return "their number is no whole number";
    for (const StepId id : plan_.steps.ids())
      if (writes_in_loop(id)) members_.push_back(id);
    if (members_.empty()) return "no rule makes one after the other";
    add_steps_of_their_nests();
    for (const StepId id : plan_.steps.ids())
      if (std::string why = why_more_versions(id); !why.empty()) return quoted_name(rule_of(id)) + " " + why;
    if (!are_versions_complete()) return "its rules that count versions do not make all but the first";
    const std::vector<bool> behind = steps_behind();
    for (const StepEdge& edge : plan_.edges)
      if (behind[edge.before.index()] && is_member(edge.after))
        return quoted_name(rule_of(edge.before)) + " runs between two of its rules";
    for (const StepId id : plan_.steps.ids())
      if (makes_first(id) && behind[id.index()])
        return quoted_name(rule_of(id)) + " makes the first version after others";
    auto nest = nest_with(orders_of_others());
    if (!nest) return "its rules read versions that are neither their own nor the one before, or have no common order";
    if (may_be_in_place(*nest)) {
      std::vector<StepOrder> orders = orders_of_others();
      add_orders(*nest, orders);
      if (auto ordered = nest_with(orders)) {
        nest = std::move(ordered);
        plan_.in_place.push_back(matrix_);
      }
    }
    std::erase_if(plan_.nests, [&](const Nest& old) { return is_member(old.members.front().step); });
    plan_.nests.push_back(*nest);
    std::stable_sort(plan_.nests.begin(), plan_.nests.end(),
                     [](const Nest& a, const Nest& b) { return a.members.size() > b.members.size(); });
    plan_.two_versions.push_back(matrix_);
    put_first_version_first();
    return "";
  }

  [[nodiscard]] bool is_member(StepId id) const {
    return std::find(members_.begin(), members_.end(), id) != members_.end();
  }
  [[nodiscard]] const Rule& rule_of(StepId id) const { return analysis_.rule(plan_.steps[id].rule); }

  /// The version of an access; none if it is not one version.
  [[nodiscard]] std::optional<NestCoordinate> version_of(const RegionAccess& access, const Rule& rule) const {
    const auto lo = to_index_expr(access.lo[dim_], analysis_.scope);
    const auto hi = to_index_expr(access.hi[dim_], analysis_.scope);
    if (!lo || !hi || !index_sub(*hi, *lo).is_const(1)) return std::nullopt;
    return to_nest_coordinate(*lo, rule);
  }

  /// Whether the step writes versions of the temporary, one after the other.
  [[nodiscard]] bool writes_in_loop(StepId id) const {
    const Rule& rule = rule_of(id);
    return std::any_of(rule.outputs.begin(), rule.outputs.end(), [&](const RegionAccess& output) {
      if (output.matrix != matrix_) return false;
      const auto version = version_of(output, rule);
      return version && !version->var.empty();
    });
  }

  /// Steps that need some of the members, and are needed by them, run version by version, too.
  void add_steps_of_their_nests() {
    for (const Nest& nest : plan_.nests) {
      const auto is_one = [&](const NestMember& each) { return is_member(each.step); };
      if (std::none_of(nest.members.begin(), nest.members.end(), is_one)) continue;
      for (const NestMember& each : nest.members)
        if (!is_member(each.step)) members_.push_back(each.step);
    }
  }

  /// Why the step needs more than two versions at a time; empty: it does not. What members access depends on their
  /// slices, which is_by_version() looks at. The others make the first version, or read the last one.
  [[nodiscard]] std::string why_more_versions(StepId id) {
    const Rule& rule = rule_of(id);
    const auto is_of_temporary = [&](const RegionAccess& access) { return access.matrix == matrix_; };
    const bool writes = std::any_of(rule.outputs.begin(), rule.outputs.end(), is_of_temporary);
    const bool reads = std::any_of(rule.inputs.begin(), rule.inputs.end(), is_of_temporary);
    if (!is_member(id) && !writes && !reads) return "";
    if (std::string why = why_not_plain(rule, id); !why.empty() || is_member(id)) return why;
    is_last_read_ = is_last_read_ || reads;
    if (writes && reads) return "makes a version from another without counting them";
    const auto is_version = [&](const RegionAccess& access, const IndexExpr& wanted) {
      const auto version = version_of(access, rule);
      return version && version->var.empty() && index_sub(version->shift, wanted).is_const(0);
    };
    for (const RegionAccess& output : rule.outputs)
      if (is_of_temporary(output) && !is_version(output, index_const(0)))
        return "makes another version than the first one";
    for (const RegionAccess& input : rule.inputs)
      if (is_of_temporary(input) && (!is_version(input, index_sub(*extent_, index_const(1))) || !is_plain_read(input)))
        return "reads other versions than the last one";
    return "";
  }
  [[nodiscard]] bool is_plain_read(const RegionAccess& input) const {
    return !input.is_mapped_dim(dim_) && !input.is_guest;
  }
  /// Why the rule may access matrices otherwise than through its own instances, or does not run in every call.
  [[nodiscard]] std::string why_not_plain(const Rule& rule, StepId id) const {
    if (rule.outputs.size() != 1) return "has several outputs";
    if (!rule.calls.empty()) return "calls transforms";
    if (!rule.tried.empty() || rule.is_dynamic) return "has instances that depend on contents";
    if (!rule.temporaries.empty()) return "has temporaries of its own";
    if (has_opaque_parts(rule)) return "has C++ whose accesses are not known";
    return always_runs(plan_, plan_.steps[id]) ? "" : "does not run in every call";
  }
  /// Whether the members make all versions but the first, as far as they are read.
  [[nodiscard]] bool are_versions_complete() const {
    return std::all_of(members_.begin(), members_.end(), [&](StepId id) {
      const std::vector<SegmentId>& segments = plan_.steps[id].segments;
      return std::all_of(segments.begin(), segments.end(), [&](SegmentId segment) {
        if (plan_.segments[segment].matrix != matrix_) return true;
        const IndexRange& versions = plan_.segments[segment].box[dim_];
        return versions.lo.is_const(1) && (!is_last_read_ || index_sub(*extent_, versions.hi).is_const(0));
      });
    });
  }

  /// The steps that are no members and run after one.
  [[nodiscard]] std::vector<bool> steps_behind() const {
    std::vector<bool> behind(plan_.steps.size());
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const StepEdge& edge : plan_.edges) {
        if (is_member(edge.after) || behind[edge.after.index()]) continue;
        if (!is_member(edge.before) && !behind[edge.before.index()]) continue;
        behind[edge.after.index()] = true;
        has_changed = true;
      }
    }
    return behind;
  }
  [[nodiscard]] bool makes_first(StepId id) const { return !is_member(id) && output_of(id) != nullptr; }
  /// Orders the steps that make the first version before those that make others in the same memory. Where no rule reads
  /// it, nothing else does.
  void put_first_version_first() {
    for (const StepId first : plan_.steps.ids())
      for (const StepId member : members_)
        if (makes_first(first) && output_of(member) != nullptr) plan_.edges.push_back({first, member});
    std::sort(plan_.edges.begin(), plan_.edges.end());
    plan_.edges.erase(std::unique(plan_.edges.begin(), plan_.edges.end()), plan_.edges.end());
  }

  /// The nest of the members with these orders; none if it does not keep to the versions.
  [[nodiscard]] std::optional<Nest> nest_with(const std::vector<StepOrder>& orders) const {
    auto nest = find_nest(analysis_, members_, orders);
    return nest && is_by_version(*nest) && keeps_others(*nest) ? std::move(nest) : std::nullopt;
  }

  /// Whether the nest's slices are the versions: a slice makes its version, and reads no others than that and the one
  /// before.
  [[nodiscard]] bool is_by_version(const Nest& nest) const {
    if (nest.rows.size() != 1 || nest.rows[0].kind != RowKind::Slices || nest.rows[0].coefficients[0] != 1)
      return false;
    return std::all_of(nest.members.begin(), nest.members.end(), [&](const NestMember& member) {
      const Rule& rule = rule_of(member.step);
      return std::all_of(
                 rule.outputs.begin(), rule.outputs.end(),
                 [&](const RegionAccess& output) { return output.matrix != matrix_ || has_lag(member, output, 0); }) &&
             std::all_of(rule.inputs.begin(), rule.inputs.end(), [&](const RegionAccess& input) {
               return input.matrix != matrix_ ||
                      ((has_lag(member, input, 0) || has_lag(member, input, 1)) && is_plain_read(input));
             });
    });
  }
  /// Whether the slice of an instance is so many versions ahead of the accessed one.
  [[nodiscard]] bool has_lag(const NestMember& member, const RegionAccess& access, std::int64_t lag) const {
    const NestCoordinate& at = member.coordinates.front();
    const auto version = version_of(access, rule_of(member.step));
    return version && version->var == at.var && version->factor == 1 && at.factor == 1 &&
           index_sub(at.shift, version->shift).is_const(lag);
  }
  /// Whether temporaries that have two versions already keep their slices in the nest.
  [[nodiscard]] bool keeps_others(const Nest& nest) const {
    return std::all_of(plan_.two_versions.begin(), plan_.two_versions.end(), [&](MatrixId other) {
      const Nest* old = nest_of_versions(plan_, other);
      return old == nullptr || !is_member(old->members.front().step) ||
             VersionsFinder(analysis_, other).is_by_version(nest);
    });
  }

  // Versions that take the place of the one before.

  /// Whether the steps that write a version read no cells of the one before but those that they write.
  [[nodiscard]] bool may_be_in_place(const Nest& nest) const {
    return std::all_of(nest.members.begin(), nest.members.end(), [&](const NestMember& member) {
      const RegionAccess* output = output_of(member.step);
      return output == nullptr ||
             (writes_cells_once(*output, rule_of(member.step)) && reads_own_cells(member, *output));
    });
  }
  [[nodiscard]] const RegionAccess* output_of(StepId id) const {
    for (const RegionAccess& output : rule_of(id).outputs)
      if (output.matrix == matrix_) return &output;
    return nullptr;
  }
  /// Whether no two instances write the same cell: each variable says where one coordinate lies.
  [[nodiscard]] bool writes_cells_once(const RegionAccess& output, const Rule& rule) const {
    if (output.kind != AccessKind::Cell) return false;
    std::set<std::string> vars;
    for (const Formula& lo : output.lo) {
      const auto expr = to_index_expr(lo, analysis_.scope);
      const auto at = expr ? to_nest_coordinate(*expr, rule) : std::nullopt;
      if (!at) return false;
      if (!at->var.empty()) vars.insert(at->var);
    }
    return vars.size() == rule.vars.size();
  }
  [[nodiscard]] bool reads_own_cells(const NestMember& member, const RegionAccess& output) const {
    const std::vector<RegionAccess>& inputs = rule_of(member.step).inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](const RegionAccess& input) {
      if (input.matrix != matrix_ || has_lag(member, input, 0)) return true;
      if (input.kind != AccessKind::Cell || input.may_be_outside() || !input.tested_dims.empty()) return false;
      for (std::size_t d = 0; d < dim_; ++d) {
        const auto read = to_index_expr(input.lo[d], analysis_.scope);
        const auto written = to_index_expr(output.lo[d], analysis_.scope);
        if (!read || !written || !index_sub(*read, *written).is_const(0)) return false;
      }
      return true;
    });
  }
  /// Steps that read the version before, and write no version, come before those that write.
  void add_orders(const Nest& nest, std::vector<StepOrder>& orders) const {
    for (const NestMember& reader : nest.members) {
      const std::vector<RegionAccess>& inputs = rule_of(reader.step).inputs;
      const bool reads = std::any_of(inputs.begin(), inputs.end(), [&](const RegionAccess& input) {
        return input.matrix == matrix_ && has_lag(reader, input, 1);
      });
      if (!reads || output_of(reader.step) != nullptr) continue;
      for (const NestMember& writer : nest.members)
        if (output_of(writer.step) != nullptr) orders.emplace_back(reader.step, writer.step);
    }
  }
  /// The orders that temporaries with versions in place need already.
  [[nodiscard]] std::vector<StepOrder> orders_of_others() const {
    std::vector<StepOrder> orders;
    for (const MatrixId other : plan_.in_place)
      if (const Nest* nest = nest_of_versions(plan_, other); nest != nullptr && is_member(nest->members.front().step))
        VersionsFinder(analysis_, other).add_orders(*nest, orders);
    return orders;
  }

  Analysis& analysis_;
  TransformPlan& plan_;
  MatrixId matrix_;
  std::size_t dim_;
  std::optional<IndexExpr> extent_;
  std::vector<StepId> members_;  ///< the steps that write version k for all k, and those of their nests
  bool is_last_read_ = false;    ///< whether a step that is no member reads the last version
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
