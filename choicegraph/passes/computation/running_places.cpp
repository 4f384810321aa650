// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/running_places.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "choicegraph/passes/computation/updates.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/operands.h"

namespace pb::choices {
namespace {

/// A plain store with a running place as a coordinate.
struct PlacedStore {
  StmtId stmt;
  ExprId expr;
  VariableKey region, place;
  std::size_t dim = 0;
};

/// What two passes over a loop would do differently: compilers may round a product and a sum once or twice, as what
/// else needs the product says.
class RoundedDecisions {
 public:
  RoundedDecisions(const Rule& rule, ElementType element, const LoopEffects& effects,
                   const std::vector<PlacedStore>& stores)
      : rule_(rule), body_(rule.body), element_(element) {
    for (const PlacedStore& store : stores) add_value(std::get<AssignExpr>(body_.exprs[store.expr].node).rhs);
    for (const OuterAssignment& each : effects.assignments)
      if (std::holds_alternative<AssignExpr>(body_.exprs[each.expr].node)) add_value(each.expr);
  }

  /// Whether rounds compute with floating-point numbers apart from what they store and add up, so that a condition may
  /// depend on it.
  [[nodiscard]] bool may_occur_in(StmtId loop) const {
    bool found = false;
    walk(
        body_, std::get<ForStmt>(body_.stmts[loop].node).body, [](StmtId) {},
        [&](ExprId id) { found = found || (!values_.contains(id) && is_rounded(id)); });
    return found;
  }

 private:
  void add_value(ExprId id) {
    walk_expr(body_, id, [&](ExprId part) { values_.insert(part); });
  }

  /// Whether the operation itself may round.
  [[nodiscard]] bool is_rounded(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* call = std::get_if<CallExpr>(&node))
      return may_be_floating(id) || std::any_of(call->args.begin(), call->args.end(),
                                                [&](ExprId argument) { return may_be_floating(argument); });
    if (const auto* assign = std::get_if<AssignExpr>(&node))
      return assign->is_compound && (may_be_floating(assign->lhs) || may_be_floating(assign->rhs));
    return std::holds_alternative<BinaryExpr>(node) && may_be_floating(id);
  }
  [[nodiscard]] bool may_be_floating(ExprId id) const {
    const BodyType type = settled(rule_.body_types.types[id.index()], element_);
    return is_floating(type) || type.kind == BodyType::Kind::Unknown;
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  std::set<ExprId> values_;  ///< all expressions in what rounds store and add up
};

class PlaceFinder {
 public:
  PlaceFinder(const Rule& rule, ElementType element, StmtId loop, const LoopEffects& effects)
      : rule_(rule), body_(rule.body), element_(element), loop_(loop), effects_(effects) {}

  RunningPlaces run() {
    find_stores();
    std::vector<VariableKey> candidates;
    for (const PlacedStore& store : stores_)
      if (std::find(candidates.begin(), candidates.end(), store.place) == candidates.end())
        candidates.push_back(store.place);
    RunningPlaces out;
    if (RoundedDecisions(rule_, element_, effects_, stores_).may_occur_in(loop_)) return out;
    for (const VariableKey& each : candidates)
      if (is_running(each)) add(each, out);
    for (const Accumulator& each : out.places) add_branched(each, out);
    return out;
  }

 private:
  // ---- stores

  void find_stores() {
    for (const OuterAssignment& each : effects_.assignments) {
      const auto* cell = std::get_if<MemberExpr>(&body_.exprs[each.target].node);
      const auto* assign = std::get_if<AssignExpr>(&body_.exprs[each.expr].node);
      if (cell == nullptr || assign == nullptr || assign->is_compound || each.stmt.is_none() ||
          each.variable.first != NameKind::Output)
        continue;
      for (std::size_t d = 0; d < cell->args.size(); ++d)
        if (const std::optional<VariableKey> place = raised_in(cell->args[d])) {
          stores_.push_back({each.stmt, each.expr, each.variable, *place, d});
          break;
        }
    }
  }

  /// The first variable in an expression that the loop assigns to.
  [[nodiscard]] std::optional<VariableKey> raised_in(ExprId id) const {
    std::optional<VariableKey> found;
    walk_expr(body_, id, [&](ExprId part) {
      if (found || !std::holds_alternative<NameExpr>(body_.exprs[part].node)) return;
      const VariableKey key = key_of(rule_.body_types.bindings[part.index()]);
      const bool is_assigned = std::any_of(effects_.assignments.begin(), effects_.assignments.end(),
                                           [&](const OuterAssignment& each) { return each.variable == key; });
      if (key.first == NameKind::Local && is_assigned) found = key;
    });
    return found;
  }

  [[nodiscard]] ExprId coordinate(const PlacedStore& store) const {
    return std::get<MemberExpr>(body_.exprs[target_of(body_, store.expr)].node).args[store.dim];
  }

  // ---- one variable

  [[nodiscard]] bool is_running(const VariableKey& place) const {
    int num_mentions = 0;
    std::set<ExprId> in_coordinates;
    for (const PlacedStore& store : stores_) {
      if (store.place != place) continue;
      const ExprId at = coordinate(store);
      if (!is_only_stored(store) || !is_behind_it_raised(store)) return false;
      num_mentions += count_mentions(rule_, at, place);
      walk_expr(body_, at, [&](ExprId part) { in_coordinates.insert(part); });
    }
    for (const OuterAssignment& each : effects_.assignments) {
      if (each.variable != place) continue;
      const bool is_inside = in_coordinates.contains(each.expr);
      if (!raised_by(each.expr) || (each.stmt.is_none() && !is_inside)) return false;
      if (!is_inside) ++num_mentions;
    }
    return num_mentions == effects_.num_mentions.at(place) && is_whole(type_of(place));
  }

  /// By how much an assignment raises its variable: a constant above 0, with which the variable keeps its type.
  [[nodiscard]] std::optional<std::int64_t> raised_by(ExprId id) const {
    const auto& node = body_.exprs[id].node;
    if (const auto* unary = std::get_if<UnaryExpr>(&node))
      return unary->op == UnaryOp::PreInc || unary->op == UnaryOp::PostInc ? std::optional<std::int64_t>(1)
                                                                           : std::nullopt;
    const auto* assign = std::get_if<AssignExpr>(&node);
    if (assign == nullptr || !assign->is_compound || assign->op != BinaryOp::Add) return std::nullopt;
    const std::optional<std::int64_t> constant = constant_of(assign->rhs);
    return constant && *constant > 0 ? constant : std::nullopt;
  }

  /// A constant of the type `int`; none for others.
  [[nodiscard]] std::optional<std::int64_t> constant_of(ExprId id) const {
    const BodyType& type = rule_.body_types.types[id.index()];
    const bool is_int = type.kind == BodyType::Kind::Int && !type.is_unsigned && type.narrow_bytes == 0;
    return is_int && !type.is_element ? constant_value(body_, id) : std::nullopt;
  }

  static bool is_whole(const BodyType& type) {
    return (type.kind == BodyType::Kind::Int || type.kind == BodyType::Kind::Long) && type.narrow_bytes == 0 &&
           !type.is_element;
  }

  /// A use of the variable that raises it.
  [[nodiscard]] ExprId raised_name(const VariableKey& place) const {
    for (const OuterAssignment& each : effects_.assignments)
      if (each.variable == place) return each.target;
    return {};
  }
  [[nodiscard]] BodyType type_of(const VariableKey& place) const {
    return rule_.body_types.types[raised_name(place).index()];
  }

  /// Whether all that the loop does with the output is to store at this variable, as this coordinate. Sizes do not
  /// count.
  [[nodiscard]] bool is_only_stored(const PlacedStore& store) const {
    int num_stores = 0, num_sizes = 0;
    for (const PlacedStore& each : stores_) {
      if (each.region != store.region) continue;
      if (each.place != store.place || each.dim != store.dim) return false;
      ++num_stores;
    }
    // What is computed once, before the first round, is none of its mentions.
    const auto count = [&](ExprId id) {
      const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
      const bool is_size = member != nullptr && is_size_member(member->name);
      num_sizes += is_size && count_mentions(rule_, member->object, store.region) == 1 ? 1 : 0;
    };
    const auto& head = std::get<ForStmt>(body_.stmts[loop_].node);
    walk(
        body_, head.body, [](StmtId) {}, count);
    if (!head.condition.is_none()) walk_expr(body_, head.condition, count);
    return num_stores + num_sizes == effects_.num_mentions.at(store.region);
  }

  // ---- places of different rounds

  /// Whether the place is raised above the store's coordinate by the store itself or always behind it.
  [[nodiscard]] bool is_behind_it_raised(const PlacedStore& store) const {
    const ExprId at = coordinate(store);
    if (is_raise_of(at, store.place)) return std::get<UnaryExpr>(body_.exprs[at].node).op == UnaryOp::PostInc;
    const std::optional<std::int64_t> ahead = ahead_of(at, store.place);
    return ahead && *ahead >= 0 && raised_behind(store) > *ahead;
  }

  [[nodiscard]] bool is_raise_of(ExprId id, const VariableKey& place) const {
    return std::any_of(effects_.assignments.begin(), effects_.assignments.end(),
                       [&](const OuterAssignment& each) { return each.expr == id && each.variable == place; });
  }

  /// How far a coordinate is from the place: 0 for `at`, 2 for `at + 2`.
  [[nodiscard]] std::optional<std::int64_t> ahead_of(ExprId id, const VariableKey& place) const {
    const auto& node = body_.exprs[id].node;
    if (std::holds_alternative<NameExpr>(node))
      return key_of(rule_.body_types.bindings[id.index()]) == place ? std::optional<std::int64_t>(0) : std::nullopt;
    const auto* sum = std::get_if<BinaryExpr>(&node);
    if (sum == nullptr || sum->op != BinaryOp::Add || !ahead_of(sum->lhs, place)) return std::nullopt;
    const auto constant = constant_of(sum->rhs);
    return constant && *constant >= 0 ? constant : std::nullopt;
  }

  /// By how much statements of the same block that always follow the store raise the place.
  [[nodiscard]] std::int64_t raised_behind(const PlacedStore& store) const {
    std::int64_t raised = 0;
    const auto visit = [&](StmtId id) {
      const auto* block = std::get_if<BlockStmt>(&body_.stmts[id].node);
      if (block == nullptr) return;
      auto at = std::find(block->stmts.begin(), block->stmts.end(), store.stmt);
      for (; at != block->stmts.end(); ++at) {
        if (may_leave(*at)) return;
        if (*at != store.stmt) raised += raised_in_statement(*at, store.place);
      }
    };
    walk(body_, loop_, visit, [](ExprId) {});
    return raised;
  }

  /// By how much a statement raises the place whenever it runs: `at += 2;`, or a store at `at++`.
  [[nodiscard]] std::int64_t raised_in_statement(StmtId id, const VariableKey& place) const {
    const auto* stmt = std::get_if<ExprStmt>(&body_.stmts[id].node);
    if (stmt == nullptr) return 0;
    if (is_raise_of(stmt->expr, place)) return raised_by(stmt->expr).value_or(0);
    for (const PlacedStore& each : stores_)
      if (each.stmt == id && each.place == place && is_raise_of(coordinate(each), place)) return 1;
    return 0;
  }

  /// Whether the statements behind this one may not run.
  [[nodiscard]] bool may_leave(StmtId id) const {
    bool found = false;
    walk(
        body_, id,
        [&](StmtId part) {
          const auto& node = body_.stmts[part].node;
          found = found || std::holds_alternative<ContinueStmt>(node) || std::holds_alternative<BreakStmt>(node) ||
                  std::holds_alternative<CaseStmt>(node);
        },
        [](ExprId) {});
    return found;
  }

  // ---- the result

  void add(const VariableKey& place, RunningPlaces& out) const {
    Accumulator found;
    found.target = raised_name(place);
    found.name = std::get<NameExpr>(body_.exprs[found.target].node).text;
    found.binding = rule_.body_types.bindings[found.target.index()];
    found.type = type_of(place);
    found.op = FoldOp::Add;
    for (const OuterAssignment& each : effects_.assignments) {
      if (each.variable != place) continue;
      const auto* assign = std::get_if<AssignExpr>(&body_.exprs[each.expr].node);
      found.updates.push_back({statement_with(each), assign == nullptr ? ExprId() : assign->rhs});
      out.raises.insert(each.expr);
    }
    for (const PlacedStore& store : stores_)
      if (store.place == place) out.stores.push_back(store.expr);
    out.places.push_back(std::move(found));
  }

  /// Adds the only store at a place if it stands alone in a branch.
  void add_branched(const Accumulator& place, RunningPlaces& out) const {
    const VariableKey key = key_of(place.binding);
    const auto is_here = [&](const PlacedStore& store) { return store.place == key; };
    const auto store = std::find_if(stores_.begin(), stores_.end(), is_here);
    if (place.updates.size() != 1 || std::count_if(stores_.begin(), stores_.end(), is_here) != 1) return;
    const auto& assign = std::get<AssignExpr>(body_.exprs[store->expr].node);
    const auto& cell = std::get<MemberExpr>(body_.exprs[assign.lhs].node);
    if (cell.args.size() != 1 || !is_raise_of(cell.args[0], key)) return;
    for (const StmtId id : effects_.ifs) {
      const auto& branch = std::get<IfStmt>(body_.stmts[id].node);
      if (!branch.else_stmt.is_none() || stmts_of(body_, branch.then_stmt) != std::vector<StmtId>{store->stmt} ||
          changes_something(branch.condition) || !may_always_run(assign.rhs, branch.condition))
        continue;
      const std::string& region = std::get<NameExpr>(body_.exprs[cell.object].node).text;
      out.branched.push_back({id, branch.condition, assign.lhs, assign.rhs, region, place.name});
    }
  }

  /// Whether an expression assigns to a variable, which the value may name.
  [[nodiscard]] bool changes_something(ExprId id) const {
    bool found = false;
    walk_expr(body_, id, [&](ExprId part) {
      const auto& node = body_.exprs[part].node;
      found = found || std::holds_alternative<AssignExpr>(node) || !stepped_operand(body_, part).is_none();
    });
    return found;
  }

  /// Whether a value may be computed where a condition does not hold: it is made of numbers, of variables, and of cells
  /// that the condition always reads.
  [[nodiscard]] bool may_always_run(ExprId id, ExprId condition) const {
    const Expr& expr = body_.exprs[id];
    if (const auto* cell = std::get_if<MemberExpr>(&expr.node))
      return is_cell_call(*cell) && always_reads(condition, id);
    if (const auto* binary = std::get_if<BinaryExpr>(&expr.node))
      return kind_of(binary->op) != OperatorKind::Quotient && may_always_run(binary->lhs, condition) &&
             may_always_run(binary->rhs, condition);
    return std::holds_alternative<NameExpr>(expr.node) || std::holds_alternative<IntegerExpr>(expr.node) ||
           std::holds_alternative<FloatExpr>(expr.node);
  }

  /// Whether computing `id` always reads a cell.
  [[nodiscard]] bool always_reads(ExprId id, ExprId cell) const {
    if (is_same_expr(rule_, id, cell)) return true;
    const auto& node = body_.exprs[id].node;
    if (const auto* unary = std::get_if<UnaryExpr>(&node)) return always_reads(unary->operand, cell);
    const auto* binary = std::get_if<BinaryExpr>(&node);
    if (binary == nullptr) return false;
    const bool is_logical = binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr;
    return always_reads(binary->lhs, cell) || (!is_logical && always_reads(binary->rhs, cell));
  }

  /// The statement that is the assignment, or the store in whose coordinate it stands.
  [[nodiscard]] StmtId statement_with(const OuterAssignment& raise) const {
    if (!raise.stmt.is_none()) return raise.stmt;
    for (const PlacedStore& store : stores_)
      if (coordinate(store) == raise.expr) return store.stmt;
    return loop_;
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  StmtId loop_;
  const LoopEffects& effects_;
  std::vector<PlacedStore> stores_;
};

}  // namespace

RunningPlaces find_running_places(const Rule& rule, ElementType element, StmtId loop, const LoopEffects& effects) {
  return PlaceFinder(rule, element, loop, effects).run();
}

}  // namespace pb::choices
