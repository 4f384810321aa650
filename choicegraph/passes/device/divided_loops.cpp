// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/divided_loops.h"

#include <algorithm>
#include <set>

#include "choicegraph/passes/analysis/body_formulas.h"
#include "lang/body/body_walk.h"
#include "lang/region/affine.h"

namespace pb::choices {
namespace {

/// Cells as accumulators or as places are no variables of a work-item.
std::string why_order_counts(const Body& body, const Accumulator& accumulator, bool keeps_order) {
  const auto is_variable = [&](ExprId target) { return std::holds_alternative<NameExpr>(body.exprs[target].node); };
  const std::string name = "`" + accumulator.name + "`";
  if (accumulator.regrouping == Regrouping::Never) return "only the order of the source gives " + name + " its value";
  if (accumulator.regrouping == Regrouping::Rounds && keeps_order)
    return "another order would round in another way: " + to_words(accumulator);
  if (!is_variable(accumulator.target)) return "it updates a cell of " + name;
  for (const FoldPlace& place : accumulator.places)
    if (!is_variable(place.target) || !is_number(place.type)) return "`" + place.name + "` is no number of the body";
  return {};
}

std::string why_not_updated(const Accumulator& bins, bool keeps_order) {
  const std::string name = "`" + bins.name + "`";
  if (bins.regrouping == Regrouping::Never)
    return "only the order of the source gives the cells of " + name + " their values";
  if (bins.regrouping == Regrouping::Rounds && keeps_order)
    return "another order would round the cells of " + name + " in another way: " + to_words(bins);
  if (!is_number(bins.type)) return "the type of the cells of " + name + " is not known";
  return bins.places.empty() ? "" : "`" + bins.places.front().name + "` notes where a cell of " + name + " is from";
}

/// Whether the loop has the same number of rounds always, as one over `A.region(x-1, x+2)`.
bool has_constant_length(const Rule& rule, const Fold& loop) {
  const auto range = range_of(rule, loop);
  if (!range) return false;
  const auto length = to_rational(difference(range->end, range->lowest), {});
  return length && length->numerator.op == IndexExpr::Op::Const;
}

/// Whether a loop inside of this one repeats the expression.
bool is_repeated(const Body& body, StmtId loop, ExprId expr) {
  bool found = false;
  walk(
      body, std::get<ForStmt>(body.stmts[loop].node).body,
      [&](StmtId id) {
        if (is_loop(body.stmts[id]))
          walk(
              body, id, [](StmtId) {}, [&](ExprId each) { found = found || each == expr; });
      },
      [](ExprId) {});
  return found;
}

/// Why lanes may not divide a loop with running places: each of them runs a round before it knows where that stores,
/// and keeps what it stores.
std::string why_not_placed(const Rule& rule, const ScatterLoop& loop) {
  if (loop.num_running == 0) return {};
  const std::string name = "`" + loop.loop.accumulators.front().name + "`";
  if (!rule.vars.empty()) return "each instance has a " + name + " of its own, at which rounds store";
  for (const ExprId store : loop.stores)
    if (is_repeated(rule.body, loop.loop.loop, store)) return "a loop inside stores at " + name;
  return {};
}

/// Whether the statement `inner` runs at most once where `stmt` does.
bool runs_once(const Body& body, StmtId stmt, StmtId inner) {
  if (stmt == inner) return true;
  if (stmt.is_none()) return false;
  const auto& node = body.stmts[stmt].node;
  if (const auto* branch = std::get_if<IfStmt>(&node))
    return runs_once(body, branch->then_stmt, inner) || runs_once(body, branch->else_stmt, inner);
  const auto* block = std::get_if<BlockStmt>(&node);
  return block != nullptr && std::any_of(block->stmts.begin(), block->stmts.end(),
                                         [&](StmtId each) { return runs_once(body, each, inner); });
}

bool has_same_accumulators(const Fold& a, const Fold& b) {
  const auto is_same = [](const Accumulator& x, const Accumulator& y) {
    return x.binding == y.binding && x.updates.size() == y.updates.size();
  };
  return a.accumulators.size() == b.accumulators.size() &&
         std::is_permutation(a.accumulators.begin(), a.accumulators.end(), b.accumulators.begin(), is_same);
}

/// Whether a statement is this one, perhaps in braces.
bool is_alone(const Body& body, StmtId stmt, StmtId alone) {
  if (stmt == alone) return true;
  const auto* block = stmt.is_none() ? nullptr : std::get_if<BlockStmt>(&body.stmts[stmt].node);
  return block != nullptr && block->stmts.size() == 1 && is_alone(body, block->stmts.front(), alone);
}

/// The loop that updates the same cells next inside of such a loop; null if there is none. Where bins are updated in
/// order, the rounds of both are one sequence, so nothing stands between them.
const Fold* scatter_inside(const Rule& rule, const Computation& computation, const ScatterLoop& outer) {
  const auto has_same_updates = [](const Accumulator& a, const Accumulator& b) {
    return a.binding == b.binding && a.updates.size() == b.updates.size();
  };
  const Fold* found = nullptr;
  walk(
      rule.body, outer.loop.loop,
      [&](StmtId id) {
        const ScatterLoop* inside = id == outer.loop.loop ? nullptr : computation.find_scatter(id);
        if (found != nullptr || inside == nullptr) return;
        if (inside->stores == outer.stores && std::equal(inside->bins.begin(), inside->bins.end(), outer.bins.begin(),
                                                         outer.bins.end(), has_same_updates))
          found = &inside->loop;
      },
      [](ExprId) {});
  if (found == nullptr || !outer.has_ordered_bins()) return found;
  return is_alone(rule.body, std::get<ForStmt>(rule.body.stmts[outer.loop.loop].node).body, found->loop) ? found
                                                                                                         : nullptr;
}

/// The fold next inside of a fold, or the map inside of a map whose stores all stand there; null if there is none.
const Fold* loop_with_same_effects(const Rule& rule, const Computation& computation, StmtId loop) {
  if (const ScatterLoop* scatter = computation.find_scatter(loop)) return scatter_inside(rule, computation, *scatter);
  const MapLoop* map = computation.find_map(loop);
  if (map == nullptr) {
    const Fold* fold = computation.find(loop);
    const auto is_inside = [&](const Fold& each) { return each.outer && &computation.folds[*each.outer] == fold; };
    const auto found = std::find_if(computation.folds.begin(), computation.folds.end(), is_inside);
    return found == computation.folds.end() ? nullptr : &*found;
  }
  const Fold* found = nullptr;
  const auto visit = [&](StmtId id) {
    const MapLoop* inside = id == loop ? nullptr : computation.find_map(id);
    if (found == nullptr && inside != nullptr && inside->stores == map->stores) found = &inside->loop;
  };
  walk(rule.body, loop, visit, [](ExprId) {});
  return found;
}

}  // namespace

std::string why_not_divided(const Rule& rule, const Fold& loop, bool keeps_order) {
  if (!counts_in_64_bits(loop, rule.body_types))
    return "`" + loop.var + "` counts in numbers that 64 bits with a sign may not hold";
  for (const Accumulator& each : loop.accumulators)
    if (std::string why = why_order_counts(rule.body, each, keeps_order); !why.empty()) return why;
  return {};
}

std::string why_not_divided(const Rule& rule, const ScatterLoop& loop, bool keeps_order) {
  if (std::string why = why_not_placed(rule, loop); !why.empty()) return why;
  for (const Accumulator& each : loop.bins)
    if (std::string why = why_not_updated(each, keeps_order); !why.empty()) return why;
  return why_not_divided(rule, loop.loop, keeps_order);
}

bool is_long(const Rule& rule, const Fold& loop) {
  if (has_constant_length(rule, loop)) return false;
  std::set<std::string> in_boxes;
  for (const RegionAccess& input : rule.inputs) {
    if (input.kind != AccessKind::Region) continue;
    for (const Formula& end : input.hi)
      for (const std::string& name : symbols_of(end, SymbolKind::SizeVar)) in_boxes.insert(name);
  }
  std::size_t num_names = 0;
  bool is_small = false;
  for (const ExprId bound : {loop.first, loop.last}) {
    walk_expr(rule.body, bound, [&](ExprId id) {
      const auto* name = std::get_if<NameExpr>(&rule.body.exprs[id].node);
      if (name == nullptr) return;
      ++num_names;
      is_small = is_small || in_boxes.contains(name->text);
    });
  }
  return num_names > 0 && !is_small;
}

StmtId divided_inner(const Rule& rule, const Computation& computation, StmtId loop) {
  if (computation.has_running_places(loop)) return {};
  const Body& body = rule.body;
  const Fold& outer = computation.loop_of(loop);
  const Fold* inner = loop_with_same_effects(rule, computation, loop);
  if (inner == nullptr || !counts_in_64_bits(*inner, rule.body_types) || !has_same_accumulators(outer, *inner) ||
      !runs_once(body, std::get<ForStmt>(body.stmts[loop].node).body, inner->loop))
    return {};
  std::set<std::string> varying = {outer.var};
  walk(
      body, loop,
      [&](StmtId id) {
        const auto* decl = std::get_if<DeclStmt>(&body.stmts[id].node);
        if (decl == nullptr) return;
        for (const Declarator& declarator : decl->declarators) varying.insert(declarator.name);
      },
      [](ExprId) {});
  bool is_fixed = true;
  for (const ExprId bound : {inner->first, inner->last}) {
    walk_expr(body, bound, [&](ExprId id) {
      const auto* name = std::get_if<NameExpr>(&body.exprs[id].node);
      const auto* member = std::get_if<MemberExpr>(&body.exprs[id].node);
      is_fixed = is_fixed && (name == nullptr || !varying.contains(name->text)) &&
                 (member == nullptr || member->name != "cell");
    });
  }
  return is_fixed ? inner->loop : StmtId();
}

}  // namespace pb::choices
