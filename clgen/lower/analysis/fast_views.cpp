// SPDX-License-Identifier: MIT
#include "clgen/lower/analysis/fast_views.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "lang/body/body_walk.h"

namespace pb {
namespace {

/// Whether the body itself writes elements of a matrix and reads others. Compilers can vectorise such a body only if
/// they know that the matrices share no memory.
bool writes_among_reads(const RuleShape& rule) {
  if (!rule.rule.tried.empty()) return false;
  const bool writes = std::any_of(rule.rule.outputs.begin(), rule.rule.outputs.end(),
                                  [](const RegionAccess& output) { return !is_element(output); });
  return writes && rule.matrices.size() > 1;
}

/// Whether the rule knows the matrix by one name only.
bool has_one_name(const Rule& rule, MatrixId id) {
  const auto is_it = [&](const RegionAccess& access) { return access.matrix == id; };
  return std::count_if(rule.outputs.begin(), rule.outputs.end(), is_it) +
             std::count_if(rule.inputs.begin(), rule.inputs.end(), is_it) ==
         1;
}

}  // namespace

std::optional<FastViews> find_fast_views(const RuleShape& rule) {
  FastViews out;
  const bool must_be_apart = writes_among_reads(rule);
  std::vector<Condition> terms;
  for (const RuleMatrix& use : rule.matrices) {
    if (use.needs_handle || rule.matrix(use.matrix).num_dims() == 0) continue;
    terms.push_back(has_unit_stride(use.matrix));
    if (must_be_apart && has_one_name(rule.rule, use.matrix)) out.apart.push_back(use.matrix);
  }
  if (terms.empty()) return std::nullopt;
  for (std::size_t i = 0; i < rule.matrices.size() && must_be_apart; ++i) {
    if (!rule.matrices[i].is_output) continue;
    for (std::size_t k = 0; k < rule.matrices.size(); ++k) {
      if (k == i || (k < i && rule.matrices[k].is_output)) continue;
      terms.push_back(are_apart(rule.matrices[i].matrix, rule.matrices[k].matrix));
    }
  }
  out.condition = Condition::all_of(std::move(terms));
  return out;
}

bool may_loop(const Rule& rule) {
  bool result = false;
  walk(
      rule.body, rule.body.root,
      [&](StmtId id) {
        const Stmt& stmt = rule.body.stmts[id];
        result |= is_loop(stmt) || std::holds_alternative<OpaqueStmt>(stmt.node);
      },
      [](ExprId) {});
  return result;
}

}  // namespace pb
