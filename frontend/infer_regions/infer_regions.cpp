// SPDX-License-Identifier: MIT
#include "frontend/infer_regions/infer_regions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/infer_regions/tried_rules.h"
#include "lang/check.h"
#include "lang/region/affine.h"
#include "lang/region/border_cells.h"
#include "lang/region/points.h"
#include "lang/region/terms.h"

namespace pb {
namespace {

/// A rule as declared, whatever the instance of its transform.
using DeclaredRule = std::tuple<std::string, Span, std::string>;

DeclaredRule declared(const Transform& transform, const Rule& rule) {
  return {transform.source_name, rule.span, rule.name};
}

/// The rules that apply in some instance of their transform, and those that apply nowhere in one. A rule may apply
/// nowhere in one instance and somewhere in another.
struct Applicability {
  std::set<DeclaredRule> somewhere;
  std::vector<std::pair<TransformId, const Rule*>> nowhere;
};

/// What the pass knows about the transform that it is working on.
struct Inference {
  const RegionContext& context;
  Transform& transform;
  Diagnostics& diags;
  Region known;
  FormulaScope scope;
  bool ok = true;
};

std::vector<std::string> names_of(const std::vector<RuleVar>& vars) {
  std::vector<std::string> out;
  out.reserve(vars.size());
  for (const RuleVar& var : vars) out.push_back(var.name);
  return out;
}

std::string access_text(const Transform& transform, const RegionAccess& access) {
  const std::string& name = transform.matrices[access.matrix].name;
  switch (access.kind) {
    case AccessKind::Cell:
      return name + ".cell";
    case AccessKind::Row:
      return name + ".row";
    case AccessKind::Column:
      return name + ".column";
    case AccessKind::Region:
      return name + ".region";
    case AccessKind::All:
      return name;
  }
  return name;
}

/// The C value of a coordinate that is also affine.
std::optional<IndexExpr> affine_coordinate(const Inference& in, const Formula& formula) {
  auto value = to_index_expr(formula, in.scope);
  return value && to_rational(formula, in.scope) ? value : std::nullopt;
}

/// Whether the coordinate has a value at all, which each instance can compute and test.
bool is_computable(const Inference& in, const Formula& formula) {
  return to_index_expr(formula, in.scope) && has_rule_var(formula);
}

void report_coordinate(Inference& in, const Formula& formula, bool is_output) {
  in.ok = false;
  const Formula* term = find_non_affine(formula);
  if (term == nullptr) term = &formula;
  const Span span = term->span.is_known() ? term->span : formula.span;
  const DiagKind kind = is_output && has_rule_var(*term) ? DiagKind::NonAffineOutput : DiagKind::FormulaHasNoValue;
  in.diags.emit(kind, span).arg(to_string(*term));
}

/// The box of `access`; a dimension of an input whose coordinates are not affine is read as a whole
/// (docs/architecture.md 5.1).
std::optional<std::vector<Interval>> box_of(Inference& in, RegionAccess& access, bool is_output) {
  std::vector<Interval> out;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    auto lo = affine_coordinate(in, access.lo[d]);
    auto hi = affine_coordinate(in, access.hi[d]);
    const bool is_tested = !is_output && (!lo || !hi) && (lo || is_computable(in, access.lo[d])) &&
                           (hi || is_computable(in, access.hi[d]));
    if (is_tested) {
      access.tested_dims.push_back(d);
      lo = index_const(0);
      hi = to_index_expr(in.transform.matrices[access.matrix].extents[d], in.scope);
    }
    if (!lo || !hi) {
      report_coordinate(in, lo ? access.hi[d] : access.lo[d], is_output);
      return std::nullopt;
    }
    out.push_back({std::move(*lo), std::move(*hi)});
  }
  return out;
}

/// The part of `domain` where an affine relation holds.
Region where_holds(const Inference& in, const Relation& relation, const Region& domain) {
  auto kept = keep_where(domain, relation, in.scope);
  PB_CHECK(kept, "the relation is affine");
  return std::move(*kept);
}

bool are_affine(const Disjunction& disjunction) {
  return std::all_of(disjunction.any.begin(), disjunction.any.end(),
                     [](const auto& all) { return std::all_of(all.begin(), all.end(), is_affine); });
}

/// The part of `domain` where one of the affine conjunctions holds.
Region where_any_holds(const Inference& in, const Disjunction& disjunction, const Region& domain) {
  Region out;
  for (const auto& all : disjunction.any) {
    Region part = domain;
    for (const Relation& relation : all) part = where_holds(in, relation, part);
    out = out.is_known() ? out.unite(part) : part;
  }
  return out;
}

/// The part of `domain` where the rule's `where` holds as far as it is affine; sets Rule::is_dynamic if it is not all.
Region narrowed_by_where(const Inference& in, Rule& rule, Region domain) {
  for (const Relation& relation : rule.where) {
    if (is_affine(relation)) {
      domain = where_holds(in, relation, domain);
    } else {
      rule.is_dynamic = true;
    }
  }
  for (const Disjunction& disjunction : rule.where_any) {
    if (!are_affine(disjunction)) {
      rule.is_dynamic = true;
      continue;
    }
    domain = where_any_holds(in, disjunction, domain);
  }
  return domain;
}

/// Sets `access.cells` over all instances; false after an error.
bool infer_access(Inference& in, RegionAccess& access, bool is_output, const std::vector<std::string>& vars) {
  const auto box = box_of(in, access, is_output);
  if (!box) return false;
  const Matrix& matrix = in.transform.matrices[access.matrix];
  access.cells = RegionMap::to_box(in.context, vars, cell_dims(matrix.num_dims()), *box);
  return true;
}

/// The instances that read existing versions. Versions below the first one hold nothing that a rule may read: `T<k-1>`
/// of `T<2..4>` needs k > 2.
Region with_version(const Inference& in, const RegionAccess& access, const Region& domain) {
  const std::int64_t first = in.transform.matrices[access.matrix].first_version;
  if (first == 0 || access.is_optional()) return domain;
  const Formula& version = access.lo.back();
  // An access to all versions, or to a fixed range of them, includes those below the first.
  const bool is_chosen = access.is_slice || access.kind == AccessKind::Cell || has_rule_var(version);
  if (!is_chosen) return domain;
  const Relation relation{version, RelationOp::GreaterEqual, {IntLiteral{first}, version.span}, version.span};
  return keep_where(domain, relation, in.scope).value_or(domain);
}

/// The instances of `domain` with a cell in an output. Regions such as `OUT.region(i, n)` lie in their matrices for all
/// `i >= 0`, and have no cells beyond `n`.
Region with_cells(const Rule& rule, const Region& domain) {
  Region out;
  for (const RegionAccess& output : rule.outputs) {
    const Region some = output.cells.domain();
    out = out.is_known() ? out.unite(some) : some;
  }
  return domain.intersect(out);
}

void infer_domain(Inference& in, Rule& rule, const std::vector<std::string>& vars) {
  Region domain = Region::universe(in.context, vars);
  const auto visit = [&](const std::vector<RegionAccess>& accesses) {
    for (const RegionAccess& access : accesses)
      if (!access.is_optional())
        domain = keep_inside(domain, access, in.transform.matrices[access.matrix], in.scope).value_or(Region());
  };
  visit(rule.outputs);
  visit(rule.inputs);
  for (const RegionAccess& input : rule.inputs)
    if (domain.is_known()) domain = with_version(in, input, domain);
  if (domain.is_known()) domain = narrowed_by_where(in, rule, std::move(domain));
  if (domain.is_known() && !is_bounded(domain)) domain = with_cells(rule, domain);
  rule.domain = domain.coalesce();
}

/// The cells that instances read through a border: those to which the border maps their coordinates.
RegionMap mapped_cells(const Inference& in, const RegionAccess& access, const Region& domain) {
  const Matrix& matrix = in.transform.matrices[access.matrix];
  std::vector<BorderedInterval> box;
  for (std::size_t d = 0; d < access.lo.size(); ++d) {
    const IndexExpr size = to_index_expr(matrix.extents[d], in.scope).value_or(index_const(0));
    const auto lo = affine_coordinate(in, access.lo[d]);
    const bool is_tested =
        std::find(access.tested_dims.begin(), access.tested_dims.end(), d) != access.tested_dims.end();
    if (is_tested || !lo) {
      box.push_back({{index_const(0), size}, size, Border::None});
    } else {
      box.push_back(
          {{*lo, index_add(*lo, index_const(1))}, size, access.is_mapped_dim(d) ? access.border : Border::None});
    }
  }
  return border_cells(domain.intersect_parameters(in.known), cell_dims(matrix.num_dims()), box);
}

void restrict_accesses(Inference& in, Rule& rule) {
  for (RegionAccess& access : rule.outputs) access.cells = access.cells.intersect_domain(rule.domain);
  for (RegionAccess& access : rule.inputs) {
    if (access.num_mapped_dims > 0) {
      access.cells = mapped_cells(in, access, rule.domain);
      continue;
    }
    access.cells = access.cells.intersect_domain(rule.domain);
    if (!access.is_optional()) continue;
    const Matrix& matrix = in.transform.matrices[access.matrix];
    const auto cells = matrix_cells(in.context, matrix, in.scope);
    if (cells) access.cells = access.cells.intersect_range(*cells);
    const auto readers = keep_inside(rule.domain, access, matrix, in.scope);
    if (readers) access.cells = access.cells.intersect_domain(*readers);
  }
}

/// The instances whose regions lie inside their matrices, whatever the rule's `where` says.
Region inside_matrices(Inference& in, const Rule& rule) {
  Region out = Region::universe(in.context, names_of(rule.vars));
  for (const auto* accesses : {&rule.outputs, &rule.inputs})
    for (const RegionAccess& access : *accesses)
      if (!access.is_optional())
        out = keep_inside(out, access, in.transform.matrices[access.matrix], in.scope).value_or(out);
  return out;
}

/// The size variables that stand alone as coordinates, in words; empty if there are none.
std::string sizes_as_coordinates(const Rule& rule) {
  std::vector<std::string> names;
  for (const auto* accesses : {&rule.outputs, &rule.inputs}) {
    for (const RegionAccess& access : *accesses) {
      if (access.kind == AccessKind::All) continue;
      for (const Formula& at : access.lo) {
        const auto* symbol = std::get_if<SymbolRef>(&at.node);
        if (symbol == nullptr || symbol->kind != SymbolKind::SizeVar) continue;
        const std::string name = "`" + symbol->name + "`";
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out.empty() ? out : out + (names.size() == 1 ? " occurs" : " occur");
}

bool is_empty_for_large(const Inference& in, const Region& instances) {
  return is_empty_for_large(instances.intersect_parameters(in.known), in.transform.size_names());
}

void warn_of_nowhere(Inference& in, const Rule& rule) {
  const auto is_never = [&](const Region& instances) { return is_empty_for_large(in, instances); };
  const Region inside = inside_matrices(in, rule);
  const bool is_by_where = !is_never(inside);
  auto builder = in.diags.emit(DiagKind::RuleNeverApplies, rule.span).arg(rule.name);
  builder.arg(rule.domain.intersect_parameters(in.known).is_empty() ? "" : " where sizes are large");
  builder.arg(is_by_where ? "with all its regions inside their matrices fulfils its `where`"
                          : "has all its regions inside their matrices");
  for (const RegionAccess& access : rule.inputs) {
    const Matrix& matrix = in.transform.matrices[access.matrix];
    const auto alone = keep_inside(Region::universe(in.context, names_of(rule.vars)), access, matrix, in.scope);
    if (alone && is_never(*alone))
      builder.note(access.span, "`" + access_text(in.transform, access) + "` is never inside `" + matrix.name + "`");
  }
  if (const std::string names = sizes_as_coordinates(rule); !is_by_where && !names.empty())
    builder.hint(names + " in the sizes of matrices: size variables, one value each; give rule variables other names");
  if (!is_by_where) return;
  for (const Relation& relation : rule.where) {
    const auto alone = keep_where(inside, relation, in.scope);
    if (alone && is_never(*alone)) builder.note(relation.span, "this holds for none of them");
  }
  for (const Disjunction& disjunction : rule.where_any)
    if (are_affine(disjunction) && is_never(where_any_holds(in, disjunction, inside)))
      builder.note(disjunction.span, "this holds for none of them");
}

/// Infers the domain; notes whether it has instances.
void infer_rule(Inference& in, TransformId id, Rule& rule, Applicability& applicability) {
  const std::vector<std::string> vars = names_of(rule.vars);
  bool ok = true;
  for (RegionAccess& access : rule.outputs) ok = infer_access(in, access, true, vars) && ok;
  for (RegionAccess& access : rule.inputs) ok = infer_access(in, access, false, vars) && ok;
  if (!ok) return;
  infer_domain(in, rule, vars);
  if (!rule.domain.is_known()) return;
  restrict_accesses(in, rule);
  if (is_empty_for_large(in, rule.domain))
    applicability.nowhere.emplace_back(id, &rule);
  else
    applicability.somewhere.insert(declared(in.transform, rule));
}

/// Warns once of each rule that applies in no instance of its transform.
void warn_of_unused(const RegionContext& context, Program& program, const Applicability& applicability,
                    Diagnostics& diags) {
  std::set<DeclaredRule> seen = applicability.somewhere;
  for (const auto& [id, rule] : applicability.nowhere) {
    Transform& transform = program.transforms[id];
    if (!seen.insert(declared(transform, *rule)).second) continue;
    const RegionLimit limit(context);
    const Region known = known_sizes(context, transform);
    Inference in{context, transform, diags, known, formula_scope(transform, known)};
    warn_of_nowhere(in, *rule);
    context.clear_limit_exceeded();
  }
}

/// Infers the regions of one transform. Returns false after an error.
bool infer_transform(const RegionContext& context, Program& program, TransformId id, Applicability& applicability,
                     Diagnostics& messages) {
  Transform& transform = program.transforms[id];
  std::optional<RegionLimit> limit(std::in_place, context);
  const Region known = known_sizes(context, transform);
  Inference in{context, transform, messages, known, formula_scope(transform, known)};
  for (Rule& rule : transform.rules) {
    limit.emplace(context);  // each rule has a limit of its own, because a transform may have many rules
    infer_rule(in, id, rule, applicability);
  }
  in.ok = in.ok && find_tried_rules(transform, in.diags);
  if (context.limit_exceeded()) {
    messages.emit(DiagKind::RegionsTooComplex, transform.span).arg(transform.name);
    context.clear_limit_exceeded();
    in.ok = false;
  }
  return in.ok;
}

}  // namespace

bool infer_regions(Program& program, Diagnostics& diags) {
  const RegionContext context;
  Applicability applicability;
  bool ok = true;
  for (const TransformId id : program.transforms.ids()) {
    Diagnostics messages;
    const bool is_known = infer_transform(context, program, id, applicability, messages);
    diags.add_new(messages, program.instance_note(id));
    ok = ok && is_known;
  }
  warn_of_unused(context, program, applicability, diags);
  return ok;
}

bool infer_regions(Program& program, TransformId id) {
  const RegionContext context;
  Applicability applicability;
  Diagnostics messages;
  return infer_transform(context, program, id, applicability, messages) && !messages.has_errors();
}

}  // namespace pb
