// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/liveness.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/seeded_fault.h"
#include "lang/region/affine.h"

namespace pb::choices {
namespace {

/// Chains of up to this many cells are followed cell by cell. If one is longer, all chains are followed at once.
constexpr int kMaxRounds = 8;
/// The work that isl may spend on following all chains at once. Cells for which it would take longer count as needed.
constexpr std::uint64_t kMaxClosureOperations = 3'000'000;

/// Sets of cells, by matrix.
using Cells = std::vector<Region>;

bool is_empty(const Cells& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const Region& each) { return each.is_empty(); });
}

Cells unite(const Cells& a, const Cells& b) {
  Cells out;
  for (std::size_t m = 0; m < a.size(); ++m) out.push_back(b[m].is_empty() ? a[m] : a[m].unite(b[m]).coalesce());
  return out;
}

Cells subtract(const Cells& a, const Cells& b) {
  Cells out;
  for (std::size_t m = 0; m < a.size(); ++m) out.push_back(a[m].is_empty() ? a[m] : a[m].subtract(b[m]).coalesce());
  return out;
}

Cells intersect(const Cells& a, const Cells& b) {
  Cells out;
  for (std::size_t m = 0; m < a.size(); ++m) out.push_back(a[m].is_empty() ? a[m] : a[m].intersect(b[m]).coalesce());
  return out;
}

bool is_subset(const Cells& a, const Cells& b) {
  for (std::size_t m = 0; m < a.size(); ++m)
    if (!a[m].is_subset(b[m])) return false;
  return true;
}

/// Follows the instances that may produce cells: from what they read to what they make, and back.
class Tracer {
 public:
  Tracer(const Analysis& analysis, const std::vector<std::vector<CellGroup>>& groups) : analysis_(analysis) {
    for (const RuleId id : analysis.transform.rules.ids()) {
      Cells& made = made_.emplace_back(nothing());
      for (const MatrixId matrix : analysis.transform.matrices.ids()) {
        Region& cells = made[matrix.index()];
        for (const CellGroup& group : groups[matrix.index()])
          if (is_candidate(group, id)) cells = cells.unite(group.cells);
      }
    }
  }

  [[nodiscard]] Cells nothing() const {
    Cells out;
    for (const Region& all : analysis_.cells) out.push_back(Region::nothing(analysis_.context, all.dims()));
    return out;
  }

  /// Instances of the rule that read some of `cells`.
  [[nodiscard]] Region readers(RuleId id, const Cells& cells) const {
    return touching(analysis_.rule(id), analysis_.rule(id).inputs, cells);
  }
  /// Instances that may produce some of `cells`.
  [[nodiscard]] Region makers(RuleId id, const Cells& cells) const {
    return touching(analysis_.rule(id), analysis_.rule(id).outputs, intersect(cells, made_[id.index()]));
  }

  /// The cells that readers of `cells` may produce.
  [[nodiscard]] Cells forward(const Cells& cells) const {
    Cells out = nothing();
    for (const RuleId id : analysis_.transform.rules.ids()) {
      const Region instances = readers(id, cells);
      if (!instances.is_empty()) add(out, analysis_.rule(id).outputs, instances, made_[id.index()]);
    }
    return out;
  }
  /// The cells of `among` that are read by instances which may produce some of `cells`.
  [[nodiscard]] Cells backward(const Cells& cells, const Cells& among) const {
    Cells out = nothing();
    for (const RuleId id : analysis_.transform.rules.ids()) {
      const Region instances = makers(id, cells);
      if (!instances.is_empty()) add(out, analysis_.rule(id).inputs, instances, among);
    }
    return out;
  }

  /// The map from cells to the cells that their readers may produce, directly or through others, in the space of all
  /// matrices; see place().
  [[nodiscard]] RegionMap closure() const {
    RegionMap out;
    for (const RuleId id : analysis_.transform.rules.ids()) {
      const Rule& rule = analysis_.rule(id);
      for (const RegionAccess& input : rule.inputs) {
        if (analysis_.matrix(input.matrix).role == MatrixRole::From) continue;
        for (const RegionAccess& output : rule.outputs) {
          const Region& made = made_[id.index()][output.matrix.index()];
          const RegionMap step = place(input.matrix)
                                     .reverse()
                                     .then(input.cells.reverse())
                                     .then(output.cells.intersect_range(made))
                                     .then(place(output.matrix));
          out = out.is_known() ? out.unite(step) : step;
        }
      }
    }
    return out.transitive_closure();
  }
  [[nodiscard]] Cells apply(const RegionMap& map, const Cells& cells) const {
    Region placed = Region::nothing(analysis_.context, place_names());
    for (const MatrixId matrix : analysis_.transform.matrices.ids())
      placed = placed.unite(place(matrix).apply(cells[matrix.index()]));
    const Region reached = map.apply(placed);
    Cells out;
    for (const MatrixId matrix : analysis_.transform.matrices.ids()) {
      const Region& all = analysis_.cells[matrix.index()];
      out.push_back(all.intersect(place(matrix).preimage(reached)).coalesce());
    }
    return out;
  }

 private:
  static bool is_candidate(const CellGroup& group, RuleId rule) {
    if (group.rules.empty()) return false;
    if (!group.is_large) return group.rules.front() == rule;
    return std::find(group.rules.begin(), group.rules.end(), rule) != group.rules.end();
  }

  [[nodiscard]] Region touching(const Rule& rule, const std::vector<RegionAccess>& accesses, const Cells& cells) const {
    Region out = Region::nothing(analysis_.context, rule.domain.dims());
    for (const RegionAccess& access : accesses) {
      const Region& touched = cells[access.matrix.index()];
      if (!touched.is_empty()) out = out.unite(access.cells.preimage(touched));
    }
    return out.intersect_parameters(analysis_.known).coalesce();
  }
  static void add(Cells& out, const std::vector<RegionAccess>& accesses, const Region& instances, const Cells& among) {
    for (const RegionAccess& access : accesses) {
      Region& cells = out[access.matrix.index()];
      if (!among[access.matrix.index()].is_empty())
        cells = cells.unite(access.cells.apply(instances).intersect(among[access.matrix.index()])).coalesce();
    }
  }

  [[nodiscard]] std::vector<std::string> place_names() const {
    int num_dims = 0;
    for (const Region& all : analysis_.cells) num_dims = std::max(num_dims, all.num_dims());
    return cell_dims(num_dims + 1);
  }
  /// The map from a cell of the matrix to its place in a space that has room for all matrices: the last coordinate is
  /// the matrix.
  [[nodiscard]] RegionMap place(MatrixId matrix) const {
    const std::vector<std::string> names = place_names();
    const std::vector<std::string> dims = analysis_.cells[matrix.index()].dims();
    std::vector<Interval> box;
    for (std::size_t d = 0; d < names.size(); ++d) {
      const bool is_last = d + 1 == names.size();
      const IndexExpr at = d < dims.size() ? index_symbol(dims[d])
                                           : index_const(is_last ? static_cast<std::int64_t>(matrix.index()) : 0);
      box.push_back({at, index_add(at, index_const(1))});
    }
    return RegionMap::to_box(analysis_.context, dims, names, box);
  }

  const Analysis& analysis_;
  std::vector<Cells> made_;  ///< per rule: the cells of which it is a candidate
};

/// The cells without the versions below the first one. Their matrix has such versions, but no step needs them.
Region from_first_version(const Analysis& analysis, MatrixId matrix, const Region& cells) {
  const std::int64_t first = analysis.matrix(matrix).first_version;
  return first == 0 ? cells : cells.where_nonnegative(index_sub(index_symbol(cells.dims().back()), index_const(first)));
}

/// The cells of the matrices of one role; in the result the other matrices have no cells.
Cells only(const Analysis& analysis, const Cells& cells, MatrixRole role) {
  Cells out;
  for (const MatrixId matrix : analysis.transform.matrices.ids()) {
    const Region& each = cells[matrix.index()];
    const bool is_it = analysis.matrix(matrix).role == role;
    out.push_back(is_it ? from_first_version(analysis, matrix, each) : Region::nothing(analysis.context, each.dims()));
  }
  return out;
}

Cells uncovered_cells(const Analysis& analysis, const std::vector<std::vector<CellGroup>>& groups) {
  Cells out;
  for (const MatrixId matrix : analysis.transform.matrices.ids()) {
    Region& cells = out.emplace_back(Region::nothing(analysis.context, analysis.cells[matrix.index()].dims()));
    for (const CellGroup& group : groups[matrix.index()])
      if (group.rules.empty()) cells = group.cells;
  }
  return out;
}

/// `start` and the cells that follow from it step by step; none if the chains are too long.
template <class Step>
std::optional<Cells> followed(const Cells& start, Step step) {
  Cells all = start;
  Cells last = start;
  for (int round = 0; round < kMaxRounds; ++round) {
    last = subtract(step(last), all);
    if (is_empty(last)) return all;
    all = unite(all, last);
  }
  return std::nullopt;
}

/// `all` are the uncovered cells and the cells of instances that read spoilt ones; `needed` are those that results
/// need.
struct Spoilt {
  Cells all;
  Cells needed;
};

/// `start` and the cells that follow from it by chains of any length; none if finding them takes too long, or if some
/// may be missing.
std::optional<Cells> followed_at_once(const Analysis& analysis, const Tracer& tracer, const Cells& start,
                                      bool is_back) {
  if (analysis.context.limit_exceeded()) return std::nullopt;
  std::optional<Cells> out;
  {
    const RegionLimit limit(analysis.context, kMaxClosureOperations);
    const RegionMap closure = tracer.closure();
    out = unite(start, tracer.apply(is_back ? closure.reverse() : closure, start));
    if (!is_back && !is_subset(tracer.forward(*out), *out)) out.reset();
  }
  if (!analysis.context.limit_exceeded()) return out;
  analysis.context.clear_limit_exceeded();
  return std::nullopt;
}

std::optional<Spoilt> find_spoilt(const Analysis& analysis, const Tracer& tracer, const Cells& uncovered) {
  auto all = followed(uncovered, [&](const Cells& cells) { return tracer.forward(cells); });
  if (!all) all = followed_at_once(analysis, tracer, uncovered, false);
  if (!all) return std::nullopt;
  const Cells results = only(analysis, *all, MatrixRole::To);
  auto needed = followed(results, [&](const Cells& cells) { return tracer.backward(cells, *all); });
  if (!needed) needed = followed_at_once(analysis, tracer, results, true);
  if (!needed) return std::nullopt;
  return Spoilt{*all, intersect(*needed, *all)};
}

/// The instances that read spoilt cells and produce no needed cell.
std::vector<Region> left_out_instances(const Analysis& analysis, const Tracer& tracer, const Spoilt& spoilt) {
  std::vector<Region> out;
  bool is_any = false;
  for (const RuleId id : analysis.transform.rules.ids()) {
    Region instances = tracer.readers(id, spoilt.all);
    if (!instances.is_empty()) instances = instances.subtract(tracer.makers(id, spoilt.needed)).coalesce();
    is_any = is_any || !instances.is_empty();
    out.push_back(std::move(instances));
  }
  if (!is_any) return {};
  // If an instance is left out, the instances that it tries are left out, too: without it they do not make its cells.
  for (const RuleId id : analysis.transform.rules.ids())
    for (const RuleId tried : analysis.rule(id).tried)
      out[tried.index()] = out[tried.index()].unite(out[id.index()]).coalesce();
  return out;
}

/// Cells that any instance may read.
Cells read_cells(const Analysis& analysis, const Tracer& tracer) {
  Cells out = tracer.nothing();
  for (const Rule& rule : analysis.transform.rules)
    for (const RegionAccess& input : rule.inputs)
      out[input.matrix.index()] = out[input.matrix.index()].unite(input.cells.range());
  return out;
}

}  // namespace

Liveness find_liveness(const Analysis& analysis, const std::vector<std::vector<CellGroup>>& groups) {
  const Cells uncovered = uncovered_cells(analysis, groups);
  Liveness out{only(analysis, uncovered, MatrixRole::To), {}};
  const Cells temporary = only(analysis, uncovered, MatrixRole::Through);
  if (is_empty(temporary)) return out;
  const Tracer tracer(analysis, groups);
  const auto spoilt = PB_FAULT(all_that_is_read_is_needed) ? std::nullopt : find_spoilt(analysis, tracer, temporary);
  if (spoilt && !PB_FAULT(no_instance_is_left_out)) out.left_out = left_out_instances(analysis, tracer, *spoilt);
  out.missing = unite(out.missing, intersect(temporary, spoilt ? spoilt->needed : read_cells(analysis, tracer)));
  return out;
}

// Note [Liveness]
// Most programs have no temporary with an uncovered cell; for them nothing is asked. Where there are such cells, it is
// easier to follow what they spoil than what results need. An instance that reads a spoilt cell spoils all cells of
// which it is a candidate. If no cell of a result is spoilt, no result needs the uncovered cells, and all instances
// that read spoilt cells may go: those that are left read nothing that is not made.
//
// If a result is spoilt at some sizes, the way is followed back from it, through spoilt cells alone. It says which
// uncovered cells are missing, and which instances stay because they produce needed cells.
//
// Chains as long as a size (`T<k>` from `T<k-1>`) are followed at once, by isl's transitive closure of the steps. The
// closure may be too large. Then more instances go than the spoilt ones, but none that makes a needed cell, or an
// uncovered cell is taken for needed. If finding the closure takes too long, every uncovered cell that is read counts
// as needed.

}  // namespace pb::choices
