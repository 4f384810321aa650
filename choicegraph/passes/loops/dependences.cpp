// SPDX-License-Identifier: MIT
#include "choicegraph/passes/loops/dependences.h"

#include <algorithm>
#include <utility>

namespace pb::choices {
namespace {

Region without_zero(const Region& deltas) {
  Region zero = Region::universe(deltas.context(), deltas.dims());
  for (const std::string& dim : deltas.dims()) zero = zero.where_zero(index_symbol(dim));
  return deltas.subtract(zero).coalesce();
}

/// `deltas` with named dimensions (isl drops names of differences).
Region named(const Region& deltas, const std::vector<std::string>& names) {
  return Region::universe(deltas.context(), names).intersect(deltas);
}

/// The cells of `matrix` that `step` owns.
Region own_cells(const Analysis& analysis, const Step& step, MatrixId matrix) {
  Region out = Region::nothing(analysis.context, analysis.cells[matrix.index()].dims());
  for (const SegmentId id : step.segments)
    if (analysis.plan.segments[id].matrix == matrix) out = out.unite(analysis.segment_sets[id.index()]);
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

/// Whether instances read cells that they write themselves by an input that may lie outside. An input without a default
/// or a border may do so (docs/reference/language.md 6.5), but here it is surely a mistake: a computation in place
/// knows that the cell exists.
bool reads_own_cells(const RegionAccess& input, const Region& differences) {
  return input.may_be_outside() && !without_zero(differences).is_equal(differences);
}

}  // namespace

SelfDependence find_self_dependence(const Analysis& analysis, const Step& step, const Region& instances) {
  const Rule& rule = analysis.rule(step.rule);
  const std::vector<std::string> vars = instances.dims();
  SelfDependence out;
  out.needs = Region::nothing(analysis.context, vars);
  out.overlaps = out.needs;
  for (const RegionAccess& output : rule.outputs) {
    const Region own = own_cells(analysis, step, output.matrix);
    const RegionMap written_by = output.cells.intersect_domain(instances).intersect_range(own).reverse();
    for (const RegionAccess& input : rule.inputs) {
      if (input.matrix != output.matrix) continue;
      const RegionMap reader_to_writer = input.cells.intersect_domain(instances).then(written_by);
      const Region differences = named(reader_to_writer.deltas(), vars);
      out.needs = out.needs.unite(differences);
      if (out.own_cell == nullptr && reads_own_cells(input, differences)) out.own_cell = &input;
    }
    for (const RegionAccess& other : rule.outputs) {
      if (other.matrix != output.matrix) continue;
      const RegionMap same_cell = other.cells.intersect_domain(instances).then(written_by);
      out.overlaps = out.overlaps.unite(named(same_cell.deltas(), vars));
    }
  }
  out.needs = without_zero(out.needs);
  out.overlaps = without_zero(out.overlaps);
  return out;
}

bool takes_over(const TransformPlan& plan, const Step& owner, const Step& wide, SegmentId segment) {
  if (owner.rule == wide.rule) return false;
  const bool owns = std::find(wide.segments.begin(), wide.segments.end(), segment) != wide.segments.end();
  return !owns || plan.segments[segment].site != wide.site;
}

namespace {

/// The cells of `matrix` that `owner` writes again where instances of `wide` have written them.
Region cells_taken_over(const Analysis& analysis, const Step& owner, const Step& wide, MatrixId matrix) {
  Region out = Region::nothing(analysis.context, analysis.cells[matrix.index()].dims());
  for (const SegmentId id : owner.segments)
    if (analysis.plan.segments[id].matrix == matrix && takes_over(analysis.plan, owner, wide, id))
      out = out.unite(analysis.segment_sets[id.index()]);
  return out;
}

}  // namespace

RegionMap needed_instances(const Analysis& analysis, StepId after, StepId before) {
  const Step& from = analysis.plan.steps[before];
  const Step& to = analysis.plan.steps[after];
  const Region& makers = analysis.step_sets[before.index()].instances;
  const Region& takers = analysis.step_sets[after.index()].instances;
  RegionMap out;
  const auto add = [&](const RegionAccess& access, const RegionAccess& output, const Region& cells) {
    const RegionMap written_by = output.cells.intersect_domain(makers).intersect_range(cells).reverse();
    const RegionMap needed = access.cells.intersect_domain(takers).then(written_by);
    out = out.is_known() ? out.unite(needed) : needed;
  };
  for (const RegionAccess& output : analysis.rule(from.rule).outputs) {
    for (const RegionAccess& input : analysis.rule(to.rule).inputs)
      if (input.matrix == output.matrix) add(input, output, own_cells(analysis, from, output.matrix));
    const Region again = cells_taken_over(analysis, to, from, output.matrix);
    if (again.is_empty()) continue;
    for (const RegionAccess& written : analysis.rule(to.rule).outputs)
      if (written.matrix == output.matrix) add(written, output, again);
  }
  return out;
}

std::vector<std::string> coordinate_names(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back("c" + std::to_string(i) + "'");
  return out;
}

Region coordinate_distances(const Analysis& analysis, const NestMember& reader, const NestMember& writer,
                            const std::vector<std::string>& names) {
  const auto coordinates = [&](const NestMember& member) {
    std::vector<Interval> box;
    for (const NestCoordinate& coordinate : member.coordinates) {
      const IndexExpr at = to_index_expr(coordinate);
      box.push_back({at, index_add(at, index_const(1))});
    }
    const Region& instances = analysis.step_sets[member.step.index()].instances;
    return RegionMap::to_box(analysis.context, instances.dims(), names, box);
  };
  const RegionMap needed = needed_instances(analysis, reader.step, writer.step);
  if (!needed.is_known()) return Region::nothing(analysis.context, names);
  const RegionMap at_coordinates = coordinates(reader).reverse().then(needed).then(coordinates(writer));
  const Region out = named(at_coordinates.deltas(), names).coalesce();
  return reader.step == writer.step ? without_zero(out) : out;
}

bool orient(std::vector<LoopDim>& nest, Region needs) {
  for (LoopDim& loop : nest) {
    const auto direction = direction_of(needs, loop.var);
    if (!direction) return false;
    loop.order = *direction;
    if (*direction != LoopOrder::Parallel) needs = needs.where_zero(index_symbol(loop.var)).coalesce();
  }
  return needs.is_empty();
}

bool orient_any(std::vector<LoopDim>& loops, const Region& needs) {
  for (std::size_t moved = 0; moved < loops.size(); ++moved) {
    std::vector<LoopDim> nest = loops;
    std::rotate(nest.begin(), nest.begin() + static_cast<std::ptrdiff_t>(moved),
                nest.begin() + static_cast<std::ptrdiff_t>(moved) + 1);
    if (!orient(nest, needs)) continue;
    loops = std::move(nest);
    return true;
  }
  return loops.empty() && needs.is_empty();
}

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

// Note [Directions]
// A rule may read cells that other instances of the same step write: `OUT.cell(i-1)`, `OUT.region(0, i)`. The
// differences (writer - reader) form an exact set. Going through the loops from the outside, a loop whose
// differences are all <= 0 runs upwards, all >= 0 downwards, all zero in any order; what is left to the loops
// inside are the differences that are zero in it. The order is right when nothing is left. Reading the
// instance's own cell sees its old content and orders nothing (docs/reference/language.md 6.5).

}  // namespace pb::choices
