// SPDX-License-Identifier: MIT
// The hidden tunables of `for_enough` loops (docs/reference/language.md 7.5): one per loop as written, counted per
// transform.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "frontend/resolve/resolve_rule.h"

namespace pb::resolving {
namespace {

/// The loops of a body in the order of its text.
std::vector<StmtId> loops_of(const Body& body) {
  std::vector<StmtId> out;
  for (const StmtId id : body.stmts.ids())
    if (std::holds_alternative<ForEnoughStmt>(body.stmts[id].node)) out.push_back(id);
  std::sort(out.begin(), out.end(),
            [&](StmtId a, StmtId b) { return body.stmts[a].tokens.begin < body.stmts[b].tokens.begin; });
  return out;
}

UserTunable hidden_tunable(std::string name, const ForEnoughStmt& loop, Span span) {
  UserTunable out;
  out.name = std::move(name);
  out.role = TunableRole::ForEnough;
  out.is_size_specific = true;
  out.initial = out.min = static_cast<double>(loop.min);
  out.max = static_cast<double>(loop.max);
  out.span = span;
  return out;
}

}  // namespace

Body with_for_enough(TransformScope& scope, const Body& source) {
  Body body = source;
  for (const StmtId id : loops_of(body)) {
    Stmt& stmt = body.stmts[id];
    auto& loop = std::get<ForEnoughStmt>(stmt.node);
    if (loop.min < 0 || loop.max < loop.min || loop.max > std::numeric_limits<int>::max()) {
      scope.diags.emit(DiagKind::ForEnoughRange, stmt.span).arg(loop.min).arg(loop.max);
      loop.max = loop.min = 1;
    }
    std::string name = "forenough_iterations_" + std::to_string(scope.num_for_enough++);
    loop.tunable = name;
    const auto [found, is_new] = scope.tunables.emplace(name, TunableId());
    if (is_new) {
      found->second = scope.out.tunables.add(hidden_tunable(std::move(name), loop, stmt.span));
    } else {
      scope.diags.emit(DiagKind::DuplicateName, scope.out.tunables[found->second].span)
          .arg(name)
          .label(stmt.span, "the name of the tunable of this loop");
    }
  }
  return body;
}

}  // namespace pb::resolving
