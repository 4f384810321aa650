// SPDX-License-Identifier: MIT
#include "choicegraph/passes/segments/candidates.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/seeded_fault.h"
#include "lang/region/affine.h"

namespace pb::choices {
namespace {

using RuleList = std::vector<RuleId>;

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

/// Removes the rules with a dynamic `where`, because the other rules try them (docs/reference/language.md 5.8). If
/// there are no others, the last one takes the cell.
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

/// Only the smallest priority number counts; rules with `where` come first (docs/reference/language.md 5.9).
RuleList filter_by_priority(const Transform& transform, RuleList rules) {
  if (rules.empty()) return rules;
  rules = without_tried(transform, std::move(rules));
  int best = transform.rules[rules.front()].priority;
  for (const RuleId id : rules)
    best = PB_FAULT(priority_is_reversed) ? std::max(best, transform.rules[id].priority)
                                          : std::min(best, transform.rules[id].priority);
  std::erase_if(rules, [&](RuleId id) { return transform.rules[id].priority != best; });
  std::stable_sort(rules.begin(), rules.end(),
                   [&](RuleId a, RuleId b) { return has_where(transform.rules[a]) && !has_where(transform.rules[b]); });
  return rules;
}

/// How a rule says which versions its outputs make.
enum class VersionForm {
  Named,    ///< each is one version, without a rule variable: `T<0>`, `T<n>`
  Counted,  ///< a rule variable occurs in one: `T<k>`
  Other,    ///< all versions at once, or a range of them
};

VersionForm version_form(const Transform& transform, const Rule& rule) {
  bool are_single = true;
  for (const RegionAccess& output : rule.outputs) {
    if (!transform.matrices[output.matrix].has_versions) continue;
    if (has_rule_var(output.lo.back()) || has_rule_var(output.hi.back())) return VersionForm::Counted;
    are_single = are_single && output.is_fixed_dim(output.lo.size() - 1);
  }
  return are_single ? VersionForm::Named : VersionForm::Other;
}

void note_displaced(std::vector<Displacement>& displaced, const Displacement& each) {
  if (std::find(displaced.begin(), displaced.end(), each) == displaced.end()) displaced.push_back(each);
}

/// At cells of a matrix with versions, rules that name the version displace those that count it
/// (docs/reference/language.md 4.15).
RuleList filter_by_version(Analysis& analysis, MatrixId matrix, const Atom& atom, RuleList rules) {
  const Transform& transform = analysis.transform;
  if (!transform.matrices[matrix].has_versions || PB_FAULT(versions_are_alternatives)) return rules;
  const auto form_of = [&](RuleId id) { return version_form(transform, transform.rules[id]); };
  const auto is_named = [&](RuleId id) { return form_of(id) == VersionForm::Named; };
  const auto is_counted = [&](RuleId id) { return form_of(id) == VersionForm::Counted; };
  const auto named = std::find_if(rules.begin(), rules.end(), is_named);
  if (named == rules.end() || std::none_of(rules.begin(), rules.end(), is_counted)) return rules;
  if (analysis.exists_for_large_sizes(atom.cells))
    for (const RuleId id : rules)
      if (is_counted(id)) note_displaced(analysis.plan.displaced, {id, *named, matrix});
  std::erase_if(rules, is_counted);
  return rules;
}

/// Whether the rule makes a version from others alone, so that it takes part in no cycle of one version, and does
/// nothing else.
bool makes_version_from_others(const Analysis& analysis, const Rule& rule, MatrixId matrix) {
  if (rule.outputs.size() != 1 || !rule.calls.empty() || !rule.tried.empty() || rule.is_dynamic || has_where(rule))
    return false;
  const auto version_of = [&](const RegionAccess& access) { return to_index_expr(access.lo.back(), analysis.scope); };
  const auto made = version_of(rule.outputs.front());
  return made && std::all_of(rule.inputs.begin(), rule.inputs.end(), [&](const RegionAccess& input) {
           if (input.matrix != matrix) return true;
           const auto read = version_of(input);
           return read && index_sub(*made, *read).is_const(1);
         });
}

/// Whether the cells are a corner of versions: at most a few in every dimension, however large the matrix is. Which of
/// the rules that meet there makes them costs nothing, but a choice would keep the rules' steps apart.
bool is_corner_of_versions(const Analysis& analysis, MatrixId id, const RuleList& rules, const Region& cells) {
  const Matrix& matrix = analysis.transform.matrices[id];
  const std::size_t num_dims = matrix.extents.size() - 1;  // but that of the versions
  if (!matrix.has_versions || num_dims < 2 || rules.size() < 2) return false;
  if (!std::all_of(rules.begin(), rules.end(), [&](RuleId rule) {
        return makes_version_from_others(analysis, analysis.transform.rules[rule], id);
      }))
    return false;
  // Sizes in both orders, so that no difference of sizes is small twice.
  SymbolValues up, down;
  std::int64_t value = std::int64_t{1} << 40;
  for (const std::string& name : analysis.sizes) up.emplace_back(name, value *= 2);
  for (const std::string& name : analysis.sizes) down.emplace_back(name, value /= 2);
  constexpr std::int64_t kMostCells = 8;
  const auto are_few = [&](const IndexExpr& extent) {
    const auto count_up = evaluate(extent, up), count_down = evaluate(extent, down);
    return count_up && count_down && std::min(*count_up, *count_down) >= 1 &&
           std::max(*count_up, *count_down) <= kMostCells;
  };
  for (std::size_t d = 0; d < num_dims; ++d) {
    const auto extent = to_index_expr(matrix.extents[d], analysis.scope);
    if (!extent || are_few(*extent)) return false;
  }
  const auto pieces = disjoint_boxes(cells, analysis.known);
  return pieces && std::all_of(pieces->begin(), pieces->end(), [&](const RegionBox& piece) {
           return std::all_of(piece.dims.begin(), piece.dims.begin() + static_cast<std::ptrdiff_t>(num_dims),
                              [&](const Interval& dim) { return are_few(index_sub(dim.hi, dim.lo)); });
         });
}

std::vector<CellGroup> group_cells(Analysis& analysis, MatrixId matrix) {
  const Transform& transform = analysis.transform;
  std::vector<Atom> atoms{{{}, analysis.cells[matrix.index()].intersect_parameters(analysis.known)}};
  for (const RuleId id : transform.rules.ids()) {
    const Region provided = cells_written(analysis, transform.rules[id], matrix, analysis.live_instances(id));
    if (analysis.context.limit_exceeded()) return {};
    if (provided.is_known()) split_atoms(atoms, id, provided);
    if (atoms.size() <= kMaxAtoms) continue;
    analysis.diags.emit(DiagKind::RegionsTooComplex, transform.span).arg(transform.name);
    analysis.ok = false;
    return {};
  }
  std::map<RuleList, Region> by_list;
  for (const Atom& atom : atoms) {
    const RuleList list = filter_by_version(analysis, matrix, atom, filter_by_priority(transform, atom.rules));
    auto [it, is_new] = by_list.try_emplace(list, atom.cells);
    if (!is_new) it->second = it->second.unite(atom.cells);
  }
  std::vector<CellGroup> out;
  for (auto& [rules, cells] : by_list) {
    if (cells.is_empty()) continue;
    const bool is_large =
        analysis.exists_for_large_sizes(cells) && !is_corner_of_versions(analysis, matrix, rules, cells);
    out.push_back({rules, cells.coalesce(), is_large});
  }
  return out;
}

bool is_large_candidate(const TransformPlan& plan, RuleId rule) {
  return std::any_of(plan.segments.begin(), plan.segments.end(), [&](const Segment& segment) {
    return !segment.only_small_sizes &&
           std::find(segment.candidates.begin(), segment.candidates.end(), rule) != segment.candidates.end();
  });
}

}  // namespace

std::vector<std::vector<CellGroup>> all_groups(Analysis& analysis) {
  std::vector<std::vector<CellGroup>> out(analysis.transform.matrices.size());
  for (const MatrixId matrix : analysis.transform.matrices.ids()) {
    if (analysis.matrix(matrix).role == MatrixRole::From) continue;
    out[matrix.index()] = group_cells(analysis, matrix);
    if (analysis.is_over()) return out;
  }
  std::sort(analysis.plan.displaced.begin(), analysis.plan.displaced.end());
  return out;
}

void warn_of_displaced(Analysis& analysis) {
  const TransformPlan& plan = analysis.plan;
  if (!analysis.transform.template_args.empty()) return;  // in another instance it may make something
  for (std::size_t i = 0; i < plan.displaced.size(); ++i) {
    const auto& [id, by, matrix] = plan.displaced[i];
    if (i > 0 && plan.displaced[i - 1].rule == id) continue;
    if (is_large_candidate(plan, id) || !is_large_candidate(plan, by)) continue;
    const Rule& first = analysis.rule(by);
    analysis.diags.emit(DiagKind::RuleDisplaced, analysis.rule(id).span)
        .arg(analysis.rule(id).name)
        .arg(first.name)
        .arg(analysis.matrix(matrix).name)
        .note(first.span, "a rule that names its version comes before one that counts versions")
        .hint("for a choice between them name the version in both, or count it in both with a `where`");
  }
}

}  // namespace pb::choices
