// SPDX-License-Identifier: MIT
#include "choicegraph/plan/task_loops.h"

#include <algorithm>

#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb {
namespace {

class TaskLoopFinder {
 public:
  TaskLoopFinder(const Rule& rule, const Computation& computation)
      : rule_(rule), body_(rule.body), computation_(computation) {}

  [[nodiscard]] std::vector<TaskLoop> run() const {
    std::vector<TaskLoop> out;
    visit(body_.root, false, out);
    return out;
  }

 private:
  /// A map inside of a loop that is not divided stays as it is, because it may be short, and runs again and again.
  void visit(StmtId id, bool is_in_loop, std::vector<TaskLoop>& out) const {
    const MapLoop* map = computation_.find_map(id);
    if (const ScatterLoop* scatter = computation_.find_scatter(id); scatter != nullptr && may_divide(*scatter)) {
      out.push_back({id, has_loops(scatter->loop), !scatter->is_exact(), regions_of(rule_, *scatter), scatter->bins,
                     scatter->num_running, scatter->branched});
      return;
    }
    const Fold* head = map != nullptr ? &map->loop : computation_.find(id);
    if (head != nullptr && may_divide(*head) && (map == nullptr || !is_in_loop)) {
      out.push_back({id, has_loops(*head), !head->is_exact(), map != nullptr ? regions_of(rule_, *map) : MapRegions()});
      return;
    }
    for_each_child(
        body_.stmts[id], [&](StmtId child) { visit(child, is_in_loop || is_loop(body_.stmts[id]), out); },
        [](ExprId) {});
  }

  [[nodiscard]] bool may_divide(const ScatterLoop& loop) const {
    return loop.may_regroup() && may_divide(loop.loop) &&
           std::all_of(loop.bins.begin(), loop.bins.end(),
                       [](const Accumulator& bins) { return bins.places.empty() && is_number(bins.type); });
  }

  [[nodiscard]] bool may_divide(const Fold& fold) const {
    return fold.step == 1 && fold.may_regroup() && has_own_text(fold) && counts_in_64_bits(fold, rule_.body_types) &&
           !has_constant_end(body_, std::get<ForStmt>(body_.stmts[fold.loop].node)) &&
           std::all_of(fold.accumulators.begin(), fold.accumulators.end(), [&](const Accumulator& each) {
             return is_variable(each.target) &&
                    std::all_of(each.places.begin(), each.places.end(),
                                [&](const auto& at) { return is_variable(at.target) && is_number(at.type); });
           });
  }

  /// Whether the loop's limits have a text that can be replaced. That of `for (T v : region)` has no such head, which
  /// frontend/check_types made.
  [[nodiscard]] bool has_own_text(const Fold& fold) const {
    return body_.exprs[fold.first].tokens != TokenRange{} && body_.exprs[fold.last].tokens != TokenRange{};
  }

  /// Cells as accumulators or as places are no variables that a task can have for itself.
  [[nodiscard]] bool is_variable(ExprId target) const {
    return std::holds_alternative<NameExpr>(body_.exprs[target].node);
  }

  [[nodiscard]] bool has_loops(const Fold& fold) const {
    bool found = false;
    walk(
        body_, std::get<ForStmt>(body_.stmts[fold.loop].node).body,
        [&](StmtId id) { found |= is_loop(body_.stmts[id]); }, [](ExprId) {});
    return found;
  }

  const Rule& rule_;
  const Body& body_;
  const Computation& computation_;
};

}  // namespace

std::vector<TaskLoop> find_task_loops(const Rule& rule, const Computation& computation) {
  if (!rule.vars.empty() || has_opaque_parts(rule)) return {};
  return TaskLoopFinder(rule, computation).run();
}

std::string to_words(const TaskLoop& divided, const Fold& head) {
  std::string out = "its loop over " + head.var + " may run in chunks";
  if (divided.is_rounded) out += ", in any order";
  if (divided.bins.empty())
    for (const std::string& name : divided.apart.stored) out += ", cells of `" + name + "`";
  for (const Accumulator& each : divided.bins) out += ", " + to_words(each) + ", in bins";
  for (std::size_t i = 0; i < head.accumulators.size(); ++i)
    out += i < divided.num_running ? ", at the running place `" + head.accumulators[i].name + "`"
                                   : ", " + to_words(head.accumulators[i]);
  return out;
}

}  // namespace pb
