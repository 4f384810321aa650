// SPDX-License-Identifier: MIT
// The choice grid: each matrix cut into parts in which the list of candidate rules is
// constant. Exact for every size (ARCHITECTURE 5): the sets are found cell by cell with
// isl and then written as boxes, with conditions where they are none. See Note [Small sizes].
#include <algorithm>
#include <map>
#include <utility>

#include "choicegraph/analysis.h"
#include "lang/region/parts.h"
#include "tests/faults/seeded_fault.h"

namespace pb::choices {
namespace {

using RuleList = std::vector<RuleId>;

/// Cells whose candidates after the priority filter are `rules`.
struct Group {
  RuleList rules;
  Region cells;
  bool is_large = false;
};

struct Atom {
  RuleList rules;
  Region cells;
};

/// Sets of rules that provide the same cells: ten rules with lattices or conditions may have a thousand.
constexpr std::size_t kMaxAtoms = 200;

/// Cuts `atoms` along the border of what `rule` provides.
void split_atoms(std::vector<Atom>& atoms, RuleId rule, const Region& provided) {
  std::vector<Atom> out;
  for (Atom& atom : atoms) {
    Region inside = atom.cells.intersect(provided).coalesce();
    if (inside.is_empty()) {
      out.push_back(std::move(atom));
      continue;
    }
    Region outside = atom.cells.subtract(provided).coalesce();
    RuleList with = atom.rules;
    with.push_back(rule);
    out.push_back({std::move(with), std::move(inside)});
    if (!outside.is_empty()) out.push_back({std::move(atom.rules), std::move(outside)});
  }
  atoms = std::move(out);
}

bool has_where(const Rule& rule) { return !rule.where.empty() || !rule.where_any.empty(); }

/// LANGUAGE 5.8: other rules try those with a dynamic `where`. Without others the last one takes the cell.
RuleList without_tried(const Transform& transform, RuleList rules) {
  const auto is_dynamic = [&](RuleId id) { return transform.rules[id].is_dynamic; };
  if (!std::all_of(rules.begin(), rules.end(), is_dynamic)) {
    std::erase_if(rules, is_dynamic);
    return rules;
  }
  return {*std::max_element(rules.begin(), rules.end(), [&](RuleId a, RuleId b) {
    const int left = transform.rules[a].priority;
    const int right = transform.rules[b].priority;
    return left != right ? left < right : a < b;
  })};
}

/// LANGUAGE 5.9: only the smallest priority number counts; rules with `where` come first.
RuleList filter_by_priority(const Transform& transform, RuleList rules) {
  if (rules.empty()) return rules;
  rules = without_tried(transform, std::move(rules));
  int best = transform.rules[rules.front()].priority;
  for (const RuleId id : rules)
    best = PB_FAULT(priority_is_reversed) ? std::max(best, transform.rules[id].priority)
                                          : std::min(best, transform.rules[id].priority);
  std::erase_if(rules, [&](RuleId id) { return transform.rules[id].priority != best; });
  std::stable_sort(rules.begin(), rules.end(), [&](RuleId a, RuleId b) {
    return has_where(transform.rules[a]) && !has_where(transform.rules[b]);
  });
  return rules;
}

/// Nothing, with a message, if the cells fall into too many groups.
std::vector<Group> group_cells(Analysis& analysis, MatrixId matrix) {
  const Transform& transform = analysis.transform;
  std::vector<Atom> atoms{{{}, analysis.cells[matrix.index()].intersect_parameters(analysis.known)}};
  for (const RuleId id : transform.rules.ids()) {
    const Region provided = cells_written(analysis, transform.rules[id], matrix, transform.rules[id].domain);
    if (analysis.context.limit_exceeded()) return {};
    if (provided.is_known()) split_atoms(atoms, id, provided);
    if (atoms.size() <= kMaxAtoms) continue;
    analysis.diags.emit(DiagKind::RegionsTooComplex, transform.span).arg(transform.name);
    analysis.ok = false;
    return {};
  }
  std::map<RuleList, Region> by_list;
  for (Atom& atom : atoms) {
    const RuleList list = filter_by_priority(transform, std::move(atom.rules));
    auto [it, is_new] = by_list.try_emplace(list, atom.cells);
    if (!is_new) it->second = it->second.unite(atom.cells);
  }
  std::vector<Group> out;
  for (auto& [rules, cells] : by_list) {
    if (cells.is_empty()) continue;
    const bool is_large = analysis.exists_for_large_sizes(cells);
    out.push_back({rules, cells.coalesce(), is_large});
  }
  return out;
}

/// Cells of a `through` matrix that some rule may read; all cells of other matrices.
Region read_cells(const Analysis& analysis, MatrixId matrix) {
  const Matrix& declared = analysis.matrix(matrix);
  Region all = analysis.cells[matrix.index()];
  if (declared.first_version > 0)
    all = all.where_nonnegative(index_sub(index_symbol(all.dims().back()), index_const(declared.first_version)));
  if (declared.role != MatrixRole::Through) return all;
  Region out = Region::nothing(analysis.context, all.dims());
  for (const Rule& rule : analysis.transform.rules)
    for (const RegionAccess& access : rule.inputs)
      if (access.matrix == matrix) out = out.unite(access.cells.range());
  return out.intersect(all).coalesce();
}

/// Sizes at which `piece` has cells, as guards: the search for a cell of it then costs nothing at other sizes.
std::vector<IndexExpr> size_guards(const Analysis& analysis, const Region& space, const RegionBox& piece) {
  std::vector<IndexExpr> out = piece.guards;
  if (piece.conditions.empty()) return out;
  const Region cells = Region::from_box(analysis.context, space.dims(), piece).intersect_parameters(analysis.known);
  const auto sizes = cells.parameter_values().disjoint_boxes(analysis.known);
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

/// Appends to `out` what `expr` loses by each division of sizes by a number: zero where that is exact.
void collect_remainders(const IndexExpr& expr, const std::vector<std::string>& sizes, std::vector<IndexExpr>& out) {
  for (const IndexExpr& operand : expr.operands) collect_remainders(operand, sizes, out);
  if (expr.op != IndexExpr::Op::FloorDiv || expr.operands[1].op != IndexExpr::Op::Const) return;
  const std::vector<std::string> names = symbols_of(expr.operands[0]);
  const auto is_size = [&](const std::string& name) { return std::find(sizes.begin(), sizes.end(), name) != sizes.end(); };
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

/// Whether a caller can avoid `missing`, so that it is for the run to say that some call did not.
bool depends_on_sizes(const Analysis& analysis, const Region& missing) {
  if (!analysis.exists_for_large_sizes(missing)) return true;
  const Region divided = missing.intersect_parameters(sizes_that_divide(analysis));
  return !analysis.exists_for_large_sizes(divided) || vanishes_in_some_order(analysis, divided);
}

void handle_uncovered(Analysis& analysis, MatrixId matrix, const Group& group) {
  const Region missing = group.cells.intersect(read_cells(analysis, matrix)).coalesce();
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
bool absorb(const Analysis& analysis, std::vector<Group>& groups, Group& large, const std::vector<std::size_t>& small) {
  Region joined = large.cells;
  for (const std::size_t i : small) joined = joined.unite(groups[i].cells);
  joined = joined.coalesce();
  constexpr std::size_t kMaxParts = 4;
  if (num_parts(joined) > std::min(kMaxParts, num_parts(large.cells))) return false;
  const auto before = large.cells.disjoint_pieces(analysis.known);
  const auto after = joined.disjoint_pieces(analysis.known);
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
void absorb_small_groups(const Analysis& analysis, std::vector<Group>& groups) {
  for (Group& large : groups) {
    if (!large.is_large || large.rules.size() != 1) continue;
    std::vector<std::size_t> small;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (!groups[i].is_large && groups[i].rules.front() == large.rules.front()) small.push_back(i);
    if (small.empty() || absorb(analysis, groups, large, small)) continue;
    for (const std::size_t i : small) absorb(analysis, groups, large, {i});
  }
  std::erase_if(groups, [](const Group& group) { return !group.is_large && group.cells.is_empty(); });
}

struct Draft {
  Segment segment;
  Region cells;
  std::vector<std::int64_t> key;  ///< begin coordinates at some large sizes
};

/// Some sizes for sorting: large, and different enough that sums keep their sign.
SymbolValues sample_sizes(const Analysis& analysis) {
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

/// False, with a message, if the cells are too complex to say.
bool add_drafts(Analysis& analysis, MatrixId matrix, const Group& group, std::vector<Draft>& drafts) {
  const auto pieces = pieces_of(analysis, group.cells);
  if (!pieces) return false;
  const SymbolValues sizes = sample_sizes(analysis);
  for (const RegionBox& box : *pieces) {
    Draft draft;
    draft.segment.matrix = matrix;
    draft.segment.box = to_ranges(box.dims);
    draft.segment.conditions = box.conditions;
    draft.segment.guards = box.guards;
    draft.segment.candidates = group.rules;
    draft.segment.only_small_sizes = !group.is_large;
    draft.cells = Region::from_box(analysis.context, group.cells.dims(), box).intersect_parameters(analysis.known);
    for (const Interval& dim : box.dims) draft.key.push_back(evaluate(dim.lo, sizes).value_or(0));
    drafts.push_back(std::move(draft));
  }
  return true;
}

void cut_matrix(Analysis& analysis, const std::vector<Region>& needed, MatrixId matrix) {
  std::vector<Group> groups = group_cells(analysis, matrix);
  if (analysis.context.limit_exceeded() || groups.empty()) return;
  for (const Group& group : groups)
    if (group.rules.empty()) handle_uncovered(analysis, matrix, group);
  std::erase_if(groups, [&](const Group& group) {
    return group.rules.empty() || is_idle(analysis, needed, matrix, group.cells);
  });
  absorb_small_groups(analysis, groups);
  std::vector<Draft> drafts;
  for (const Group& group : groups)
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
  for (const MatrixId matrix : analysis.transform.matrices.ids())
    if (analysis.matrix(matrix).role != MatrixRole::From) cut_matrix(analysis, needed, matrix);
}

// Note [Sizes in order]
// `OUT.cell(i) from (IN.cell(i) a)` with `IN[n]`, `OUT[m]` leaves `[n, m)` uncovered where m > n. A program whose calls
// all have m <= n is right, so this is no error of the program but of a call that breaks the rule: it ends the run with
// the message of small sizes. What is missing whatever the order of the sizes (a border, say) is an error at once.

// Note [Sizes that divide]
// `FINE[n]` from `COARSE[(n+1)/2]` by `FINE.cell(x) from (COARSE.cell(x/2) l, COARSE.cell((x+1)/2) r)` misses the last
// cell where n is even. Such a program is written for grids of 2^k+1 points: what its header divides is meant to divide.
// What is missing at those sizes too is an error at once; else a call with other sizes ends the run as above. So do
// `OUT.region(0, n/2)` and `OUT.region(n/2, 2*(n/2))` where n is odd. Of divisions that no sizes make exact together,
// such as n/2 and (n+1)/2, the first counts, in the header before the rules.

// Note [Small sizes]
// With borders 0 and n-1 the cell 0 of a matrix of one cell is both: its candidates are the rules of both borders, a
// list that no large matrix has. By definition such cells take their first candidate and are no decision. Where a
// large group has exactly that rule and no other, the cells may as well belong to it: the same rule computes them.
// That keeps the number of segments (and loops in the generated code) at what the large sizes need. It is done
// only if the joined cells need no more boxes than before.

}  // namespace pb::choices
