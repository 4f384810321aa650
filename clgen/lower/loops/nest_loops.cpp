// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/nest_loops.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "clgen/lower/analysis/host_care.h"
#include "clgen/lower/analysis/independence.h"
#include "clgen/lower/analysis/nest_shape.h"

namespace pb {
namespace {

/// Returns the values that a coordinate takes.
IndexRange range_of(const Step& step, const NestCoordinate& coordinate) {
  const IndexExpr one = index_const(1);
  if (coordinate.var.empty()) return {coordinate.shift, index_add(coordinate.shift, one)};
  const IndexRange& range = range_of(step, coordinate.var);
  if (coordinate.factor == 1) return {index_add(range.lo, coordinate.shift), index_add(range.hi, coordinate.shift)};
  if (coordinate.factor == -1)
    return {index_add(index_sub(coordinate.shift, range.hi), one),
            index_add(index_sub(coordinate.shift, range.lo), one)};
  const auto at = [&](const IndexExpr& value) {
    return index_add(index_mul(index_const(coordinate.factor), value), coordinate.shift);
  };
  const IndexExpr first = at(range.lo), last = at(index_sub(range.hi, one));
  return coordinate.factor > 0 ? IndexRange{first, index_add(last, one)} : IndexRange{last, index_add(first, one)};
}

/// Returns the values that a row takes.
IndexRange range_of(const Step& step, const NestMember& member, const NestRow& row) {
  IndexRange out{index_const(0), index_const(1)};
  for (std::size_t c = 0; c < row.coefficients.size(); ++c) {
    if (row.coefficients[c] == 0) continue;
    const IndexExpr by = index_const(row.coefficients[c]);
    const IndexRange range = range_of(step, member.coordinates[c]);
    const IndexExpr last = index_sub(range.hi, index_const(1));
    out.lo = index_add(out.lo, index_mul(by, row.coefficients[c] > 0 ? range.lo : last));
    out.hi = index_add(out.hi, index_mul(by, row.coefficients[c] > 0 ? last : range.lo));
  }
  return out;
}

/// Makes the loops of a member over a tile of rows.
class TileLoops {
 public:
  TileLoops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest, const NestMember& member)
      : rule_(rule), nest_(nest), member_(member), step_(plan.steps[member.step]), inverse_(inverse_of(nest.rows)) {
    for (std::size_t r = 0; r < num_rows(); ++r) names_.push_back(row_name(r));
  }

  TreeBlock run() const {
    TreeBlock block = inside();
    for (std::size_t r = num_rows(); r-- > 0;) {
      TreeLoop loop = row_loop(r);
      loop.body = std::move(block);
      block = {{std::move(loop)}};
    }
    return block;
  }

 private:
  std::size_t num_rows() const { return nest_.rows.size(); }

  /// Returns what stands inside of the loops over rows.
  TreeBlock inside() const {
    RuleInstance instance;
    instance.rule = rule_.rule_id;
    instance.conditions = instance_conditions(step_);
    instance.is_announced = rule_.has_kernels && rule_.has_calls() && !step_.loops.empty();
    TreeBlock block = {{std::move(instance)}};
    for (std::size_t i = member_.loops.size(); i-- > 0;) {
      TreeLoop loop = inner_loop(member_.loops[i]);
      loop.body = std::move(block);
      block = {{std::move(loop)}};
    }
    TreeBlock out;
    for (std::size_t c = 0; c < num_rows(); ++c) add_variable(c, out);
    for (TreeNode& node : block) out.push_back(std::move(node));
    return out;
  }

  /// Whether the coordinate is that row as it is, without a shift or other rows.
  bool is_row(std::size_t coordinate, std::size_t row) const {
    for (std::size_t r = 0; r < num_rows(); ++r)
      if (inverse_[coordinate][r] != (r == row ? 1 : 0)) return false;
    const NestCoordinate& at = member_.coordinates[coordinate];
    return !at.var.empty() && at.factor == 1 && at.shift.is_const(0);
  }
  bool is_sum(std::size_t row) const {
    for (std::size_t c = 0; c < num_rows(); ++c)
      if (is_row(c, row)) return false;
    return true;
  }
  std::string row_name(std::size_t row) const {
    for (std::size_t c = 0; c < num_rows(); ++c)
      if (is_row(c, row)) return member_.coordinates[c].var;
    return "pb_u" + std::to_string(row);
  }

  /// Returns the part of a coordinate that the rows before `row` make up.
  IndexExpr partial(std::size_t coordinate, std::size_t row) const {
    IndexExpr out = index_const(0);
    for (std::size_t r = 0; r < row; ++r)
      out = index_add(out, index_mul(index_const(inverse_[coordinate][r]), index_symbol(names_[r])));
    return out;
  }

  /// Adds the bounds that a coordinate sets to `row`, if that is the last row that it depends on.
  void add_bounds(std::size_t coordinate, std::size_t row, std::vector<IndexExpr>& lo,
                  std::vector<IndexExpr>& hi) const {
    for (std::size_t r = row + 1; r < num_rows(); ++r)
      if (inverse_[coordinate][r] != 0) return;
    const std::int64_t by = inverse_[coordinate][row];
    if (by == 0) return;
    const IndexRange range = range_of(step_, member_.coordinates[coordinate]);
    const IndexExpr one = index_const(1);
    const IndexExpr rest = partial(coordinate, row);
    const IndexExpr last = index_sub(range.hi, one);
    const IndexExpr divisor = index_const(by < 0 ? -by : by);
    const auto up = [&](const IndexExpr& a) { return index_floordiv(index_add(a, index_sub(divisor, one)), divisor); };
    const auto down = [&](const IndexExpr& a) { return index_add(index_floordiv(a, divisor), one); };
    // lo <= rest + by * u <= last
    lo.push_back(by > 0 ? up(index_sub(range.lo, rest)) : up(index_sub(rest, last)));
    hi.push_back(by > 0 ? down(index_sub(last, rest)) : down(index_sub(rest, range.lo)));
  }

  TreeLoop row_loop(std::size_t row) const {
    const std::size_t dim = num_rows() - 1 - row;
    std::vector<IndexExpr> lo{tile_begin(dim)};
    std::vector<IndexExpr> hi{tile_end(dim)};
    for (std::size_t c = 0; c < num_rows(); ++c) add_bounds(c, row, lo, hi);
    TreeLoop out;
    out.var = names_[row];
    out.dim = static_cast<int>(dim);
    out.lo = index_max(lo);
    out.hi = index_min(hi);
    out.step = index_const(1);
    out.is_wide = is_sum(row);
    if (is_vector(row)) out.role = LoopRole::Vector;
    return out;
  }

  /// Whether the instances along a row need nothing of each other, and compilers may run them in vectors: as in scans
  /// of all columns at once.
  bool is_vector(std::size_t row) const {
    if (row + 1 != num_rows() || nest_.rows[row].kind != RowKind::Parallel || !member_.loops.empty()) return false;
    if (rule_.has_calls() || is_sum(row) || !is_box(step_) || step_.loops.back().var != names_[row]) return false;
    Step row_alone = step_;
    row_alone.is_data_parallel = true;
    return has_independent_instances(rule_.rule, row_alone, false);
  }

  void add_variable(std::size_t coordinate, TreeBlock& out) const {
    const NestCoordinate& at = member_.coordinates[coordinate];
    if (at.var.empty() || std::find(names_.begin(), names_.end(), at.var) != names_.end()) return;
    const IndexExpr value = index_sub(partial(coordinate, num_rows()), at.shift);
    out.push_back({Let{at.var, index_mul(index_const(at.factor), value)}});
  }

  static TreeLoop inner_loop(const LoopDim& loop) {
    TreeLoop out;
    out.var = loop.var;
    out.lo = loop.range.lo;
    out.hi = loop.range.hi;
    out.step = index_const(1);
    out.is_decreasing = loop.order == LoopOrder::Decreasing;
    return out;
  }

  const RuleShape& rule_;
  const Nest& nest_;
  const NestMember& member_;
  const Step& step_;
  std::vector<std::vector<int>> inverse_;
  std::vector<std::string> names_;
};

}  // namespace

IndexRange hull_of(const TransformPlan& plan, const Nest& nest, const NestRow& row) {
  std::vector<IndexExpr> lo;
  std::vector<IndexExpr> hi;
  for (const NestMember& member : nest.members) {
    IndexRange range = range_of(plan.steps[member.step], member, row);
    lo.push_back(std::move(range.lo));
    hi.push_back(std::move(range.hi));
  }
  return {index_min(lo), index_max(hi)};
}

TreeBlock tile_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest, const NestMember& member) {
  return TileLoops(rule, plan, nest, member).run();
}

CpuLoops lower_member_loops(const RuleShape& rule, const TransformPlan& plan, const Nest& nest,
                            const NestMember& member, PackUse packs) {
  if (is_sliced(nest)) return lower_cpu_loops(rule, step_in_slices(plan, member), packs);
  return {tile_loops(rule, plan, nest, member), {}, Condition::never()};
}

}  // namespace pb
