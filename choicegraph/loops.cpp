// SPDX-License-Identifier: MIT
// The order of a rule's instances among themselves. See Note [Directions].
#include <algorithm>
#include <utility>

#include "choicegraph/analysis.h"

namespace pb::choices {
namespace {

/// Dependences of the instances of one step on each other.
struct SelfDependence {
  Region needs;     ///< (writer - reader) in rule variables, never zero: the writer comes first
  Region overlaps;  ///< differences of instances that write the same cell
  std::vector<std::string> vars;
};

Region without_zero(const Region& deltas, const std::vector<std::string>& vars) {
  Region zero = Region::universe(deltas.context(), vars);
  for (const std::string& var : vars) zero = zero.where_zero(index_symbol(var));
  return deltas.subtract(zero).coalesce();
}

/// `deltas` with the dimensions named after the rule variables (isl drops names of differences).
Region named(const Region& deltas, const std::vector<std::string>& vars) {
  return Region::universe(deltas.context(), vars).intersect(deltas);
}

SelfDependence find_dependence(const Analysis& analysis, const Step& step, const Region& instances) {
  const Rule& rule = analysis.rule(step.rule);
  SelfDependence out;
  out.vars = instances.dims();
  out.needs = Region::nothing(analysis.context, out.vars);
  out.overlaps = out.needs;
  for (const RegionAccess& output : rule.outputs) {
    Region own = Region::nothing(analysis.context, analysis.cells[output.matrix.index()].dims());
    for (const SegmentId id : step.segments)
      if (analysis.plan.segments[id].matrix == output.matrix) own = own.unite(analysis.segment_sets[id.index()]);
    const RegionMap written_by = output.cells.intersect_domain(instances).intersect_range(own).reverse();
    for (const RegionAccess& input : rule.inputs) {
      if (input.matrix != output.matrix) continue;
      const RegionMap reader_to_writer = input.cells.intersect_domain(instances).then(written_by);
      out.needs = out.needs.unite(named(reader_to_writer.deltas(), out.vars));
    }
    for (const RegionAccess& other : rule.outputs) {
      if (other.matrix != output.matrix) continue;
      const RegionMap same_cell = other.cells.intersect_domain(instances).then(written_by);
      out.overlaps = out.overlaps.unite(named(same_cell.deltas(), out.vars));
    }
  }
  out.needs = without_zero(out.needs, out.vars);
  out.overlaps = without_zero(out.overlaps, out.vars);
  return out;
}

/// The direction in which `var` carries `needs`; none if it goes both ways. Parallel: it carries nothing.
std::optional<LoopOrder> direction_of(const Region& needs, const std::string& var) {
  const IndexExpr delta = index_symbol(var);
  const IndexExpr one = index_const(1);
  const bool from_greater = !needs.where_nonnegative(index_sub(delta, one)).is_empty();
  const bool from_less = !needs.where_nonnegative(index_sub(index_sub(index_const(0), delta), one)).is_empty();
  if (from_greater && from_less) return std::nullopt;
  if (from_greater) return LoopOrder::Decreasing;
  return from_less ? LoopOrder::Increasing : LoopOrder::Parallel;
}

/// Gives each loop of `nest`, outermost first, its direction; false if one would have to go both ways.
bool orient(std::vector<LoopDim>& nest, Region needs) {
  for (LoopDim& loop : nest) {
    const auto direction = direction_of(needs, loop.var);
    if (!direction) return false;
    loop.order = *direction;
    if (*direction != LoopOrder::Parallel) needs = needs.where_zero(index_symbol(loop.var)).coalesce();
  }
  return needs.is_empty();
}

/// Tries nests with one loop moved outside, after the nest as it is.
bool orient_any(std::vector<LoopDim>& loops, const Region& needs) {
  for (std::size_t moved = 0; moved < loops.size(); ++moved) {
    std::vector<LoopDim> nest = loops;
    std::rotate(nest.begin(), nest.begin() + static_cast<std::ptrdiff_t>(moved),
                nest.begin() + static_cast<std::ptrdiff_t>(moved) + 1);
    if (!orient(nest, needs)) continue;
    loops = std::move(nest);
    return true;
  }
  return false;
}

/// Instances that write one cell twice run one after the other.
void separate_overlaps(std::vector<LoopDim>& loops, Region overlaps) {
  for (const LoopDim& loop : loops)
    if (loop.order != LoopOrder::Parallel) overlaps = overlaps.where_zero(index_symbol(loop.var));
  for (LoopDim& loop : loops) {
    if (overlaps.is_empty()) return;
    if (loop.order != LoopOrder::Parallel) continue;
    const Region level = overlaps.where_zero(index_symbol(loop.var));
    if (level.is_equal(overlaps)) continue;
    loop.order = LoopOrder::Increasing;
    overlaps = level;
  }
}

void report(Analysis& analysis, const Step& step) {
  const Rule& rule = analysis.rule(step.rule);
  Span place = rule.span;
  for (const RegionAccess& input : rule.inputs)
    for (const RegionAccess& output : rule.outputs)
      if (input.matrix == output.matrix) place = input.span;
  if (step.loops.size() == 1) {
    analysis.diags.emit(DiagKind::NoLoopOrder, place).arg(rule.name).arg(step.loops.front().var);
  } else {
    analysis.diags.emit(DiagKind::SkewedLoops, place).arg(rule.name);
  }
}

}  // namespace

bool order_loops(Analysis& analysis, Step& step, const Region& instances) {
  if (step.loops.empty()) return true;
  const SelfDependence dependence = find_dependence(analysis, step, instances);
  if (!dependence.needs.is_empty() && !orient_any(step.loops, dependence.needs)) {
    report(analysis, step);
    return false;
  }
  if (!dependence.overlaps.is_empty()) separate_overlaps(step.loops, dependence.overlaps);
  return true;
}

// Note [Directions]
// A rule may read cells that other instances of the same step write: `OUT.cell(i-1)`, `OUT.region(0, i)`. The
// differences (writer - reader) form an exact set. Going through the loops from the outside, a loop whose
// differences are all <= 0 runs upwards, all >= 0 downwards, all zero in any order; what is left to the loops
// inside are the differences that are zero in it. The order is right when nothing is left. Reading the
// instance's own cell sees its old content and orders nothing (LANGUAGE 6.5).

}  // namespace pb::choices
