// SPDX-License-Identifier: MIT
#include "clgen/testing/run_loops.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "clgen/lower/inside_cells.h"
#include "lang/check.h"

namespace pb::testing {
namespace {

/// Instances of a strip: fewer than in programs, so that small boxes have several.
constexpr std::int64_t kStrip = 3;

std::int64_t value(const IndexExpr& expr, const Values& values) {
  const auto found = evaluate(expr, {values.begin(), values.end()});
  PB_CHECK(found.has_value(), "an expression of a tree has a value");
  return *found;
}

bool holds(const Condition& condition, const Values& values) {
  const auto all = [&](bool wanted) {
    return std::all_of(condition.terms().begin(), condition.terms().end(),
                       [&](const Condition& term) { return holds(term, values) == wanted; });
  };
  switch (condition.kind()) {
    case Condition::Kind::Always:
      return true;
    case Condition::Kind::Never:
      return false;
    case Condition::Kind::Relation: {
      const std::int64_t a = value(condition.lhs(), values);
      const std::int64_t b = value(condition.rhs(), values);
      switch (condition.op()) {
        case RelationOp::Less:
          return a < b;
        case RelationOp::LessEqual:
          return a <= b;
        case RelationOp::Greater:
          return a > b;
        case RelationOp::GreaterEqual:
          return a >= b;
        case RelationOp::Equal:
          return a == b;
        case RelationOp::NotEqual:
          return a != b;
      }
      break;
    }
    case Condition::Kind::Not:
      return !holds(condition.terms().front(), values);
    case Condition::Kind::All:
      return all(true);
    case Condition::Kind::Any:
      return !all(false);
    case Condition::Kind::Chosen:
    case Condition::Kind::Flag:
      break;
  }
  PB_CHECK(false, "loops test sizes and coordinates alone");
  return false;
}

std::string point_text(const Point& point) {
  std::string out;
  for (const std::int64_t at : point) out += (out.empty() ? "(" : ", ") + std::to_string(at);
  return out + ")";
}

/// Coordinates in the order of the loops, outermost first.
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
    if (fault_.empty()) compare();
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
    if (loop.role == LoopRole::Parts) return run_block(loop.body, values);
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

  void run_node(const TreeBranch&, Values&) { fail("a branch is a kernel's"); }
  void run_node(const Copy&, Values&) { fail("a copy is a kernel's"); }
  void run_node(const Barrier&, Values&) { fail("a barrier is a kernel's"); }

  /// Coordinates that do not move with the innermost loop may be mapped once per row.
  void check_that_all_exist(const Point& at, const Values& values) {
    for (const RegionAccess& input : rule_.rule.inputs) {
      if (!input.may_be_outside()) continue;
      const Matrix& matrix = rule_.matrix(input.matrix);
      for (std::size_t d = 0; d < input.lo.size(); ++d) {
        if (input.is_mapped_dim(d) && !moves_with(input, d, step_.loops.back().var)) continue;
        if (!input.is_optional() && !input.is_mapped_dim(d)) continue;
        const auto cell = value_of(input.lo[d], values);
        if (!cell || *cell < 0 || *cell >= values.at(view_extent(matrix, d).symbol))
          fail("the instance at " + point_text(at) + " has a cell outside of " + matrix.name);
      }
    }
  }

  /// The step's instances in the box, in the order of its loops.
  std::vector<Point> instances() const {
    std::vector<Point> out;
    const std::vector<IndexExpr> conditions = instance_conditions(step_);
    Values values = values_;
    const auto add = [&](const auto& self, std::size_t i, Point& at) -> void {
      if (i == step_.loops.size()) {
        const bool is_instance = std::all_of(conditions.begin(), conditions.end(),
                                             [&](const IndexExpr& condition) { return value(condition, values) >= 0; });
        if (is_instance) out.push_back(at);
        return;
      }
      const std::size_t dim = step_.loops.size() - 1 - i;
      const bool is_down = step_.loops[i].order == LoopOrder::Decreasing;
      for (std::int64_t k = 0; k < hi_[dim] - lo_[dim]; ++k) {
        at.push_back(is_down ? hi_[dim] - 1 - k : lo_[dim] + k);
        values[step_.loops[i].var] = at.back();
        self(self, i + 1, at);
        at.pop_back();
      }
    };
    Point at;
    add(add, 0, at);
    return out;
  }

  void compare() {
    std::vector<Point> want = instances();
    std::vector<Point> got = ran_;
    if (step_.is_data_parallel) {
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
  std::vector<Point> ran_;
  std::string fault_;
};

}  // namespace

std::string run_loops(const RuleShape& rule, const Step& step, const TreeBlock& loops, const Values& sizes,
                      const Point& lo, const Point& hi, std::uint64_t seed) {
  return LoopRunner(rule, step, sizes, lo, hi, seed).run(loops);
}

}  // namespace pb::testing
