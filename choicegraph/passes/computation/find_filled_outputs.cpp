// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/find_filled_outputs.h"

#include <algorithm>

#include "choicegraph/passes/analysis/body_formulas.h"
#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

/// The statements of a loop's round.
std::vector<StmtId> stmts_in(const Body& body, StmtId loop) {
  return stmts_of(body, std::get<ForStmt>(body.stmts[loop].node).body);
}

/// Asks what statements do with the cells of an output.
class OutputUses {
 public:
  explicit OutputUses(const Rule& rule) : body_(rule.body), types_(rule.body_types) {}

  /// Whether each round gives its cell of the output a new value, and does nothing with it before.
  [[nodiscard]] bool stores_first(const MapLoop& map, std::size_t output) const {
    for (const StmtId stmt : stmts_in(body_, map.loop.loop)) {
      const auto* single = std::get_if<ExprStmt>(&body_.stmts[stmt].node);
      const auto* assign = single == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[single->expr].node);
      const bool is_store = assign != nullptr && !assign->is_compound && names(assign->lhs, output) &&
                            std::find(map.stores.begin(), map.stores.end(), single->expr) != map.stores.end();
      if (is_store) return !names(assign->rhs, output);
      if (may_use(stmt, output)) return false;
    }
    return false;
  }

  /// Whether the statement may use cells of the output, or leave what it stands in.
  [[nodiscard]] bool may_use(StmtId stmt, std::size_t output) const {
    bool found = false;
    walk(
        body_, stmt,
        [&](StmtId id) {
          const auto& node = body_.stmts[id].node;
          found |= std::holds_alternative<OpaqueStmt>(node) || std::holds_alternative<ReturnStmt>(node) ||
                   std::holds_alternative<BreakStmt>(node) || std::holds_alternative<ContinueStmt>(node) ||
                   std::holds_alternative<TransformCallStmt>(node) || std::holds_alternative<ForEnoughStmt>(node);
        },
        [&](ExprId id) {
          const auto& node = body_.exprs[id].node;
          found |= is_output(id, output) || std::holds_alternative<OpaqueExpr>(node) ||
                   std::holds_alternative<LambdaExpr>(node);
        });
    return found;
  }

 private:
  [[nodiscard]] bool names(ExprId expr, std::size_t output) const {
    bool found = false;
    walk_expr(body_, expr, [&](ExprId id) { found |= is_output(id, output); });
    return found;
  }

  [[nodiscard]] bool is_output(ExprId id, std::size_t output) const {
    const NameBinding& binding = types_.bindings[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding.kind == NameKind::Output &&
           binding.index == output;
  }

  const Body& body_;
  const BodyTypes& types_;
};

/// Whether the rounds of the loop are all coordinates of the output in a dimension.
bool is_whole(const Rule& rule, const Fold& loop, std::size_t output, std::size_t dim, const FormulaScope& scope) {
  const auto range = range_of(rule, loop);
  const auto size = size_of(rule.outputs[output], dim);
  const Formula zero = {IntLiteral{0}, {}};
  return range && size && never_holds(rule.domain, range->lowest, RelationOp::Greater, zero, scope) &&
         never_holds(rule.domain, range->end, RelationOp::Less, *size, scope);
}

/// The dimension in which a stored cell of the output has the loop's variable as coordinate.
std::optional<std::size_t> dim_of(const Rule& rule, const MapLoop& map, std::size_t output) {
  for (const ExprId store : map.stores) {
    const auto& cell = std::get<MemberExpr>(rule.body.exprs[target_of(rule.body, store)].node);
    if (rule.body_types.bindings[cell.object.index()].index != output) continue;
    for (std::size_t d = 0; d < cell.args.size(); ++d) {
      const NameBinding& binding = rule.body_types.bindings[cell.args[d].index()];
      if (binding.kind == NameKind::Local && binding.index == map.loop.local) return d;
    }
  }
  return std::nullopt;
}

/// Whether each round of the loop runs a loop that gives a line of the output new values, and both are whole.
bool fills_plane(const Rule& rule, const Computation& computation, const MapLoop& outer, std::size_t output,
                 const FormulaScope& scope) {
  const auto outer_dim = dim_of(rule, outer, output);
  for (const StmtId stmt : stmts_in(rule.body, outer.loop.loop)) {
    const MapLoop* inner = computation.find_map(stmt);
    if (inner != nullptr && OutputUses(rule).stores_first(*inner, output)) {
      const auto inner_dim = dim_of(rule, *inner, output);
      return outer_dim && inner_dim && outer_dim != inner_dim &&
             is_whole(rule, outer.loop, output, *outer_dim, scope) &&
             is_whole(rule, inner->loop, output, *inner_dim, scope);
    }
    if (OutputUses(rule).may_use(stmt, output)) return false;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> find_renewed(const Rule& rule, const MapLoop& map) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < rule.outputs.size(); ++i)
    if (rule.outputs[i].num_body_dims() == 1 && OutputUses(rule).stores_first(map, i)) out.push_back(i);
  return out;
}

std::vector<std::size_t> find_filled_outputs(const Rule& rule, const Computation& computation,
                                             const FormulaScope& scope) {
  const auto* block = std::get_if<BlockStmt>(&rule.body.stmts[rule.body.root].node);
  const auto is_filled = [&](std::size_t output) {
    for (const StmtId stmt : block->stmts) {
      const MapLoop* map = computation.find_map(stmt);
      const bool renews =
          map != nullptr && std::find(map->renewed.begin(), map->renewed.end(), output) != map->renewed.end();
      if (renews && is_whole(rule, map->loop, output, 0, scope)) return true;
      const bool is_plane = map != nullptr && rule.outputs[output].num_body_dims() == 2;
      if (is_plane && fills_plane(rule, computation, *map, output, scope)) return true;
      if (OutputUses(rule).may_use(stmt, output)) return false;
    }
    return false;
  };
  std::vector<std::size_t> out;
  for (std::size_t i = 0; block != nullptr && i < rule.outputs.size(); ++i)
    if (rule.outputs[i].num_body_dims() > 0 && is_filled(i)) out.push_back(i);
  return out;
}

}  // namespace pb::choices
