// SPDX-License-Identifier: MIT
// Rules of one transform: their parts, their names, and the rules that `function` and
// `duplicate` stand for.
#include <algorithm>
#include <string>
#include <utility>

#include "frontend/resolve/affine_form.h"
#include "frontend/resolve/resolve_rule.h"

namespace pb::resolving {
namespace {

/// `OUT#2`, `P+Q#1`: the outputs in header order, and the position among the rules of the same outputs
/// (docs/reference/language.md 20.3).
std::string derived_name(const TransformScope& scope, const ast::Rule& rule, std::map<std::string, int>& positions) {
  std::string joined;
  for (const Matrix& matrix : scope.out.matrices) {
    const bool is_output = std::any_of(rule.outputs.begin(), rule.outputs.end(), [&](const ast::RegionBinding& output) {
      return output.region.matrix.text == matrix.name;
    });
    if (is_output) joined += (joined.empty() ? "" : "+") + matrix.name;
  }
  const int position = ++positions[joined];  // rules with labels count, too, so that a new label renames no other rule
  return joined + "#" + std::to_string(position);
}

/// The names of rules: labels, and names made for rules without one. A second rule of a label gets a number that no
/// other name has.
std::vector<std::string> rule_names(const TransformScope& scope, const std::vector<ast::Rule>& rules) {
  std::vector<std::string> names;
  std::map<std::string, int> positions;
  for (const ast::Rule& rule : rules) {
    const std::string derived = derived_name(scope, rule, positions);
    names.push_back(rule.label ? rule.label->text : derived);
  }
  std::map<std::string, Span> labels;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!rules[i].label) continue;
    const std::string label = names[i];
    const auto [first, is_new] = labels.emplace(label, rules[i].label->span);
    if (is_new) continue;
    std::string numbered;
    for (int number = 2; numbered.empty() || std::find(names.begin(), names.end(), numbered) != names.end(); ++number)
      numbered = label + "#" + std::to_string(number);
    names[i] = numbered;
    scope.diags.emit(DiagKind::DuplicateLabel, rules[i].label->span)
        .arg(label)
        .arg(names[i])
        .label(first->second, "first used here");
  }
  return names;
}

/// Reports a name that already means something else in this rule.
void check_binding(RuleScope& rule, const std::string& name, Span span, std::map<std::string, Span>& used) {
  if (name.empty()) return;
  const auto [found, is_new] = used.emplace(name, span);
  if (is_new) return;
  rule.ok = false;
  rule.transform.diags.emit(DiagKind::DuplicateRegionName, span).arg(name).label(found->second, "first used here");
}

void check_binding_names(RuleScope& rule) {
  std::map<std::string, Span> used;
  for (const RegionAccess& output : rule.out.outputs) check_binding(rule, output.binding, output.binding_span, used);
  for (const RegionAccess& input : rule.out.inputs) check_binding(rule, input.binding, input.binding_span, used);
  for (const RuleTemporary& temporary : rule.out.temporaries) check_binding(rule, temporary.name, temporary.span, used);
  const TransformScope& scope = rule.transform;
  for (const auto& [name, span] : used) {
    // A rule with temporaries must not hide a size, because their extents are computed where the region's name is
    // visible.
    const bool is_size = scope.size_vars.contains(name);
    if (is_size && rule.out.temporaries.empty()) {
      scope.diags.emit(DiagKind::RegionHidesSize, span).arg(name).hint("rename the region to use both in the body");
      continue;
    }
    const char* what = rule.rule_vars.contains(name)    ? "a rule variable"
                       : is_size                        ? "a size variable"
                       : scope.tunables.contains(name)  ? "a tunable"
                       : scope.constants.contains(name) ? "a template parameter"
                       : rule.constants.contains(name)  ? "a `duplicate` variable"
                                                        : nullptr;
    if (!what) continue;
    rule.ok = false;
    scope.diags.emit(DiagKind::RegionNameTaken, span).arg(name).arg(what);
  }
}

void resolve_temporaries(RuleScope& rule) {
  const FormulaNames names{rule.transform, &rule.rule_vars, &rule.constants, "size"};
  for (const ast::Matrix& source : rule.source.temporaries) {
    RuleTemporary temporary;
    temporary.name = source.name.text;
    temporary.element = source.element.value_or(rule.transform.element);
    temporary.is_element_t = !source.element;
    temporary.span = source.name.span;
    for (const Formula& extent : source.extents) temporary.extents.push_back(bind_formula(extent, names, rule.ok));
    if (source.versions)
      temporary.extents.push_back(bind_formula(extent_of_versions(*source.versions), names, rule.ok));
    rule.out.temporaries.push_back(std::move(temporary));
  }
}

void resolve_accesses(RuleScope& rule) {
  for (const ast::RegionBinding& output : rule.source.outputs) {
    auto access = resolve_access(rule, output, true);
    if (access) rule.out.outputs.push_back(std::move(*access));
    rule.ok &= !rule.out.outputs.empty();
  }
  for (const ast::RegionBinding& input : rule.source.inputs) {
    auto access = resolve_access(rule, input, false);
    if (access) rule.out.inputs.push_back(std::move(*access));
  }
  rule.ok &=
      rule.out.outputs.size() == rule.source.outputs.size() && rule.out.inputs.size() == rule.source.inputs.size();
  if (!rule.ok) return;
  const RegionAccess& first = rule.out.outputs.front();
  if (rule.out.is_return_form && first.kind != AccessKind::Cell) {
    rule.ok = false;
    rule.transform.diags.emit(DiagKind::ReturnFormNeedsElement, first.span)
        .hint("name the region: `to (" + rule.transform.out.matrices[first.matrix].name + " out) from ...`");
  }
}

Relation bind_relation(RuleScope& rule, const Relation& relation) {
  const FormulaNames names{rule.transform, &rule.rule_vars, &rule.constants, "relation"};
  auto [lhs, rhs] = bind_sides(relation.lhs, relation.rhs, names, rule.ok);
  return {std::move(lhs), relation.op, std::move(rhs), relation.span};
}

using Conjunctions = std::vector<std::vector<Relation>>;

/// Returns the condition as a list of conjunctions, one of which must hold.
Conjunctions conjunctions_of(RuleScope& rule, const ast::Condition& condition) {
  if (const auto* relation = std::get_if<Relation>(&condition.node)) return {{bind_relation(rule, *relation)}};
  const auto& junction = std::get<ast::Junction>(condition.node);
  Conjunctions out;
  if (!junction.is_or) out.emplace_back();
  for (const ast::Condition& operand : junction.operands) {
    const Conjunctions more = conjunctions_of(rule, operand);
    if (junction.is_or) {
      out.insert(out.end(), more.begin(), more.end());
      continue;
    }
    Conjunctions product;
    for (const auto& left : out) {
      for (const auto& right : more) {
        product.push_back(left);
        product.back().insert(product.back().end(), right.begin(), right.end());
      }
    }
    out = std::move(product);
  }
  return out;
}

/// Adds the relations of a condition to Rule::where, or, if they are joined by `or`, to Rule::where_any.
void resolve_where(RuleScope& rule, const ast::Condition& condition) {
  if (const auto* relation = std::get_if<Relation>(&condition.node)) {
    rule.out.where.push_back(bind_relation(rule, *relation));
    return;
  }
  const auto& junction = std::get<ast::Junction>(condition.node);
  if (junction.is_or) {
    rule.out.where_any.push_back({conjunctions_of(rule, condition), condition.span});
    return;
  }
  for (const ast::Condition& operand : junction.operands) resolve_where(rule, operand);
}

std::int64_t value_of(const Formula& constant) {
  if (const auto* literal = std::get_if<IntLiteral>(&constant.node)) return literal->value;
  return -value_of(std::get<NegatedFormula>(constant.node).operand.front());
}

/// A rule as written, with what all its `duplicate`s share.
struct RuleSource {
  const ast::Rule& rule;
  std::string name;
  Body body;
};

void resolve_rule(TransformScope& scope, const RuleSource& written, const std::string& name,
                  std::map<std::string, Formula> constants) {
  const ast::Rule& source = written.rule;
  Rule out;
  out.name = name;
  out.has_label = source.label.has_value();
  out.priority = source.priority;
  out.is_return_form = source.is_return_form;
  out.is_distinct = source.is_distinct;
  out.span = source.span;
  RuleScope rule{scope, source, out, std::move(constants), {}, true};
  if (source.outputs.empty()) {
    scope.diags.emit(DiagKind::RuleWithoutOutput, source.span);
    return;
  }
  collect_rule_vars(rule);
  resolve_accesses(rule);
  if (rule.ok) solve_rule_vars(rule);
  resolve_temporaries(rule);
  if (source.where) resolve_where(rule, *source.where);
  if (!rule.ok) return;
  check_binding_names(rule);
  out.body = written.body;
  for (const auto& [constant, value] : rule.constants) out.constants.push_back({constant, value_of(value)});
  for (Constant& constant : accuracy_constants(scope.out)) out.constants.push_back(std::move(constant));
  scope.out.rules.add(std::move(out));
}

constexpr std::int64_t kMaxDuplicates = 1000;

/// Makes one rule per combination of the `duplicate` variables; the first variable changes fastest.
void resolve_duplicates(TransformScope& scope, const RuleSource& written) {
  const ast::Rule& source = written.rule;
  const std::string& name = written.name;
  std::int64_t total = 1;
  for (const ast::Duplicate& duplicate : source.duplicates) {
    const std::int64_t count = duplicate.hi - duplicate.lo + 1;
    const bool is_taken =
        scope.matrices.contains(duplicate.name.text) || scope.tunables.contains(duplicate.name.text) ||
        scope.size_vars.contains(duplicate.name.text) || scope.constants.contains(duplicate.name.text);
    if (is_taken) {
      scope.diags.emit(DiagKind::DuplicateName, duplicate.name.span).arg(duplicate.name.text);
      return;
    }
    if (duplicate.hi < duplicate.lo || count > kMaxDuplicates || total * count > kMaxDuplicates) {
      scope.diags.emit(DiagKind::DuplicateRange, duplicate.span)
          .arg(duplicate.lo)
          .arg(duplicate.hi)
          .arg(kMaxDuplicates);
      return;
    }
    total *= count;
  }
  for (std::int64_t index = 0; index < total; ++index) {
    std::map<std::string, Formula> constants = scope.constants;
    std::string suffix;
    std::int64_t rest = index;
    for (const ast::Duplicate& duplicate : source.duplicates) {
      const std::int64_t count = duplicate.hi - duplicate.lo + 1;
      const std::int64_t value = duplicate.lo + rest % count;
      rest /= count;
      constants.emplace(duplicate.name.text, make_int(value, duplicate.name.span));
      suffix += (suffix.empty() ? "" : ",") + duplicate.name.text + "=" + std::to_string(value);
    }
    resolve_rule(scope, written, suffix.empty() ? name : name + "[" + suffix + "]", std::move(constants));
  }
}

/// Each body of a function is a rule over whole matrices that keep their names (docs/reference/language.md 4.12).
std::vector<ast::Rule> rules_of_function(const ast::Transform& source) {
  ast::Rule header;
  for (const ast::MatrixClause& clause : source.matrix_clauses) {
    for (const ast::Matrix& matrix : clause.matrices) {
      ast::RegionBinding binding;
      binding.region.matrix = matrix.name;
      binding.region.span = matrix.name.span;
      binding.name = matrix.name;
      binding.span = matrix.name.span;
      const bool is_input = clause.kind == ast::MatrixClauseKind::From;
      (is_input ? header.inputs : header.outputs).push_back(std::move(binding));
    }
  }
  header.span = source.name.span;
  std::vector<ast::Rule> rules;
  for (const Body& body : source.alternatives) {
    rules.push_back(header);
    rules.back().body = body;
  }
  return rules;
}

}  // namespace

void resolve_rules(TransformScope& scope) {
  const bool is_function = scope.source.kind == ast::TransformKind::Function;
  const std::vector<ast::Rule> of_function = is_function ? rules_of_function(scope.source) : std::vector<ast::Rule>{};
  const std::vector<ast::Rule>& rules = is_function ? of_function : scope.source.rules;
  const std::vector<std::string> names = rule_names(scope, rules);
  for (std::size_t i = 0; i < rules.size(); ++i)
    resolve_duplicates(scope, {rules[i], names[i], with_for_enough(scope, rules[i].body)});
}

}  // namespace pb::resolving
