// SPDX-License-Identifier: MIT
// Rule variables (docs/reference/language.md 5.3): the names that output coordinates introduce, and from
// which coordinate of the centre each is obtained.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/resolve_rule.h"
#include "lang/check.h"
#include "lang/overloaded.h"

namespace pb::resolving {
namespace {

bool has_rule_var(const Formula& formula) { return !symbols_of(formula, SymbolKind::RuleVar).empty(); }

/// Returns `formula` with each maximal part without rule variables replaced by one opaque name. Such a part is a
/// parameter, whatever it holds: `n*m + i` is affine in `i`.
Formula hide_parameters(const Formula& formula) {
  const auto hidden = [&]() -> Formula {
    if (std::holds_alternative<IntLiteral>(formula.node)) return formula;
    const auto form = affine_form(formula);
    if (form) return formula;
    return {SymbolRef{SymbolKind::SizeVar, "(" + to_string(formula) + ")"}, formula.span};
  };
  if (!has_rule_var(formula)) return hidden();
  return std::visit(
      Overloaded{[&](const BinaryFormula& binary) {
                   return Formula{
                       BinaryFormula{binary.op,
                                     {hide_parameters(binary.operands[0]), hide_parameters(binary.operands[1])}},
                       formula.span};
                 },
                 [&](const NegatedFormula& negated) {
                   return Formula{NegatedFormula{{hide_parameters(negated.operand.front())}}, formula.span};
                 },
                 [&](const SymbolRef&) { return formula; }, [&](const IntLiteral&) { return formula; },
                 [&](const RealLiteral&) { return formula; }},
      formula.node);
}

/// Whether the formula divides a rule variable. C division truncates, so such a variable is not affine even if its
/// coefficient comes out whole.
bool divides_rule_var(const Formula& formula) {
  if (const auto* negated = std::get_if<NegatedFormula>(&formula.node))
    return divides_rule_var(negated->operand.front());
  const auto* binary = std::get_if<BinaryFormula>(&formula.node);
  if (!binary) return false;
  if (binary->op == FormulaOp::Div && has_rule_var(formula)) return true;
  return divides_rule_var(binary->operands[0]) || divides_rule_var(binary->operands[1]);
}

/// The affine form of `coord` if every rule variable has a whole constant coefficient in it.
std::optional<AffineForm> affine_in_rule_vars(const RuleScope& rule, const Formula& coord) {
  if (divides_rule_var(coord)) return std::nullopt;
  auto form = affine_form(hide_parameters(coord));
  if (!form) return std::nullopt;
  for (const auto& [name, coefficient] : form->terms) {
    if (rule.rule_vars.contains(name) && !coefficient.is_integer()) return std::nullopt;
  }
  return form;
}

/// The centre of a rule: its output with the most dimensions, of several the first.
const RegionAccess& centre_of(const Rule& rule) {
  const RegionAccess* best = &rule.outputs.front();
  for (const RegionAccess& output : rule.outputs) {
    if (output.lo.size() > best->lo.size()) best = &output;
  }
  return *best;
}

bool check_affine_outputs(RuleScope& rule) {
  bool ok = true;
  for (const RegionAccess& output : rule.out.outputs) {
    for (const auto* corner : {&output.lo, &output.hi}) {
      for (std::size_t dim = 0; dim < corner->size(); ++dim) {
        const Formula& coord = (*corner)[dim];
        if (!has_rule_var(coord) || affine_in_rule_vars(rule, coord)) continue;
        const bool is_corner = output.kind == AccessKind::Region && !output.is_fixed_dim(dim);
        if (corner == &output.hi && !is_corner) continue;  // the coordinate equals that of `lo` and is reported there
        rule.transform.diags.emit(DiagKind::NonAffineOutput, coord.span)
            .arg(to_string(coord))
            .hint(
                "give the matrix a dimension of its own for each rule variable, or write all of it in one rule with "
                "loops");
        ok = false;
      }
    }
  }
  return ok;
}

Span first_use(const RuleScope& rule, const std::string& name) {
  for (const RegionAccess& output : rule.out.outputs) {
    for (const auto* corner : {&output.lo, &output.hi}) {
      for (const Formula& coord : *corner) {
        const auto names = symbols_of(coord, SymbolKind::RuleVar);
        if (std::find(names.begin(), names.end(), name) != names.end()) return coord.span;
      }
    }
  }
  return rule.source.span;
}

/// Whether one of the coordinates names the rule variable.
bool names(const std::vector<Formula>& coordinates, const std::string& variable) {
  return std::any_of(coordinates.begin(), coordinates.end(), [&](const Formula& coordinate) {
    const auto symbols = symbols_of(coordinate, SymbolKind::RuleVar);
    return std::find(symbols.begin(), symbols.end(), variable) != symbols.end();
  });
}

}  // namespace

void collect_rule_vars(RuleScope& rule) {
  const TransformScope& scope = rule.transform;
  for (const ast::RegionBinding& output : rule.source.outputs) {
    std::vector<Formula> coords = output.region.coords;
    if (output.region.version) coords.push_back(*output.region.version);
    for (const Formula& coord : coords) {
      for (const std::string& name : names_in(coord)) {
        const bool is_known = scope.matrices.contains(name) || scope.tunables.contains(name) ||
                              scope.size_vars.contains(name) || scope.unusable.contains(name) ||
                              rule.constants.contains(name);
        if (!is_known) rule.rule_vars.insert(name);
      }
    }
  }
}

void solve_rule_vars(RuleScope& rule) {
  if (!check_affine_outputs(rule)) {
    rule.ok = false;
    return;
  }
  const RegionAccess& centre = centre_of(rule.out);
  std::set<std::string> unsolved = rule.rule_vars;
  std::vector<std::pair<std::size_t, std::string>> solved;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t dim = 0; dim < centre.lo.size(); ++dim) {
      const auto form = affine_in_rule_vars(rule, centre.lo[dim]);
      PB_CHECK(form, "outputs were checked to be affine");
      std::vector<std::string> open;
      for (const auto& [name, coefficient] : form->terms) {
        if (unsolved.contains(name)) open.push_back(name);
      }
      if (open.size() != 1) continue;
      unsolved.erase(open.front());
      solved.emplace_back(dim, open.front());
      progress = true;
    }
  }
  std::sort(solved.begin(), solved.end());
  for (const auto& [dim, name] : solved) rule.out.vars.push_back({name, first_use(rule, name)});
  for (const std::string& name : unsolved) {
    rule.ok = false;
    auto report = rule.transform.diags.emit(DiagKind::RuleVariableNotSolvable, first_use(rule, name));
    report.arg(name).label(
        centre.span, "the output with the most dimensions: each rule variable must follow from one of its coordinates");
    if (names(centre.hi, name) && !names(centre.lo, name))
      report.hint(
          "it must follow from where a region begins, not from where it ends; a rule of the whole matrix can loop "
          "over `" +
          name + "`");
  }
}

}  // namespace pb::resolving
