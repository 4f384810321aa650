// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_phases.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "choicegraph/passes/device/divided_loops.h"
#include "choicegraph/passes/device/find_kept_cells.h"
#include "choicegraph/passes/device/find_stages.h"
#include "choicegraph/plan/launch_slices.h"
#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

/// What a statement does with the cells of one output.
struct CellUse {
  bool reads = false;
  bool stores = false;
};

/// What was done with the cells of one output since work-items last waited for one another.
struct PendingUse {
  CellUse by_first, by_others;
};

class PhaseFinder {
 public:
  /// `kept`: cells that each work-item keeps for itself.
  PhaseFinder(const Analysis& analysis, RuleId rule, Computation& computation, const KeptCells& kept)
      : rule_(analysis.rule(rule)),
        body_(rule_.body),
        computation_(computation),
        keeps_order_(analysis.fold_orders == FoldOrders::Source),
        are_boxes_(std::all_of(analysis.plan.steps.begin(), analysis.plan.steps.end(),
                               [&](const Step& step) { return step.rule != rule || is_box(step); })),
        are_launches_apart_(has_launches_apart(analysis.plan, rule)),
        kept_until_(rule_.outputs.size()),
        pending_(rule_.outputs.size()) {
    for (const KeptRegion& region : kept.regions)
      if (region.is_output) kept_until_[region.index] = region.last;
  }

  void run() {
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr || rule_.outputs.empty()) return;
    find_stored_cells();
    computation_.stores_in_phases = std::any_of(rule_.outputs.begin(), rule_.outputs.end(), is_region);
    const std::string reason = why_no_phases();
    for (const StmtId stmt : block->stmts) {
      if (!reason.empty()) note_long(stmt, reason);
      if (reason.empty() && !(computation_.stores_in_phases ? add_storing(stmt) : add(stmt))) break;
    }
    if (!is_worthwhile_) computation_.phases.clear();
    if (!computation_.phases.empty()) wait_for_old_values();
  }

 private:
  /// Whether no launch of the rule reads cells that it writes: its instances are independent.
  static bool has_launches_apart(const TransformPlan& plan, RuleId rule) {
    const std::vector<StepId> steps = plan.steps.ids();
    return std::all_of(steps.begin(), steps.end(), [&](StepId id) {
      const Step& step = plan.steps[id];
      return step.rule != rule || step.is_data_parallel || step.loops.empty() || launch_nest(plan, id) != nullptr;
    });
  }

  static bool is_region(const RegionAccess& output) { return output.num_body_dims() > 0; }

  /// Why no loop of the body may be divided; empty: some may.
  [[nodiscard]] std::string why_no_phases() const {
    // Work-items that run one instance together wait for one another, and so must all have one.
    if (!are_boxes_) return "the rule's instances are no box";
    if (!rule_.temporaries.empty()) return "its instances have temporaries of their own";
    std::set<MatrixId> written;
    for (const RegionAccess& output : rule_.outputs)
      if (!written.insert(output.matrix).second && computation_.stores_in_phases)
        return "several outputs of the rule are parts of one matrix";
    const bool reads_it = std::any_of(rule_.inputs.begin(), rule_.inputs.end(),
                                      [&](const RegionAccess& input) { return written.contains(input.matrix); });
    return reads_it && !are_launches_apart_ ? "its instances read what others of their launch write" : "";
  }

  // ---- bodies that store single elements alone, at their end

  /// Returns whether loops behind the statement may be divided.
  bool add(StmtId stmt) {
    const Fold* fold = computation_.find(stmt);
    if (fold != nullptr && is_long(rule_, *fold)) {
      const std::string why = why_not_divided(rule_, *fold, keeps_order_);
      why.empty() ? add_loop(*fold, false, false) : note(stmt, why);
    }
    return find_return(stmt).is_none();
  }

  // ---- bodies that store cells

  /// Returns whether the body may have phases as far as this statement says.
  bool add_storing(StmtId stmt) {
    if (const StmtId leave = find_return(stmt); !leave.is_none()) return refuse(leave, "the body may return here");
    const std::vector<CellUse> uses = uses_in(stmt);
    const bool stores = stores_any(uses, stmt);
    const Fold* loop = loop_at(stmt);
    const std::string why = loop == nullptr ? "" : why_not(*loop);
    if (loop != nullptr && why.empty()) return add_loop(*loop, stores, must_wait(uses, false)), true;
    if (stores && loop != nullptr) return refuse(stmt, why);
    if (stores && !is_single_store(stmt))
      return refuse(stmt,
                    "it stores cells, but it is no single assignment, nor a loop that only stores cells of its own in "
                    "each round and adds up");
    if (loop != nullptr && is_long(rule_, *loop)) note(stmt, why);
    const bool waits = must_wait(uses, stores);
    if (stores || waits)
      computation_.phases.push_back({stores ? PhaseKind::First : PhaseKind::Alike, stmt, {}, false, waits});
    return true;
  }

  void add_loop(const Fold& loop, bool stores, bool waits) {
    is_worthwhile_ = is_worthwhile_ || is_long(rule_, loop);
    const StmtId inner = divided_inner(rule_, computation_, loop.loop);
    computation_.phases.push_back({PhaseKind::Divided, loop.loop, inner, stores, waits});
  }

  /// The loop that the statement is, if its rounds may run apart; null if it is none.
  [[nodiscard]] const Fold* loop_at(StmtId stmt) const {
    if (const MapLoop* map = computation_.find_map(stmt)) return &map->loop;
    if (const ScatterLoop* scatter = computation_.find_scatter(stmt)) return &scatter->loop;
    return computation_.find(stmt);
  }
  [[nodiscard]] std::string why_not(const Fold& loop) const {
    const ScatterLoop* scatter = computation_.find_scatter(loop.loop);
    return scatter != nullptr ? why_not_divided(rule_, *scatter, keeps_order_)
                              : why_not_divided(rule_, loop, keeps_order_);
  }

  /// All work-items have read the old values of single elements before one of them stores new ones, at the end.
  void wait_for_old_values() {
    const auto separates = [&](const Phase& phase) { return phase.waits || computation_.has_parts(phase); };
    std::vector<Phase>& phases = computation_.phases;
    const bool has_elements = !std::all_of(rule_.outputs.begin(), rule_.outputs.end(), is_region);
    if (has_elements && std::none_of(phases.begin(), phases.end(), separates)) phases.front().waits = true;
  }

  bool refuse(StmtId stmt, const std::string& reason) {
    note(stmt, reason + "; so no loop of the body is divided");
    computation_.phases.clear();
    is_worthwhile_ = false;
    return false;
  }

  /// Whether the statement stores to memory. Cells that are kept are written there by the last loop that stores them.
  [[nodiscard]] bool stores_any(const std::vector<CellUse>& uses, StmtId stmt) const {
    bool found = false;
    for (std::size_t i = 0; i < uses.size(); ++i)
      found |= uses[i].stores && (kept_until_[i].is_none() || kept_until_[i] == stmt);
    return found;
  }

  /// Whether work-items must wait for one another before a statement. Notes what it does.
  bool must_wait(const std::vector<CellUse>& uses, bool by_first) {
    const auto differ = [](const CellUse& before, const CellUse& now) {
      return (before.stores && (now.reads || now.stores)) || (before.reads && now.stores);
    };
    bool waits = false;
    for (std::size_t i = 0; i < uses.size(); ++i)
      waits |= kept_until_[i].is_none() &&
               (differ(pending_[i].by_others, uses[i]) || (!by_first && differ(pending_[i].by_first, uses[i])));
    if (waits) pending_.assign(pending_.size(), {});
    for (std::size_t i = 0; i < uses.size(); ++i) {
      CellUse& known = by_first ? pending_[i].by_first : pending_[i].by_others;
      known.reads |= uses[i].reads;
      known.stores |= uses[i].stores;
    }
    return waits;
  }

  // ---- what statements do

  void find_stored_cells() {
    walk(
        body_, body_.root, [](StmtId) {},
        [&](ExprId id) {
          const auto& node = body_.exprs[id].node;
          const auto* assign = std::get_if<AssignExpr>(&node);
          const auto* unary = std::get_if<UnaryExpr>(&node);
          const bool steps = unary != nullptr && kind_of(unary->op) == OperatorKind::Step;
          if (assign != nullptr) stored_.insert(assign->lhs);
          if (assign != nullptr && !assign->is_compound) overwritten_.insert(assign->lhs);
          if (steps) stored_.insert(unary->operand);
        });
  }

  /// What the statement does with the cells of each output that is a region.
  [[nodiscard]] std::vector<CellUse> uses_in(StmtId stmt) const {
    std::vector<CellUse> out(rule_.outputs.size());
    walk(
        body_, stmt, [](StmtId) {},
        [&](ExprId id) {
          const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
          if (member == nullptr || is_size_member(member->name)) return;
          const NameBinding& binding = rule_.body_types.bindings[member->object.index()];
          if (binding.kind != NameKind::Output || !std::holds_alternative<NameExpr>(body_.exprs[member->object].node))
            return;
          out[binding.index].reads |= !overwritten_.contains(id);
          out[binding.index].stores |= stored_.contains(id);
        });
    return out;
  }

  /// Whether the statement is one assignment to a cell and changes nothing else.
  [[nodiscard]] bool is_single_store(StmtId stmt) const {
    const auto* single = std::get_if<ExprStmt>(&body_.stmts[stmt].node);
    const auto* assign = single == nullptr ? nullptr : std::get_if<AssignExpr>(&body_.exprs[single->expr].node);
    const auto* cell = assign == nullptr ? nullptr : std::get_if<MemberExpr>(&body_.exprs[assign->lhs].node);
    int num_changes = 0;
    walk(
        body_, stmt, [](StmtId) {},
        [&](ExprId id) {
          const auto* unary = std::get_if<UnaryExpr>(&body_.exprs[id].node);
          const bool steps = unary != nullptr && kind_of(unary->op) == OperatorKind::Step;
          num_changes += steps || std::holds_alternative<AssignExpr>(body_.exprs[id].node) ? 1 : 0;
        });
    return cell != nullptr && is_cell_call(*cell) && num_changes == 1;
  }

  /// A `return` in the statement; none if there is none.
  [[nodiscard]] StmtId find_return(StmtId stmt) const {
    StmtId found;
    walk(
        body_, stmt,
        [&](StmtId id) {
          if (found.is_none() && std::holds_alternative<ReturnStmt>(body_.stmts[id].node)) found = id;
        },
        [](ExprId) {});
    return found;
  }

  void note(StmtId stmt, std::string reason) {
    computation_.undivided.push_back({stmt, std::move(reason), body_.stmts[stmt].span});
  }

  void note_long(StmtId stmt, const std::string& reason) {
    const Fold* loop = loop_at(stmt);
    if (loop != nullptr && is_long(rule_, *loop)) note(stmt, reason);
  }

  const Rule& rule_;
  const Body& body_;
  Computation& computation_;
  bool keeps_order_;
  bool are_boxes_;                         ///< the instances of each step
  bool are_launches_apart_;                ///< no launch reads what it writes
  std::set<ExprId> stored_, overwritten_;  ///< assigned expressions; those of them that are not read, too
  std::vector<StmtId> kept_until_;         ///< by output: the loop that writes kept cells to memory; none: not kept
  std::vector<PendingUse> pending_;        ///< by output
  bool is_worthwhile_ = false;             ///< some loop is long
};

}  // namespace

void find_phases(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) {
    const Rule& rule = analysis.rule(id);
    Computation& computation = analysis.plan.computations[id.index()];
    PhaseFinder(analysis, id, computation, {}).run();
    find_stages(rule, computation);
    computation.kept = find_kept_cells(analysis, rule, computation);
    if (!computation.kept.any()) continue;
    Computation with_kept = computation;
    with_kept.phases.clear();
    PhaseFinder(analysis, id, with_kept, computation.kept).run();
    computation.kept.phases = std::move(with_kept.phases);
  }
}

}  // namespace pb::choices
