// SPDX-License-Identifier: MIT
#include "clgen/facts/watched_args.h"

#include <algorithm>

#include "lang/body/new_matrix.h"

namespace pb {
namespace {

/// Adds the expressions from which the matrix of an argument may come: the name at the root of `b.region(…).row(…)` or
/// `rows[i]`, both of `even ? x : y`, each argument of `pick(x, y)`, and the expression itself if it has none of these
/// forms.
void add_roots(const Body& body, ExprId id, std::vector<ExprId>& roots) {
  const auto& node = body.exprs[id].node;
  if (const auto* member = std::get_if<MemberExpr>(&node)) return add_roots(body, member->object, roots);
  if (const auto* subscript = std::get_if<SubscriptExpr>(&node)) return add_roots(body, subscript->object, roots);
  if (const auto* cast = std::get_if<CastExpr>(&node)) return add_roots(body, cast->operand, roots);
  if (const auto* unary = std::get_if<UnaryExpr>(&node)) return add_roots(body, unary->operand, roots);
  if (const auto* assign = std::get_if<AssignExpr>(&node)) {
    add_roots(body, assign->lhs, roots);
    return add_roots(body, assign->rhs, roots);
  }
  if (const auto* binary = std::get_if<BinaryExpr>(&node)) {
    add_roots(body, binary->lhs, roots);
    return add_roots(body, binary->rhs, roots);
  }
  if (const auto* conditional = std::get_if<ConditionalExpr>(&node)) {
    add_roots(body, conditional->if_true, roots);
    return add_roots(body, conditional->if_false, roots);
  }
  roots.push_back(id);
  if (const auto* call = std::get_if<CallExpr>(&node); call != nullptr && allocated_element(call->callee).empty())
    for (const ExprId arg : call->args) add_roots(body, arg, roots);
}

/// Matrices of the callee in the order of its arguments.
std::vector<MatrixId> params_of(const Program& program, const TransformCall& call) {
  if (call.targets.empty()) return {};
  const Transform& callee = program.transforms[call.targets[0]];
  std::vector<MatrixId> out = callee.matrices_of(MatrixRole::To);
  for (const MatrixId id : callee.matrices_of(MatrixRole::From)) out.push_back(id);
  return out;
}

bool touches_writable(const RuleFacts& facts) {
  const auto is_touched = [](const RegionUse& use) { return use.needs_handle && use.is_touched; };
  return std::any_of(facts.outputs.begin(), facts.outputs.end(), is_touched) ||
         std::any_of(facts.temporaries.begin(), facts.temporaries.end(), is_touched);
}

}  // namespace

std::vector<WatchedArg> find_watched_args(const Program& program, const Rule& rule, const RuleFacts& facts,
                                          const TransformCall& call) {
  std::vector<WatchedArg> out;
  const std::vector<MatrixId> params = params_of(program, call);
  // A local may be another name of a region that the text touches under the region's own name.
  const bool watches_own = facts.touches_handles || (facts.has_handles && touches_writable(facts));
  for (std::size_t i = 0; i < call.args.size() && i < params.size(); ++i) {
    if (program.transforms[call.targets[0]].matrices[params[i]].extents.empty()) continue;
    std::vector<ExprId> roots;
    add_roots(rule.body, call.args[i], roots);
    WatchedArg arg{i, std::holds_alternative<NameExpr>(rule.body.exprs[call.args[i]].node), false};
    bool is_watched = false;
    for (const ExprId root : roots) {
      const NameBinding& binding = rule.body_types.bindings[root.index()];
      if (binding.kind == NameKind::Output) {
        is_watched |= facts.outputs[binding.index].is_touched;
        arg.is_own |= facts.outputs[binding.index].may_be_renamed;
      } else if (binding.kind == NameKind::Temporary) {
        is_watched |= facts.temporaries[binding.index].is_touched;
        arg.is_own |= facts.temporaries[binding.index].may_be_renamed;
      } else if (binding.kind != NameKind::Input) {
        // A name of a prefix block may be that of any matrix.
        const bool is_foreign =
            binding.kind == NameKind::Unknown && std::holds_alternative<NameExpr>(rule.body.exprs[root].node);
        arg.is_own = true;
        is_watched |= watches_own || is_foreign;
      }
    }
    if (is_watched) out.push_back(arg);
  }
  return out;
}

bool spawns_own_regions(const Program& program, const Rule& rule, const RuleFacts& facts) {
  return std::any_of(rule.calls.begin(), rule.calls.end(), [&](const TransformCall& call) {
    const auto* stmt = std::get_if<TransformCallStmt>(&rule.body.stmts[call.stmt].node);
    if (stmt == nullptr || !stmt->is_spawn) return false;
    const std::vector<WatchedArg> watched = find_watched_args(program, rule, facts, call);
    return std::any_of(watched.begin(), watched.end(), [](const WatchedArg& arg) { return arg.is_own; });
  });
}

}  // namespace pb
