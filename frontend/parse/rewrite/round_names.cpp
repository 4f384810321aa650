// SPDX-License-Identifier: MIT
#include "frontend/parse/rewrite/round_names.h"

#include <algorithm>

#include "lang/formula.h"

namespace pb {

RoundNames::RoundNames(const ast::Transform& transform, const ast::Rule& rule, std::span<const Token> body)
    : transform_(transform), rule_(rule), body_(body) {
  note_known_names();
  for (const auto* list : {&rule_.outputs, &rule_.inputs})
    for (const ast::RegionBinding& binding : *list) note_variables(binding.region);
  for (const auto* list : {&rule_.outputs, &rule_.inputs})
    for (const ast::RegionBinding& binding : *list)
      if (binding.name && !variables_in(binding.region).empty())
        wholes_.emplace(binding.name->text, free_name("all_" + binding.name->text));
}

bool RoundNames::is_variable(const std::string& name) const {
  return std::find(vars_.begin(), vars_.end(), name) != vars_.end();
}

std::set<std::string> RoundNames::variables_in(const Formula& formula) const {
  std::set<std::string> out;
  for (const std::string& name : names_in(formula))
    if (!known_.contains(name)) out.insert(name);
  return out;
}

std::set<std::string> RoundNames::variables_in(const ast::Region& region) const {
  std::set<std::string> out;
  for (const Formula& coord : region.coords) out.merge(variables_in(coord));
  if (region.version) out.merge(variables_in(*region.version));
  return out;
}

const ast::Matrix* RoundNames::matrix_named(const std::string& name) const {
  for (const ast::MatrixClause& clause : transform_.matrix_clauses)
    for (const ast::Matrix& matrix : clause.matrices)
      if (matrix.name.text == name) return &matrix;
  return nullptr;
}

std::string RoundNames::free_name(std::string name) const {
  const auto is_taken = [&] {
    const auto is_it = [&](const ast::RegionBinding& binding) { return binding.name && binding.name->text == name; };
    const auto is_whole = [&](const auto& whole) { return whole.second == name; };
    return known_.contains(name) || is_variable(name) ||
           std::any_of(rule_.outputs.begin(), rule_.outputs.end(), is_it) ||
           std::any_of(rule_.inputs.begin(), rule_.inputs.end(), is_it) ||
           std::any_of(wholes_.begin(), wholes_.end(), is_whole) ||
           std::any_of(body_.begin(), body_.end(), [&](const Token& token) { return token.text == name; });
  };
  while (is_taken()) name += "_";
  return name;
}

void RoundNames::note_known_names() {
  const auto note = [&](const Formula& formula) {
    for (const std::string& name : names_in(formula)) sizes_.insert(name);
  };
  for (const ast::MatrixClause& clause : transform_.matrix_clauses)
    for (const ast::Matrix& matrix : clause.matrices) {
      known_.insert(matrix.name.text);
      for (const Formula& extent : matrix.extents) note(extent);
      if (!matrix.versions) continue;
      note(matrix.versions->last);
      if (matrix.versions->first) note(*matrix.versions->first);
    }
  for (const ast::Name& param : transform_.params) known_.insert(param.text);
  for (const ast::TemplateParam& param : transform_.template_params) known_.insert(param.name.text);
  for (const ast::Tunable& tunable : transform_.tunables) known_.insert(tunable.name.text);
  for (const ast::Duplicate& duplicate : rule_.duplicates) known_.insert(duplicate.name.text);
  for (const std::string& name : known_) sizes_.erase(name);
  known_.insert(sizes_.begin(), sizes_.end());
}

void RoundNames::note_variables(const ast::Region& region) {
  std::vector<Formula> coords = region.coords;
  if (region.version) coords.push_back(*region.version);
  for (const Formula& coord : coords)
    for (const std::string& name : names_in(coord))
      if (!known_.contains(name) && !is_variable(name)) vars_.push_back(name);
}

}  // namespace pb
