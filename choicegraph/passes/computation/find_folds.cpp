// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/find_folds.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "choicegraph/passes/analysis/analysis.h"
#include "choicegraph/passes/computation/find_filled_outputs.h"
#include "choicegraph/passes/computation/find_scan.h"
#include "choicegraph/passes/computation/loop_effects.h"
#include "choicegraph/passes/computation/loop_head.h"
#include "choicegraph/passes/computation/running_places.h"
#include "choicegraph/passes/computation/updates.h"
#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

/// Why a loop is no fold, with the place; nothing prevents one if `reason` is empty.
struct Refusal {
  std::string reason;
  Span span;
};

/// Whether the expression is a size of the region.
bool is_size_of(const Rule& rule, ExprId id, const VariableKey& region) {
  const auto* member = std::get_if<MemberExpr>(&rule.body.exprs[id].node);
  return member != nullptr && is_size_member(member->name) && count_mentions(rule, member->object, region) == 1;
}

/// How often an expression names the region, apart from its sizes.
int count_cells_named(const Rule& rule, ExprId id, const VariableKey& region) {
  int num = count_mentions(rule, id, region);
  walk_expr(rule.body, id, [&](ExprId part) { num -= is_size_of(rule, part, region) ? 1 : 0; });
  return num;
}

/// Which cells of an output a loop may update as one accumulator.
enum class CellsOf : std::uint8_t {
  Fold,  ///< one cell, the same in all rounds
  Bins,  ///< cells at places that the rounds compute
};

/// Puts the updates of a loop together to accumulators.
class Accumulators {
 public:
  Accumulators(const Rule& rule, ElementType element, const Fold& fold, const LoopEffects& effects, CellsOf cells)
      : rule_(rule), body_(rule.body), element_(element), fold_(fold), effects_(effects), cells_(cells) {}

  [[nodiscard]] Refusal run() {
    for (const StmtId stmt : effects_.ifs)
      if (auto matched = match_if(rule_, element_, stmt, effects_.assignments)) add(std::move(*matched));
    for (const OuterAssignment& each : effects_.assignments) {
      if (claimed_.contains(each.expr)) continue;
      auto matched = match_assignment(rule_, element_, each);
      if (!matched) refuse(why_no_update(each), body_.exprs[each.expr].span);
      if (matched) add(std::move(*matched));
    }
    for (const auto& [variable, update] : found_) check(variable, update);
    return std::move(refusal_);
  }

  /// The accumulators in the order of their first updates.
  [[nodiscard]] std::vector<Accumulator> take() {
    std::vector<Accumulator> out;
    for (const VariableKey& variable : order_) out.push_back(std::move(found_.at(variable).accumulator));
    return out;
  }

 private:
  void refuse(std::string reason, Span span) {
    if (refusal_.reason.empty()) refusal_ = {std::move(reason), span};
  }

  void add(MatchedUpdate matched) {
    for (const ExprId each : matched.assignments)
      if (!claimed_.insert(each).second) return refuse("two updates share an assignment", body_.exprs[each].span);
    if (is_bin(matched.accumulator)) {
      const ExprId target = matched.accumulator.target;
      if (count_cells_named(rule_, target, matched.variable) != 1)
        return refuse("`" + matched.accumulator.name + "` is used outside of its update", body_.exprs[target].span);
      const StmtId stmt = matched.accumulator.updates.front().stmt;
      matched.num_mentions -= num_sizes(stmt, matched.variable);
    }
    const auto [at, is_new] = found_.try_emplace(matched.variable, matched);
    if (is_new) return order_.push_back(matched.variable);
    MatchedUpdate& known = at->second;
    const FoldUpdate& update = matched.accumulator.updates.front();
    const bool has_places = !known.accumulator.places.empty() || !matched.accumulator.places.empty();
    const bool is_alike =
        known.accumulator.op == matched.accumulator.op && !has_places &&
        (is_bin(matched.accumulator) || is_same_expr(rule_, known.accumulator.target, matched.accumulator.target));
    if (!is_alike)
      return refuse("`" + known.accumulator.name + "` is updated in two ways", body_.stmts[update.stmt].span);
    known.num_mentions += matched.num_mentions;
    known.accumulator.updates.push_back(update);
    known.accumulator.regrouping = std::max(known.accumulator.regrouping, matched.accumulator.regrouping);
  }

  [[nodiscard]] std::string why_no_update(const OuterAssignment& each) const {
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[each.target].node);
    const ExprId named = cell != nullptr ? cell->object : each.target;
    const std::string& name = std::get<NameExpr>(body_.exprs[named].node).text;
    if (cell != nullptr) return "it stores cells of `" + name + "`";
    return "`" + name + "` gets a value that is no sum, product, smallest or largest of what it had and another value";
  }

  /// Checks that the loop uses an accumulator only in its updates.
  void check(const VariableKey& variable, const MatchedUpdate& update) {
    const Accumulator& accumulator = update.accumulator;
    const Span span = body_.stmts[accumulator.updates.front().stmt].span;
    const int num_sizes_named = is_bin(accumulator) ? num_sizes(fold_.loop, variable) : 0;
    if (effects_.num_mentions.at(variable) - num_sizes_named != update.num_mentions)
      refuse("`" + accumulator.name + "` is used outside of its update", other_use(variable));
    if (accumulator.binding.kind == NameKind::Output && is_input(accumulator))
      refuse("`" + accumulator.name + "` is part of a matrix that the rule also reads", span);
    check_target(accumulator);
    for (const FoldPlace& place : accumulator.places) {
      const VariableKey key = key_of(place.binding);
      const bool is_shared = found_.contains(key) || effects_.num_mentions.at(key) != 1;
      if (is_shared) refuse("`" + place.name + "` is used outside of the update of `" + accumulator.name + "`", span);
    }
  }

  [[nodiscard]] bool is_bin(const Accumulator& accumulator) const {
    return cells_ == CellsOf::Bins && std::holds_alternative<MemberExpr>(body_.exprs[accumulator.target].node);
  }

  /// How often a statement names sizes of the region.
  [[nodiscard]] int num_sizes(StmtId stmt, const VariableKey& region) const {
    int num = 0;
    walk(
        body_, stmt, [](StmtId) {}, [&](ExprId id) { num += is_size_of(rule_, id, region) ? 1 : 0; });
    return num;
  }

  /// A use of the variable that no update claims, or the first one.
  [[nodiscard]] Span other_use(const VariableKey& variable) const {
    const auto is_claimed = [&](StmtId stmt) {
      const auto& updates = found_.at(variable).accumulator.updates;
      return std::any_of(updates.begin(), updates.end(), [&](const FoldUpdate& each) { return each.stmt == stmt; });
    };
    Span found = body_.stmts[fold_.loop].span;
    bool is_found = false;
    const auto visit = [&](const auto& self, StmtId stmt) -> void {
      if (is_claimed(stmt)) return;
      for_each_child(
          body_.stmts[stmt], [&](StmtId child) { self(self, child); },
          [&](ExprId expr) {
            if (is_found || count_mentions(rule_, expr, variable) == 0) return;
            is_found = true;
            found = body_.exprs[expr].span;
          });
    };
    visit(visit, fold_.loop);
    return found;
  }

  [[nodiscard]] bool is_input(const Accumulator& accumulator) const {
    const MatrixId matrix = rule_.outputs[accumulator.binding.index].matrix;
    const bool is_cell = std::holds_alternative<MemberExpr>(body_.exprs[accumulator.target].node);
    return is_cell && std::any_of(rule_.inputs.begin(), rule_.inputs.end(),
                                  [&](const RegionAccess& input) { return input.matrix == matrix; });
  }

  /// Checks that `c.cell(…)` is the same cell in all iterations.
  void check_target(const Accumulator& accumulator) {
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[accumulator.target].node);
    if (cell == nullptr || is_bin(accumulator)) return;
    const Span span = body_.exprs[accumulator.target].span;
    for (const ExprId arg : cell->args) {
      walk_expr(body_, arg, [&](ExprId id) {
        const Expr& expr = body_.exprs[id];
        const bool is_fixed = std::holds_alternative<IntegerExpr>(expr.node) ||
                              std::holds_alternative<BinaryExpr>(expr.node) ||
                              (std::holds_alternative<NameExpr>(expr.node) && is_outside(id));
        if (!is_fixed) refuse("it stores cells of `" + accumulator.name + "`", span);
      });
    }
  }

  /// Whether a name stands for a value that the loop does not change.
  [[nodiscard]] bool is_outside(ExprId name) const {
    const NameBinding& binding = rule_.body_types.bindings[name.index()];
    if (binding.kind != NameKind::Local) return binding.kind != NameKind::Unknown && binding.kind != NameKind::Output;
    const bool is_assigned = std::any_of(effects_.assignments.begin(), effects_.assignments.end(),
                                         [&](const OuterAssignment& each) { return each.variable == key_of(binding); });
    return binding.index < fold_.local && !is_assigned;
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  const Fold& fold_;
  const LoopEffects& effects_;
  CellsOf cells_;
  std::map<VariableKey, MatchedUpdate> found_;
  std::vector<VariableKey> order_;
  std::set<ExprId> claimed_;
  Refusal refusal_;
};

/// Finds the stores of a loop that are cells of its rounds alone.
class Stores {
 public:
  Stores(const Rule& rule, const Fold& fold, const LoopEffects& effects)
      : rule_(rule), body_(rule.body), fold_(fold), effects_(effects) {}

  /// The assignments to cells that have the loop's variable as first coordinate, and others that do not change. There
  /// are none if the loop uses such a region in another way, too.
  [[nodiscard]] std::vector<ExprId> of_lines() const {
    std::vector<ExprId> out;
    for (const OuterAssignment& each : effects_.assignments) {
      const auto* cell = std::get_if<MemberExpr>(&body_.exprs[each.target].node);
      if (cell == nullptr || each.variable.first != NameKind::Output || !has_round(*cell)) continue;
      if (each.stmt.is_none()) return {};
      if (!uses_only(each.variable, [&](ExprId id) { return is_same_expr(rule_, id, each.target); })) return {};
      out.push_back(each.expr);
    }
    return out;
  }

  /// The assignments to cells of which one coordinate is the loop's variable, as it is wherever the loop uses a cell of
  /// that region.
  [[nodiscard]] std::vector<ExprId> of_rounds() const {
    std::vector<ExprId> out;
    for (const OuterAssignment& each : effects_.assignments) {
      const auto* cell = std::get_if<MemberExpr>(&body_.exprs[each.target].node);
      if (cell == nullptr || each.variable.first != NameKind::Output || each.stmt.is_none()) continue;
      for (std::size_t d = 0; d < cell->args.size(); ++d) {
        if (!is_variable(cell->args[d]) ||
            !uses_only(each.variable, [&](ExprId id) { return is_cell_at(id, each, d); }))
          continue;
        out.push_back(each.expr);
        break;
      }
    }
    return out;
  }

  /// The plain assignments to cells of outputs that the loop uses in no other way.
  [[nodiscard]] std::vector<ExprId> at_any_places() const {
    std::vector<ExprId> out;
    std::map<VariableKey, std::set<ExprId>> targets;
    for (const OuterAssignment& each : effects_.assignments)
      if (is_plain_store(each)) targets[each.variable].insert(each.target);
    for (const OuterAssignment& each : effects_.assignments)
      if (is_plain_store(each) &&
          uses_only(each.variable, [&](ExprId id) { return targets[each.variable].contains(id); }))
        out.push_back(each.expr);
    return out;
  }

 private:
  [[nodiscard]] bool is_plain_store(const OuterAssignment& each) const {
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[each.target].node);
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[each.expr].node);
    return cell != nullptr && assign != nullptr && !assign->is_compound && !each.stmt.is_none() &&
           each.variable.first == NameKind::Output;
  }

  /// Whether the first coordinate is the loop's variable, and the others do not change.
  [[nodiscard]] bool has_round(const MemberExpr& cell) const {
    if (cell.args.empty() || !is_variable(cell.args[0])) return false;
    bool is_fixed = true;
    for (std::size_t d = 1; d < cell.args.size(); ++d)
      walk_expr(body_, cell.args[d], [&](ExprId id) {
        const Expr& expr = body_.exprs[id];
        is_fixed &= std::holds_alternative<IntegerExpr>(expr.node) || std::holds_alternative<BinaryExpr>(expr.node) ||
                    (std::holds_alternative<NameExpr>(expr.node) && is_outside(id));
      });
    return is_fixed;
  }

  [[nodiscard]] bool is_variable(ExprId id) const {
    const NameBinding& binding = rule_.body_types.bindings[id.index()];
    return std::holds_alternative<NameExpr>(body_.exprs[id].node) && binding.kind == NameKind::Local &&
           binding.index == fold_.local;
  }

  [[nodiscard]] bool is_outside(ExprId name) const {
    const NameBinding& binding = rule_.body_types.bindings[name.index()];
    const bool is_assigned = std::any_of(effects_.assignments.begin(), effects_.assignments.end(),
                                         [&](const OuterAssignment& each) { return each.variable == key_of(binding); });
    return !is_assigned &&
           (binding.kind == NameKind::Local ? binding.index < fold_.local : binding.kind != NameKind::Unknown);
  }

  /// Whether each use of the region in the loop is an expression for which `is_own` holds, or a size.
  template <typename IsOwn>
  [[nodiscard]] bool uses_only(const VariableKey& region, const IsOwn& is_own) const {
    int num_own = 0;
    walk(
        body_, std::get<ForStmt>(body_.stmts[fold_.loop].node).body, [](StmtId) {},
        [&](ExprId id) { num_own += is_own(id) || is_size_of(rule_, id, region) ? 1 : 0; });
    int num_in_head = 0;
    for (const ExprId limit : {fold_.first, fold_.last}) num_in_head += count_cells_named(rule_, limit, region);
    const int num_in_last = count_mentions(rule_, fold_.last, region);
    return num_in_head == 0 && num_own + num_in_last == effects_.num_mentions.at(region);
  }

  /// Whether the expression is a cell of the region to which `store` assigns whose coordinate `dim` is the loop's
  /// variable. No other coordinate may use the region.
  [[nodiscard]] bool is_cell_at(ExprId id, const OuterAssignment& store, std::size_t dim) const {
    const auto* cell = std::get_if<MemberExpr>(&body_.exprs[id].node);
    return cell != nullptr && is_cell_call(*cell) && cell->args.size() > dim && is_variable(cell->args[dim]) &&
           std::holds_alternative<NameExpr>(body_.exprs[cell->object].node) &&
           count_mentions(rule_, id, store.variable) == 1;
  }

  const Rule& rule_;
  const Body& body_;
  const Fold& fold_;
  const LoopEffects& effects_;
};

class FoldFinder {
 public:
  FoldFinder(const Rule& rule, ElementType element)
      : rule_(rule), body_(rule.body), element_(element), declarators_(first_declarators(rule.body)) {}

  Computation run() {
    find_aliases();
    visit(body_.root, std::nullopt);
    return std::move(out_);
  }

 private:
  /// Finds references and pointers, through which a loop might use what it does not name.
  void find_aliases() {
    walk(
        body_, body_.root,
        [&](StmtId id) {
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          if (decl == nullptr || !aliases_.reason.empty()) return;
          for (const Declarator& each : decl->declarators)
            if (each.is_reference || each.pointer_depth > 0)
              aliases_ = {"`" + each.name + "` may stand for another variable", each.name_span};
        },
        [&](ExprId id) {
          const auto* unary = std::get_if<UnaryExpr>(&body_.exprs[id].node);
          if (unary != nullptr && unary->op == UnaryOp::AddressOf && aliases_.reason.empty())
            aliases_ = {"the body takes an address", body_.exprs[id].span};
        });
  }

  void visit(StmtId id, std::optional<std::size_t> outer) {
    const Stmt& stmt = body_.stmts[id];
    std::optional<std::size_t> inside = outer;
    if (std::holds_alternative<ForStmt>(stmt.node)) {
      if (add_loop(id, outer)) inside = out_.folds.size() - 1;
    } else if (is_loop(stmt)) {
      out_.others.push_back({id, "only `for` loops that count are folds", stmt.span});
    }
    for_each_child(
        stmt, [&](StmtId child) { visit(child, inside); }, [](ExprId) {});
  }

  /// Adds a loop to its list, and says whether it is a fold.
  bool add_loop(StmtId id, std::optional<std::size_t> outer) {
    const auto refuse = [&](std::string reason, Span span) {
      out_.others.push_back({id, std::move(reason), span});
      return false;
    };
    const StmtId init = std::get<ForStmt>(body_.stmts[id].node).init;
    LoopHead head = read_loop_head(rule_, id, init.is_none() ? 0 : declarators_[init.index()]);
    if (!head.reason.empty()) return refuse(std::move(head.reason), head.span);
    Fold& fold = head.fold;
    fold.outer = outer;
    fold.var_type = settled(fold.var_type, element_);
    LoopEffects effects = read_loop_effects(rule_, id, fold.local, declarators_);
    if (!effects.reason.empty()) return refuse(std::move(effects.reason), effects.span);
    if (effects.assignments.empty()) return false;
    Accumulators accumulators(rule_, element_, fold, effects, CellsOf::Fold);
    Refusal refusal = accumulators.run();
    if (!refusal.reason.empty() && aliases_.reason.empty() && !has_memory_of_its_own(fold)) {
      const Stores stores(rule_, fold, effects);
      const std::vector<ExprId> plain = stores.at_any_places();
      const std::vector<ExprId> own = stores.of_rounds();
      if (!add_map(fold, effects, stores.of_lines(), true) && !add_map(fold, effects, own, false) &&
          !add_running(fold, effects, rule_.is_distinct ? plain : of_both(plain, own)))
        add_scatter(fold, effects, rule_.is_distinct ? of_any(plain, own) : own);
    }
    if (!refusal.reason.empty()) return refuse(std::move(refusal.reason), refusal.span);
    if (!aliases_.reason.empty()) return refuse(aliases_.reason, aliases_.span);
    fold.accumulators = accumulators.take();
    out_.folds.push_back(std::move(fold));
    return true;
  }

  /// Whether a loop uses matrices that the body allocated, or handles that it made, or arrays from outside of the loop
  /// of a length that is not known. What rounds store and read is compared before they run, and copied for each chunk,
  /// and these cannot be.
  [[nodiscard]] bool has_memory_of_its_own(const Fold& fold) const {
    bool found = false;
    walk(
        body_, fold.loop, [](StmtId) {},
        [&](ExprId id) {
          const NameBinding& binding = rule_.body_types.bindings[id.index()];
          if (binding.kind != NameKind::Local) return;
          const BodyType& type = rule_.body_types.types[id.index()];
          const bool is_unknown_array = type.kind == BodyType::Kind::Array && type.extent == 0;
          found = found || type.kind == BodyType::Kind::Region || (is_unknown_array && binding.index < fold.local);
        });
    return found;
  }

  static std::vector<ExprId> of_both(std::vector<ExprId> some, const std::vector<ExprId>& others) {
    std::erase_if(some, [&](ExprId each) { return std::find(others.begin(), others.end(), each) == others.end(); });
    return some;
  }

  static std::vector<ExprId> of_any(std::vector<ExprId> some, const std::vector<ExprId>& others) {
    for (const ExprId each : others)
      if (std::find(some.begin(), some.end(), each) == some.end()) some.push_back(each);
    return some;
  }

  static void erase_stores(LoopEffects& effects, const std::vector<ExprId>& stores) {
    std::erase_if(effects.assignments, [&](const OuterAssignment& each) {
      return std::find(stores.begin(), stores.end(), each.expr) != stores.end();
    });
  }

  /// Adds a loop to the maps if all that it does beside its stores is to update accumulators. Returns whether that is
  /// so.
  bool add_map(Fold fold, LoopEffects effects, std::vector<ExprId> stores, bool is_line) {
    if (stores.empty()) return false;
    erase_stores(effects, stores);
    Accumulators accumulators(rule_, element_, fold, effects, CellsOf::Fold);
    if (!accumulators.run().reason.empty()) return false;
    fold.accumulators = accumulators.take();
    MapLoop map{std::move(fold), std::move(stores), is_line};
    if (is_line) map.renewed = find_renewed(rule_, map);
    out_.maps.push_back(std::move(map));
    return true;
  }

  /// Adds a loop to the scatters if it has running places, and all that it does beside its stores there, and at other
  /// distinct places, is to update accumulators. Returns whether that is so.
  bool add_running(Fold fold, LoopEffects effects, std::vector<ExprId> stores) {
    RunningPlaces running = find_running_places(rule_, element_, fold.loop, effects);
    if (running.places.empty()) return false;
    stores = of_any(std::move(stores), running.stores);
    erase_stores(effects, stores);
    erase_stores(effects, {running.raises.begin(), running.raises.end()});
    Accumulators accumulators(rule_, element_, fold, effects, CellsOf::Fold);
    if (!accumulators.run().reason.empty()) return false;
    ScatterLoop loop;
    loop.num_running = running.places.size();
    loop.loop = std::move(fold);
    loop.loop.accumulators = std::move(running.places);
    for (Accumulator& each : accumulators.take()) loop.loop.accumulators.push_back(std::move(each));
    loop.stores = std::move(stores);
    loop.branched = std::move(running.branched);
    out_.scatters.push_back(std::move(loop));
    return true;
  }

  /// Adds a loop to the scatters if all that it does beside its stores is to update accumulators and bins.
  void add_scatter(Fold fold, LoopEffects effects, std::vector<ExprId> stores) {
    erase_stores(effects, stores);
    Accumulators accumulators(rule_, element_, fold, effects, CellsOf::Bins);
    if (!accumulators.run().reason.empty()) return;
    ScatterLoop loop;
    for (Accumulator& each : accumulators.take()) {
      const bool is_cell = std::holds_alternative<MemberExpr>(body_.exprs[each.target].node);
      (is_cell ? loop.bins : fold.accumulators).push_back(std::move(each));
    }
    if (loop.bins.empty() && stores.empty()) return;
    loop.loop = std::move(fold);
    loop.stores = std::move(stores);
    out_.scatters.push_back(std::move(loop));
  }

  const Rule& rule_;
  const Body& body_;
  ElementType element_;
  std::vector<std::uint32_t> declarators_;
  Refusal aliases_;
  Computation out_;
};

}  // namespace

Computation find_folds(const Rule& rule, ElementType element) { return FoldFinder(rule, element).run(); }

void find_computations(Analysis& analysis) {
  for (const Rule& rule : analysis.transform.rules) {
    Computation found = find_folds(rule, analysis.program.element);
    found.filled = find_filled_outputs(rule, found, analysis.scope);
    ScanSearch search = find_scan(rule, analysis.program.element);
    found.scan = std::move(search.scan);
    found.why_not_scan = std::move(search.why_not);
    if (found.scan && found.scan->rounds()) {
      found.scan->is_free = analysis.fold_orders != FoldOrders::Source;
      found.scan->is_default = analysis.fold_orders == FoldOrders::AnyFirst;
    }
    analysis.plan.computations.push_back(std::move(found));
  }
}

}  // namespace pb::choices
