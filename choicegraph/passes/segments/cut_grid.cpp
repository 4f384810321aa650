// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/cut_grid.h"

#include <algorithm>
#include <utility>

#include "base/seeded_fault.h"
#include "choicegraph/passes/segments/candidates.h"
#include "choicegraph/passes/segments/liveness.h"
#include "choicegraph/passes/segments/needed_cells.h"
#include "choicegraph/passes/segments/report_uncovered.h"
#include "lang/region/nest.h"
#include "lang/region/parts.h"

namespace pb::choices {
namespace {

/// The sizes at which `piece` has cells, as guards. At other sizes a search for one of its cells then costs nothing.
std::vector<IndexExpr> size_guards(const Analysis& analysis, const Region& space, const RegionBox& piece) {
  std::vector<IndexExpr> out = piece.guards;
  if (piece.conditions.empty()) return out;
  const Region cells = region_of_box(analysis.context, space.dims(), piece).intersect_parameters(analysis.known);
  const auto sizes = disjoint_boxes(cells.parameter_values(), analysis.known);
  if (!sizes || sizes->size() != 1) return out;
  for (const IndexExpr& guard : sizes->front().guards)
    if (std::find(out.begin(), out.end(), guard) == out.end()) out.push_back(guard);
  return out;
}

/// Whether a caller can avoid `missing` by the order of its sizes, as with `OUT[m]` made of cells of `IN[n]`:
/// there is one in which nothing is missing for large sizes. See Note [Sizes in order].
bool vanishes_in_some_order(const Analysis& analysis, const Region& missing) {
  constexpr std::size_t kMaxSizes = 4;
  std::vector<std::string> names = analysis.sizes;
  if (names.size() < 2 || names.size() > kMaxSizes) return false;
  std::sort(names.begin(), names.end());
  do {
    Region ordered = missing;
    for (std::size_t i = 1; i < names.size(); ++i)
      ordered = ordered.where_nonnegative(index_sub(index_symbol(names[i]), index_symbol(names[i - 1])));
    if (!analysis.exists_for_large_sizes(ordered)) return true;
  } while (std::next_permutation(names.begin(), names.end()));
  return false;
}

/// Appends to `out` the remainder of each division in `expr` of sizes by a number; it is zero where the division is
/// exact.
void collect_remainders(const IndexExpr& expr, const std::vector<std::string>& sizes, std::vector<IndexExpr>& out) {
  for (const IndexExpr& operand : expr.operands) collect_remainders(operand, sizes, out);
  if (expr.op != IndexExpr::Op::FloorDiv || expr.operands[1].op != IndexExpr::Op::Const) return;
  const std::vector<std::string> names = symbols_of(expr.operands[0]);
  const auto is_size = [&](const std::string& name) {
    return std::find(sizes.begin(), sizes.end(), name) != sizes.end();
  };
  if (!std::all_of(names.begin(), names.end(), is_size)) return;
  IndexExpr remainder = index_sub(expr.operands[0], index_mul(expr.operands[1], expr));
  if (std::find(out.begin(), out.end(), remainder) == out.end()) out.push_back(std::move(remainder));
}

/// All formulas that say where a rule applies: its coordinates, then its relations.
std::vector<Formula> formulas_of(const Rule& rule) {
  std::vector<Formula> out;
  for (const auto* accesses : {&rule.outputs, &rule.inputs}) {
    for (const RegionAccess& access : *accesses) {
      out.insert(out.end(), access.lo.begin(), access.lo.end());
      out.insert(out.end(), access.hi.begin(), access.hi.end());
    }
  }
  const auto add = [&](const std::vector<Relation>& relations) {
    for (const Relation& relation : relations) out.insert(out.end(), {relation.lhs, relation.rhs});
  };
  add(rule.where);
  for (const Disjunction& disjunction : rule.where_any)
    for (const std::vector<Relation>& all : disjunction.any) add(all);
  return out;
}

/// The sizes at which the divisions of the header are exact, then those of the rules. See Note [Sizes that divide].
Region sizes_that_divide(const Analysis& analysis) {
  std::vector<IndexExpr> remainders;
  const auto collect = [&](const Formula& formula) {
    if (const auto expr = to_index_expr(formula, analysis.scope)) collect_remainders(*expr, analysis.sizes, remainders);
  };
  for (const Matrix& matrix : analysis.transform.matrices)
    for (const Formula& extent : matrix.extents) collect(extent);
  for (const Rule& rule : analysis.transform.rules)
    for (const Formula& formula : formulas_of(rule)) collect(formula);
  Region sizes = Region::universe(analysis.context, {});
  for (const IndexExpr& remainder : remainders) {
    const Region exact = sizes.where_zero(remainder);
    if (analysis.exists_for_large_sizes(exact)) sizes = exact;
  }
  return sizes;
}

/// Whether a caller can avoid `missing`. If so, a run reports the calls that do not.
bool depends_on_sizes(const Analysis& analysis, const Region& missing) {
  if (!analysis.exists_for_large_sizes(missing)) return true;
  const Region divided = missing.intersect_parameters(sizes_that_divide(analysis));
  return !analysis.exists_for_large_sizes(divided) || vanishes_in_some_order(analysis, divided);
}

/// Handles cells that no rule provides and that some result needs. They are an error, or, if a caller can avoid them by
/// its sizes, a run tests for them.
void handle_missing(Analysis& analysis, MatrixId matrix, const Region& missing) {
  if (missing.is_empty() || PB_FAULT(uncovered_cells_pass)) return;
  if (!depends_on_sizes(analysis, missing)) {
    report_uncovered(analysis, matrix, missing);
    analysis.ok = false;
    return;
  }
  const auto pieces = pieces_of(analysis, missing);
  if (!pieces) return;
  for (const RegionBox& piece : *pieces)
    analysis.plan.uncovered.push_back(
        {matrix, to_ranges(piece.dims), piece.conditions, size_guards(analysis, missing, piece)});
}

/// Moves the cells of `small` (indices into `groups`) to `large` if that takes no more pieces. Pieces are dear to find:
/// cells in many parts, or in more than before, are not asked for them.
bool absorb(const Analysis& analysis, std::vector<CellGroup>& groups, CellGroup& large,
            const std::vector<std::size_t>& small) {
  Region joined = large.cells;
  for (const std::size_t i : small) joined = joined.unite(groups[i].cells);
  joined = joined.coalesce();
  constexpr std::size_t kMaxParts = 4;
  if (num_parts(joined) > std::min(kMaxParts, num_parts(large.cells))) return false;
  const auto before = disjoint_pieces(large.cells, analysis.known);
  const auto after = disjoint_pieces(joined, analysis.known);
  if (!before || !after || after->size() > before->size()) return false;
  const auto has_conditions = [](const RegionBox& piece) { return !piece.conditions.empty(); };
  if (std::any_of(after->begin(), after->end(), has_conditions) &&
      std::none_of(before->begin(), before->end(), has_conditions)) {
    return false;
  }
  large.cells = joined;
  for (const std::size_t i : small) groups[i].cells = Region::nothing(analysis.context, joined.dims());
  return true;
}

/// See Note [Small sizes].
void absorb_small_groups(const Analysis& analysis, std::vector<CellGroup>& groups) {
  for (CellGroup& large : groups) {
    if (!large.is_large || large.rules.size() != 1) continue;
    std::vector<std::size_t> small;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (!groups[i].is_large && groups[i].rules.front() == large.rules.front()) small.push_back(i);
    if (small.empty() || absorb(analysis, groups, large, small)) continue;
    for (const std::size_t i : small) absorb(analysis, groups, large, {i});
  }
  std::erase_if(groups, [](const CellGroup& group) { return !group.is_large && group.cells.is_empty(); });
}

struct Draft {
  Segment segment;
  Region cells;
  std::vector<std::int64_t> key;  ///< coordinates of the piece's begin at some large sizes
};

/// Some sizes for sorting: large, and different enough that sums keep their sign.
SymbolValues sizes_for_sorting(const Analysis& analysis) {
  SymbolValues out;
  std::int64_t value = std::int64_t{1} << 30;
  for (const std::string& name : analysis.sizes) {
    out.emplace_back(name, value);
    value = std::max<std::int64_t>(value / 16, 1000);
  }
  for (const UserTunable& tunable : analysis.transform.tunables)
    out.emplace_back(tunable.name, static_cast<std::int64_t>(tunable.initial));
  return out;
}

/// Adds drafts for the cells of a group. Returns false, with a message, if the cells are too complex.
bool add_drafts(Analysis& analysis, MatrixId matrix, const CellGroup& group, std::vector<Draft>& drafts) {
  const auto pieces = pieces_of(analysis, group.cells);
  if (!pieces) return false;
  const SymbolValues sizes = sizes_for_sorting(analysis);
  for (const RegionBox& box : *pieces) {
    Draft draft;
    draft.segment.matrix = matrix;
    draft.segment.box = to_ranges(box.dims);
    draft.segment.conditions = box.conditions;
    draft.segment.guards = box.guards;
    draft.segment.candidates = group.rules;
    draft.segment.only_small_sizes = !group.is_large;
    draft.cells = region_of_box(analysis.context, group.cells.dims(), box).intersect_parameters(analysis.known);
    for (const Interval& dim : box.dims) draft.key.push_back(evaluate(dim.lo, sizes).value_or(0));
    drafts.push_back(std::move(draft));
  }
  return true;
}

void cut_matrix(Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix, std::vector<CellGroup> groups) {
  std::erase_if(groups, [&](const CellGroup& group) {
    return group.rules.empty() || is_idle(analysis, needed, matrix, group.cells);
  });
  absorb_small_groups(analysis, groups);
  std::vector<Draft> drafts;
  for (const CellGroup& group : groups)
    if (!add_drafts(analysis, matrix, group, drafts)) return;
  std::stable_sort(drafts.begin(), drafts.end(), [](const Draft& a, const Draft& b) { return a.key < b.key; });
  for (Draft& draft : drafts) {
    analysis.plan.segments.add(std::move(draft.segment));
    analysis.segment_sets.push_back(std::move(draft.cells));
  }
}

}  // namespace

void cut_grid(Analysis& analysis) {
  const std::vector<Region> needed = needed_cells(analysis);
  std::vector<std::vector<CellGroup>> groups = all_groups(analysis);
  if (analysis.is_over()) return;
  Liveness liveness = find_liveness(analysis, groups);
  for (const MatrixId matrix : analysis.transform.matrices.ids())
    if (analysis.matrix(matrix).role != MatrixRole::From)
      handle_missing(analysis, matrix, liveness.missing[matrix.index()]);
  if (!liveness.left_out.empty()) {
    analysis.left_out = std::move(liveness.left_out);
    for (const RuleId id : analysis.transform.rules.ids())
      if (!analysis.left_out[id.index()].is_empty()) analysis.plan.left_out.push_back(id);
    groups = all_groups(analysis);
  }
  if (analysis.is_over()) return;
  for (const MatrixId matrix : analysis.transform.matrices.ids())
    cut_matrix(analysis, needed, matrix, std::move(groups[matrix.index()]));
  warn_of_displaced(analysis);
}

// Note [Sizes in order]
// `OUT.cell(i) from (IN.cell(i) a)` with `IN[n]`, `OUT[m]` leaves `[n, m)` uncovered where m > n. A program whose calls
// all have m <= n is right. So this is no error of the program but of a call with m > n, which ends the run with the
// message of small sizes. What is missing whatever the order of the sizes (a border, say) is an error at once.

// Note [Sizes that divide]
// `FINE[n]` from `COARSE[(n+1)/2]` by `FINE.cell(x) from (COARSE.cell(x/2) l, COARSE.cell((x+1)/2) r)` misses the last
// cell where n is even. Such a program is written for grids of 2^k+1 points: the sizes that its header divides are
// meant to be divisible. What is missing at such sizes too is an error at once; else a call with other sizes ends the
// run, as in Note [Sizes in order]. `OUT.region(0, n/2)` and `OUT.region(n/2, 2*(n/2))` are treated alike where n is
// odd. Where no sizes make several divisions exact together, such as n/2 and (n+1)/2, the first one counts, in the
// header before the rules.

// Note [Small sizes]
// With borders 0 and n-1 the cell 0 of a matrix of one cell is both. Its candidates are the rules of both borders, a
// list that no large matrix has. By definition such cells take their first candidate and are no decision. Where a large
// group has exactly that rule and no other, the cells may as well belong to the group: the same rule computes them.
// That keeps the number of segments (and of loops in the generated code) at what the large sizes need. It is done only
// if the joined cells need no more boxes than before.

}  // namespace pb::choices
