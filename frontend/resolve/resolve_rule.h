// SPDX-License-Identifier: MIT
// Resolving one rule: shared by the parts that do its variables, its accesses and its
// names. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontend/resolve/scope.h"

namespace pb::resolving {

/// State while one rule is resolved. `ok` turns false after the first error.
struct RuleScope {
  TransformScope& transform;
  const ast::Rule& source;
  Rule& out;
  std::map<std::string, Formula> constants;  ///< values of template parameters and `duplicate` variables
  std::set<std::string> rule_vars;
  bool ok = true;
};

/// Fills `rule.rule_vars` with the names that the coordinates of outputs introduce.
void collect_rule_vars(RuleScope& rule);
/// Writes one region out as a box; none after an error.
[[nodiscard]] std::optional<RegionAccess> resolve_access(RuleScope& rule, const ast::RegionBinding& source,
                                                         bool is_output);
/// Orders Rule::vars by the coordinates of the centre and checks that each can be solved
/// (docs/reference/language.md 5.3).
void solve_rule_vars(RuleScope& rule);
/// `source` with a hidden tunable for each of its `for_enough` loops, declared in `scope`.
[[nodiscard]] Body with_for_enough(TransformScope& scope, const Body& source);

}  // namespace pb::resolving
