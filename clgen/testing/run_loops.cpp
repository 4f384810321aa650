// SPDX-License-Identifier: MIT
#include "clgen/testing/run_loops.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "clgen/facts/names.h"
#include "clgen/lower/loops/inside_cells.h"
#include "clgen/lower/loops/nest_loops.h"
#include "clgen/testing/condition_value.h"
#include "lang/check.h"

namespace pb::testing {
namespace {

// The lengths of a strip and of a pack, and the rows of a pack. They are smaller than in programs, so that small boxes
// have several of each.
constexpr std::int64_t kStrip = 3;
constexpr std::int64_t kLanes = 4;
constexpr std::int64_t kRows = 2;

std::int64_t value(const IndexExpr& expr, const Values& values) {
  const auto found = evaluate(expr, {values.begin(), values.end()});
  PB_CHECK(found.has_value(), "an expression of a tree has a value");
  return *found;
}

/// Evaluates a condition in a call whose matrices share no memory.
bool holds(const Condition& condition, const Values& values) {
  return holds(condition, CallState{values, {}, {}, {Condition::Kind::Apart}});
}

std::string point_text(const Point& point) {
  std::string out;
  for (const std::int64_t at : point) out += (out.empty() ? "(" : ", ") + std::to_string(at);
  return out + ")";
}

/// Returns the step's instances in the box, in the order of its loops.
std::vector<Point> instances_of(const Step& step, Values values, const Point& lo, const Point& hi) {
  std::vector<Point> out;
  const std::vector<IndexExpr> conditions = instance_conditions(step);
  const auto add = [&](const auto& self, std::size_t i, Point& at) -> void {
    if (i == step.loops.size()) {
      const bool is_instance = std::all_of(conditions.begin(), conditions.end(),
                                           [&](const IndexExpr& condition) { return value(condition, values) >= 0; });
      if (is_instance) out.push_back(at);
      return;
    }
    const std::size_t dim = step.loops.size() - 1 - i;
    const bool is_down = step.loops[i].order == LoopOrder::Decreasing;
    for (std::int64_t k = 0; k < hi[dim] - lo[dim]; ++k) {
      at.push_back(is_down ? hi[dim] - 1 - k : lo[dim] + k);
      values[step.loops[i].var] = at.back();
      self(self, i + 1, at);
      at.pop_back();
    }
  };
  Point at;
  add(add, 0, at);
  return out;
}

bool reads_what_it_writes(const RuleShape& rule) {
  return std::any_of(rule.matrices.begin(), rule.matrices.end(),
                     [](const RuleMatrix& use) { return use.is_output && (use.is_input || !use.is_overwritten); });
}

/// Runs loops and notes which instances ran. A point has its coordinates in the order of the loops, outermost first.
class LoopRunner {
 public:
  LoopRunner(const RuleShape& rule, const Step& step, const Values& sizes, const Point& lo, const Point& hi,
             std::uint64_t seed)
      : rule_(rule), step_(step), values_(sizes), lo_(lo), hi_(hi), is_far_(seed % 2 == 0) {
    for (const Matrix& matrix : rule.transform.matrices) {
      for (std::size_t d = 0; d < matrix.extents.size(); ++d) {
        const auto extent = value_of(matrix.extents[d], sizes);
        PB_CHECK(extent.has_value(), "a size has a value");
        values_[view_extent(matrix, d).symbol] = *extent;
      }
    }
    for (std::size_t i = 0; i < step.loops.size(); ++i) {
      const std::size_t dim = step.loops.size() - 1 - i;
      values_[loop_begin(step.loops[i].var).symbol] = lo[dim];
      values_[loop_end(step.loops[i].var).symbol] = hi[dim];
    }
  }

  std::string run(const TreeBlock& loops) {
    run_block(loops, values_);
    if (fault_.empty()) compare(step_.is_data_parallel);
    return fault_;
  }

  /// Runs loops over tiles: all tiles of the rows between `begin` and `end`, dimension 0 of their box first.
  std::string run_tiles(const TreeBlock& loops, const Point& begin, const Point& end, std::mt19937_64& random) {
    Point extents;
    for (std::size_t d = 0; d < begin.size(); ++d) extents.push_back(1 + static_cast<std::int64_t>(random() % 5));
    run_tiles_of(loops, begin, end, extents, begin.size(), values_);
    if (fault_.empty()) compare(true);
    return fault_;
  }

  /// Runs loops that compute and store the values of `steps`.
  std::string run_fused(const TreeBlock& loops, const std::vector<const Step*>& steps) {
    fused_ = steps;
    stored_.resize(steps.size());
    run_block(loops, values_);
    for (std::size_t i = 0; i < steps.size() && fault_.empty(); ++i) {
      ran_ = stored_[i];
      compare(true);
    }
    return fault_;
  }

 private:
  void fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  void run_block(const TreeBlock& block, Values& values) {
    for (const TreeNode& node : block) std::visit([&](const auto& inner) { run_node(inner, values); }, node.node);
  }

  void run_range(const TreeBlock& body, const std::string& var, std::int64_t lo, std::int64_t hi, Values& values) {
    for (std::int64_t at = lo; at < hi; ++at) {
      values[var] = at;
      run_block(body, values);
    }
    values.erase(var);
  }

  void run_node(const TreeLoop& loop, Values& outer) {
    Values values = outer;
    if (!loop.is_plain()) {
      std::int64_t lo = value(loop.lo, values);
      std::int64_t hi = value(loop.hi, values);
      for (const IndexExpr& bound : loop.lower) lo = std::max(lo, value(bound, values));
      for (const IndexExpr& bound : loop.upper) hi = std::min(hi, value(bound, values));
      values[loop.lo.symbol] = lo;
      values[loop.hi.symbol] = hi;
    }
    if (loop.role == LoopRole::Parts) {
      run_block(loop.body, values);
      mapped_.clear();
      return;
    }
    std::vector<std::int64_t> at;
    const std::int64_t offset = loop.stride == 1 ? 0 : value(loop.offset, values);
    for (std::int64_t i = value(loop.lo, values); i < value(loop.hi, values); ++i)
      if ((i - offset) % loop.stride == 0) at.push_back(i);
    if (loop.is_decreasing) std::reverse(at.begin(), at.end());
    if (loop.role == LoopRole::Single && at.size() != 1) return fail("`" + loop.var + "` has more than one value");
    for (const std::int64_t i : at) {
      values[loop.var] = i;
      run_block(loop.body, values);
    }
  }

  void run_node(const InsideRange& range, Values& values) {
    const std::int64_t begin = values.at(loop_begin(range.var).symbol);
    const std::int64_t end = values.at(loop_end(range.var).symbol);
    std::int64_t first = begin;
    std::int64_t last = end;
    for (const IndexExpr& bound : range.first) first = std::max(first, value(bound, values));
    for (const IndexExpr& bound : range.end) last = std::min(last, value(bound, values));
    const bool exists = first < last && holds(range.exists, values);
    values[inside_begin(range.var).symbol] = exists ? first : end;
    values[inside_end(range.var).symbol] = exists ? last : end;
    mapped_ = range.mapped_once;
    for (const MappedCoordinate& coordinate : mapped_) {
      const std::vector<std::string> names = symbols_of(coordinate.at, SymbolKind::RuleVar);
      if (std::find(names.begin(), names.end(), range.var) != names.end()) fail("a coordinate moves with the loop");
    }
  }

  void run_node(const RowBlocks& blocks, Values& values) {
    std::int64_t at = value(blocks.lo, values);
    const std::int64_t hi = value(blocks.hi, values);
    for (; is_far_ && hi - at >= blocks.length; at += blocks.length)
      run_range(blocks.body, blocks.var, at, at + blocks.length, values);
    run_range(blocks.body, blocks.var, at, hi, values);
  }

  void run_node(const Strips& strips, Values& values) {
    const std::int64_t hi = values.at(loop_end(strips.inner).symbol);
    for (std::int64_t strip = values.at(loop_begin(strips.inner).symbol); strip < hi; strip += kStrip) {
      for (std::int64_t row = values.at(loop_begin(strips.outer).symbol);
           row < values.at(loop_end(strips.outer).symbol); ++row) {
        values[strips.outer] = row;
        run_range(strips.body, strips.inner, strip, std::min(hi, strip + kStrip), values);
      }
      values.erase(strips.outer);
    }
  }

  void run_node(const RuleInstance& instance, Values& values) {
    for (const IndexExpr& condition : instance.conditions)
      if (value(condition, values) < 0) return;
    Point at;
    for (const LoopDim& loop : step_.loops) at.push_back(values.at(loop.var));
    if (instance.all_exist) check_that_all_exist(at, values);
    ran_.push_back(std::move(at));
  }

  void run_node(const Let& let, Values& values) { values[let.var] = value(let.value, values); }

  void run_node(const ComputeResult& result, Values&) {
    if (!computed_.insert(result.value).second) fail("a value is computed twice");
  }
  void run_node(const StoreResult& result, Values& values) {
    if (computed_.size() + stored_here_.size() != fused_.size()) fail("a value is stored before all are computed");
    if (computed_.erase(result.value) == 0) return fail("a value is stored that was not computed");
    stored_here_.insert(result.value);
    Point at;
    for (const LoopDim& loop : fused_[result.value]->loops) at.push_back(values.at(loop.var));
    stored_[result.value].push_back(std::move(at));
    if (computed_.empty()) stored_here_.clear();
  }

  Point point_of(const Packs& packs, std::int64_t x, std::int64_t y, Values values) const {
    values[packs.facts.lane_var] = x;
    if (!packs.facts.row_var.empty()) values[packs.facts.row_var] = y;
    Point at;
    for (const LoopDim& loop : step_.loops) at.push_back(values.at(loop.var));
    return at;
  }

  /// Runs packs as the runtime does (runtime/matrix/simd.h). The rest of a row runs one by one, or in a pack that runs
  /// some instances again.
  void run_node(const Packs& packs, Values& outer) {
    if (!step_.is_data_parallel) return fail("the instances of a pack run at once");
    Values values = outer;
    const auto run_one = [&](std::int64_t x, std::int64_t y) {
      values[packs.facts.lane_var] = x;
      if (!packs.facts.row_var.empty()) values[packs.facts.row_var] = y;
      run_node(packs.instance, values);
    };
    const std::int64_t x_lo = value(packs.lane_lo, values);
    const std::int64_t x_hi = value(packs.lane_hi, values);
    const std::int64_t y_hi = value(packs.row_hi, values);
    const bool repeats = holds(packs.may_repeat, values) && x_hi - x_lo >= kLanes;
    if (repeats && reads_what_it_writes(rule_)) fail("an instance that reads what it writes may not run again");
    for (std::int64_t y = value(packs.row_lo, values); y < y_hi;) {
      const std::int64_t num_rows = packs.facts.is_tall && y_hi - y >= kRows ? kRows : 1;
      std::int64_t x = x_lo;
      for (; x_hi - x >= kLanes; x += kLanes)
        for (std::int64_t row = 0; row < num_rows; ++row)
          for (std::int64_t lane = 0; lane < kLanes; ++lane) run_one(x + lane, y + row);
      for (std::int64_t row = 0; row < num_rows; ++row) {
        for (std::int64_t again = x_hi - kLanes; repeats && x < x_hi && again < x; ++again)
          again_.push_back(point_of(packs, again, y + row, values));
        for (std::int64_t left = x; left < x_hi; ++left) run_one(left, y + row);
      }
      y += num_rows;
    }
  }

  /// Each instance of the tiles runs once, in any order.
  void run_node(const Tiles& tiles, Values& outer) {
    if (!step_.is_data_parallel) return fail("the instances of a tile run at once");
    Values values = outer;
    const std::int64_t x_hi = value(tiles.lane_hi, values);
    for (std::int64_t x = value(tiles.lane_lo, values); x < x_hi; ++x)
      for (std::int64_t y = value(tiles.row_lo, outer); y < value(tiles.row_hi, outer); ++y) {
        values[tiles.facts.body.lane_var] = x;
        values[tiles.facts.body.row_var] = y;
        run_node(tiles.instance, values);
      }
  }

  /// The instances of each line run in the direction of the scan, lines in any order.
  void run_node(const Scans& scans, Values& outer) {
    Values values = outer;
    const auto run = [&](const auto& self, std::size_t dims_left) -> void {
      if (dims_left == 0) return run_node(scans.instance, values);
      const std::size_t d = dims_left - 1;
      const bool is_down = d == 0 && scans.facts.scan.is_backward;
      for (std::int64_t k = 0; k < hi_[d] - lo_[d]; ++k) {
        values[step_.loops[step_.loops.size() - 1 - d].var] = is_down ? hi_[d] - 1 - k : lo_[d] + k;
        self(self, d);
      }
    };
    run(run, step_.loops.size());
  }

  void run_box(const TreeBlock& block, const Point& lo, const Point& hi, Values values) {
    for (std::size_t d = 0; d < lo.size(); ++d) {
      if (hi[d] <= lo[d]) return;
      const std::string& var = step_.loops[lo.size() - 1 - d].var;
      values[loop_begin(var).symbol] = lo[d];
      values[loop_end(var).symbol] = hi[d];
    }
    run_block(block, values);
  }

  void run_node(const InsideBox& box, Values& values) {
    Point lo = lo_;
    Point hi = hi_;
    for (std::size_t d = 0; d < lo.size(); ++d) {
      for (const IndexExpr& bound : box.first[d]) lo[d] = std::max(lo[d], value(bound, values));
      for (const IndexExpr& bound : box.end[d]) hi[d] = std::min(hi[d], value(bound, values));
    }
    bool is_empty = !holds(box.condition, values);
    for (std::size_t d = 0; d < lo.size(); ++d) is_empty = is_empty || hi[d] <= lo[d];
    if (is_empty) return run_box(box.outside, lo_, hi_, values);
    run_box(box.inside, lo, hi, values);
    Point rest_lo = lo_;
    Point rest_hi = hi_;
    for (std::size_t d = lo.size(); d-- > 0;) {
      Point below = rest_hi;
      below[d] = lo[d];
      run_box(box.outside, rest_lo, below, values);
      Point above = rest_lo;
      above[d] = hi[d];
      run_box(box.outside, above, rest_hi, values);
      rest_lo[d] = lo[d];
      rest_hi[d] = hi[d];
    }
  }

  void run_tiles_of(const TreeBlock& loops, const Point& begin, const Point& end, const Point& extents,
                    std::size_t dims_left, Values& values) {
    if (dims_left == 0) return run_block(loops, values);
    const std::size_t d = dims_left - 1;
    for (std::int64_t at = begin[d]; at < end[d]; at += extents[d]) {
      values[tile_begin(d).symbol] = at;
      values[tile_end(d).symbol] = std::min(end[d], at + extents[d]);
      run_tiles_of(loops, begin, end, extents, d, values);
    }
  }

  template <class Other>
  void run_node(const Other&, Values&) {
    fail("the node is a kernel's");
  }

  /// Checks that the cells of an instance without tests lie inside of their matrices, or are mapped into them once per
  /// row.
  void check_that_all_exist(const Point& at, const Values& values) {
    const auto is_mapped_once = [&](const MappedCoordinate& coordinate) {
      return std::find(mapped_.begin(), mapped_.end(), coordinate) != mapped_.end();
    };
    for (const RegionAccess& input : rule_.rule.inputs) {
      if (!input.may_be_outside()) continue;
      const Matrix& matrix = rule_.matrix(input.matrix);
      for (std::size_t d = 0; d < input.lo.size(); ++d) {
        if (input.is_mapped_dim(d) && is_mapped_once(mapped_coordinate(input, d))) continue;
        if (!input.is_optional() && !input.is_mapped_dim(d)) continue;
        const auto cell = value_of(input.lo[d], values);
        if (!cell || *cell < 0 || *cell >= values.at(view_extent(matrix, d).symbol))
          fail("the instance at " + point_text(at) + " has a cell outside of " + matrix.name);
      }
    }
  }

  void compare(bool is_in_any_order) {
    for (const Point& at : again_)
      if (std::find(ran_.begin(), ran_.end(), at) == ran_.end()) fail("only a repetition runs " + point_text(at));
    std::vector<Point> want = instances_of(step_, values_, lo_, hi_);
    std::vector<Point> got = ran_;
    if (is_in_any_order) {
      std::sort(want.begin(), want.end());
      std::sort(got.begin(), got.end());
    }
    if (got == want) return;
    for (std::size_t i = 0; i < std::max(got.size(), want.size()); ++i) {
      if (i < got.size() && i < want.size() && got[i] == want[i]) continue;
      return fail("runs " + (i < got.size() ? point_text(got[i]) : "nothing") + " where " +
                  (i < want.size() ? point_text(want[i]) : "nothing") + " is next");
    }
  }

  const RuleShape& rule_;
  const Step& step_;
  Values values_;
  Point lo_, hi_;
  bool is_far_;
  std::vector<Point> ran_, again_;
  std::vector<const Step*> fused_;
  std::set<std::size_t> computed_, stored_here_;  ///< values at the point that is running
  std::vector<std::vector<Point>> stored_;        ///< by value
  std::vector<MappedCoordinate> mapped_;          ///< of the loop in parts that runs
  std::string fault_;
};

}  // namespace

std::string run_loops(const RuleShape& rule, const Step& step, const TreeBlock& loops, const Values& sizes,
                      const Point& lo, const Point& hi, std::uint64_t seed) {
  return LoopRunner(rule, step, sizes, lo, hi, seed).run(loops);
}

std::string run_tiles(const RuleShape& rule, const TransformPlan& plan, const Nest& nest, const NestMember& member,
                      const TreeBlock& loops, const Values& sizes, std::uint64_t seed) {
  const Step& step = plan.steps[member.step];
  Point lo, hi, begin, end;
  for (auto loop = step.loops.rbegin(); loop != step.loops.rend(); ++loop) {
    lo.push_back(value(loop->range.lo, sizes));
    hi.push_back(value(loop->range.hi, sizes));
  }
  for (auto row = nest.rows.rbegin(); row != nest.rows.rend(); ++row) {
    const IndexRange hull = hull_of(plan, nest, *row);
    begin.push_back(value(hull.lo, sizes));
    end.push_back(value(hull.hi, sizes));
  }
  std::mt19937_64 random(seed);
  return LoopRunner(rule, step, sizes, lo, hi, seed).run_tiles(loops, begin, end, random);
}

std::string run_fused(const RuleShape& rule, const TransformPlan& plan, const FusedSteps& steps, const TreeBlock& loops,
                      const Values& sizes, const Point& lo, const Point& hi) {
  std::vector<const Step*> refs;
  for (const StepId id : steps) refs.push_back(&plan.steps[id]);
  return LoopRunner(rule, *refs.front(), sizes, lo, hi, 0).run_fused(loops, refs);
}

}  // namespace pb::testing
