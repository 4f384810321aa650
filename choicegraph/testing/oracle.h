// SPDX-License-Identifier: MIT
// The definition of domains, candidates and execution, evaluated cell by cell for given
// sizes, without isl: what the property tests compare the passes with (docs/architecture.md 5).
// Not part of the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "choicegraph/testing/formula_value.h"
#include "lang/program.h"

namespace pb::testing {

using Point = std::vector<std::int64_t>;
/// A cell: matrix index and coordinates.
using Cell = std::pair<std::uint32_t, Point>;

/// An instance: rule index and values of its variables.
using Instance = std::pair<std::uint32_t, Point>;

/// The needed cells, the missing cells and the instances that are left out, for given sizes.
struct Liveness {
  std::set<Cell> needed;
  std::set<Cell> uncovered;
  /// Instances that make no needed cell, and that read uncovered cells or what such an instance may make.
  std::set<Instance> left_out;
  std::map<Cell, std::set<RuleId>> makers;  ///< rules with an instance that writes the cell and is not left out
};

/// Says by brute force what is right for one transform at one choice of sizes.
class Oracle {
 public:
  /// `reach`: instances are sought at rule variables up to so many times the greatest extent, plus 4.
  Oracle(const Transform& transform, Values sizes, std::int64_t reach = 2);

  /// False if some extent is negative: no call has these sizes.
  [[nodiscard]] bool sizes_are_possible() const { return possible_; }
  [[nodiscard]] std::vector<Point> cells_of(MatrixId matrix) const;
  /// Whether the regions of the rule's instance at `vars` lie inside their matrices and the affine part of `where`
  /// holds.
  [[nodiscard]] bool is_instance(const Rule& rule, const Point& vars) const;
  /// The rule that runs for an instance of `rule`. If rules with a dynamic `where` share cells with it, it is the first
  /// of them whose `where` holds, else `rule` itself. It is none if `rule` has a dynamic `where`, too, and it fails
  /// (docs/reference/language.md 5.8).
  [[nodiscard]] const Rule* runs_for(const Rule& rule, const Point& vars) const;
  /// All instances of `rule`, one of the transform's, first variable slowest.
  [[nodiscard]] const std::vector<Point>& instances(const Rule& rule) const;
  [[nodiscard]] std::vector<Cell> cells(const Rule& rule, const RegionAccess& access, const Point& vars) const;
  /// Candidates of every cell of `matrix` after the filters by priority and by version, in the order of
  /// docs/reference/language.md 5.9, as if all instances ran.
  [[nodiscard]] std::map<Point, std::vector<RuleId>> candidates(MatrixId matrix) const;
  /// The cells that results need, the needed cells that no rule makes, and the instances that do not run
  /// (docs/reference/language.md 6.4). `plan` says where only the first candidate counts, since a list of candidates
  /// exists for small sizes only.
  [[nodiscard]] Liveness liveness(const TransformPlan& plan) const;

  /// Runs `plan` with alternative choice[site] at each site, in an order that its edges and nests allow and that is
  /// unlike the natural one. Checks that every cell of a result ends with its owner's value and that every read of a
  /// computed cell sees the final one; of temporaries those that the steps which run read. Returns what is wrong, or
  /// nothing.
  [[nodiscard]] std::string run(const TransformPlan& plan, const std::vector<std::size_t>& choice) const;

 private:
  /// What one instance does.
  struct Deed {
    Instance instance;
    std::vector<Cell> writes;
    std::vector<Cell> may_make;  ///< cells of which its rule is one of the candidates
    std::vector<Cell> makes;     ///< cells of which its rule can be the chosen one
    std::vector<Cell> reads;
  };
  /// What each instance does. `take_first`: cells of which only the first candidate can be chosen.
  [[nodiscard]] std::vector<Deed> deeds(const std::map<Cell, std::vector<RuleId>>& candidates_of,
                                        const std::set<Cell>& take_first) const;
  /// The cells that the instance reads, or that the instances which it tries read.
  [[nodiscard]] std::vector<Cell> cells_read(const Rule& rule, const Point& vars) const;
  [[nodiscard]] Values with(const Rule& rule, const Point& vars) const;
  [[nodiscard]] bool is_inside(const RegionAccess& access, const Values& values) const;
  [[nodiscard]] bool share_cells(const Rule& a, const Rule& b) const;
  [[nodiscard]] const std::vector<const Rule*>& tried_before(const Rule& rule) const;
  [[nodiscard]] std::int64_t extent(MatrixId matrix, std::size_t dim) const { return extents_[matrix.index()][dim]; }

  const Transform& transform_;
  Values sizes_;
  std::int64_t reach_;
  std::vector<std::vector<std::int64_t>> extents_;
  // Results of earlier questions, by rule.
  mutable std::map<const Rule*, std::vector<Point>> instances_;
  mutable std::map<const Rule*, std::vector<const Rule*>> tried_;
  bool possible_ = true;
};

/// Cells of a part of a matrix; empty where a guard fails.
[[nodiscard]] std::vector<Point> points_of(const std::vector<IndexRange>& box, const std::vector<IndexExpr>& conditions,
                                           const std::vector<IndexExpr>& guards, const Values& sizes);

}  // namespace pb::testing
