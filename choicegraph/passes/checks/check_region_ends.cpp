// SPDX-License-Identifier: MIT
#include "choicegraph/passes/checks/check_region_ends.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/seeded_fault.h"

namespace pb::choices {
namespace {

/// The instances of a rule that may run; an unknown region if there are none.
Region instances_of(const Analysis& analysis, RuleId rule) {
  Region out;
  for (const InstanceClass& part : analysis.classes)
    if (part.rule == rule) out = out.is_known() ? out.unite(part.instances) : part.instances;
  return out;
}

std::string joined(const std::vector<const Formula*>& items) {
  std::string out;
  for (const Formula* item : items) out += (out.empty() ? "" : ", ") + to_string(*item);
  return out;
}

/// `region(x, y, x+3, y+3)` for `region(x, x+3, y, y+3)`: begin and end per dimension, as other languages write them;
/// empty if the coordinates do not look like that.
std::string in_our_order(const RegionAccess& access) {
  std::vector<const Formula*> written;
  for (const auto* side : {&access.lo, &access.hi})
    for (const Formula& formula : *side) written.push_back(&formula);
  if (access.is_slice || access.lo.size() < 2) return {};
  std::vector<const Formula*> begins, ends;
  for (std::size_t i = 0; i < written.size(); i += 2) {
    const auto lo = to_index_expr(*written[i], {});
    const auto hi = to_index_expr(*written[i + 1], {});
    if (!lo || !hi) return {};
    const IndexExpr extent = index_sub(*hi, *lo);
    if (extent.op != IndexExpr::Op::Const || extent.value < 1) return {};
    begins.push_back(written[i]);
    ends.push_back(written[i + 1]);
  }
  return "region(" + joined(begins) + ", " + joined(ends) + ")";
}

void report(Analysis& analysis, DiagKind kind, const RegionAccess& access, std::size_t d) {
  analysis.ok = analysis.ok && info_of(kind).severity != Severity::Error;
  auto diag = analysis.diags.emit(kind, access.hi[d].span.is_known() ? access.hi[d].span : access.span);
  diag.arg(to_string(access.lo[d])).arg(to_string(access.hi[d])).arg(d);
  const std::string order = in_our_order(access);
  diag.hint("`region` takes all begins, then all ends; an end does not belong to the region" +
            (order.empty() ? "" : ": `" + order + "`"));
}

/// The instances whose region ends in dimension `d` before it begins; unknown if the coordinates are no formulas of
/// indices.
Region reversed_instances(const Analysis& analysis, const RegionAccess& access, std::size_t d, const Region& instances,
                          std::int64_t least) {
  const auto lo = to_index_expr(access.lo[d], analysis.scope);
  const auto hi = to_index_expr(access.hi[d], analysis.scope);
  if (!lo || !hi) return {};
  return instances.where_nonnegative(index_sub(index_sub(*lo, *hi), index_const(least)));
}

/// Reports what is wrong with dimension `d` of the region. Returns whether something was.
bool check_dimension(Analysis& analysis, const Rule& rule, const RegionAccess& access, std::size_t d,
                     const Region& instances) {
  const auto lo = to_index_expr(access.lo[d], analysis.scope);
  const auto hi = to_index_expr(access.hi[d], analysis.scope);
  if (!lo || !hi) return false;
  const std::int64_t least = PB_FAULT(region_may_end_one_early) ? 2 : 1;
  const Region reversed = reversed_instances(analysis, access, d, instances, least);
  DiagKind kind = DiagKind::RegionEndsBeforeBegin;
  if (reversed.is_empty()) {
    const bool has_cells = !instances.where_nonnegative(index_sub(index_sub(*hi, *lo), index_const(1))).is_empty();
    if (has_cells || !rule.constants.empty())
      return false;  // `region(i, i+E)` with a constant E of 0 is meant to be empty
    kind = DiagKind::EmptyRegion;
  } else if (!instances.parameter_values().is_subset(reversed.parameter_values())) {
    if (!analysis.exists_for_large_sizes(reversed)) return false;
    kind = DiagKind::RegionMayEndBeforeBegin;
  }
  if (analysis.context.limit_exceeded()) return false;
  report(analysis, kind, access, d);
  return true;
}

/// Reports at most one dimension of an access, because coordinates in a wrong order are wrong in all dimensions.
void check_access(Analysis& analysis, const Rule& rule, const RegionAccess& access, const Region& instances) {
  if (access.kind != AccessKind::Region || access.is_guest) return;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const bool is_tested =
        std::find(access.tested_dims.begin(), access.tested_dims.end(), d) != access.tested_dims.end();
    if (!is_tested && !access.is_fixed_dim(d) && check_dimension(analysis, rule, access, d, instances)) return;
  }
}

/// The first dimension in which the region ends before it begins, whatever the instance.
std::optional<std::size_t> reversed_dimension(const Analysis& analysis, const RegionAccess& access,
                                              const Region& instances) {
  if (access.kind != AccessKind::Region) return std::nullopt;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const Region reversed = reversed_instances(analysis, access, d, instances, 1);
    if (reversed.is_known() && instances.is_subset(reversed)) return d;
  }
  return std::nullopt;
}

}  // namespace

void check_output_ends(Analysis& analysis) {
  for (const Rule& rule : analysis.transform.rules) {
    const Region instances = rule.domain.intersect_parameters(analysis.known);
    if (instances.is_empty()) continue;
    for (const RegionAccess& output : rule.outputs) {
      const auto d = reversed_dimension(analysis, output, instances);
      if (d && !analysis.context.limit_exceeded()) report(analysis, DiagKind::RegionEndsBeforeBegin, output, *d);
    }
  }
}

void check_region_ends(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) {
    const Rule& rule = analysis.rule(id);
    const Region instances = rule.is_dynamic ? Region() : instances_of(analysis, id);
    if (!instances.is_known() || instances.is_empty()) continue;
    for (const auto* accesses : {&rule.outputs, &rule.inputs})
      for (const RegionAccess& access : *accesses) check_access(analysis, rule, access, instances);
  }
}

}  // namespace pb::choices
