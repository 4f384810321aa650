// SPDX-License-Identifier: MIT
#include "choicegraph/plan/task_folds.h"

#include <algorithm>

#include "choicegraph/plan/lane_loops.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb {
namespace {

class TaskFoldFinder {
 public:
  TaskFoldFinder(const Rule& rule, const Computation& computation)
      : rule_(rule), body_(rule.body), computation_(computation) {}

  [[nodiscard]] std::vector<TaskFold> run() const {
    std::vector<TaskFold> out;
    std::vector<bool> is_inside(computation_.folds.size(), false);  // of one that is divided, or divided itself
    for (std::size_t i = 0; i < computation_.folds.size(); ++i) {
      const Fold& fold = computation_.folds[i];
      is_inside[i] = fold.outer && is_inside[*fold.outer];
      if (is_inside[i] || !may_divide(fold)) continue;
      is_inside[i] = true;
      out.push_back({i, has_loops(fold), !fold.is_exact()});
    }
    return out;
  }

 private:
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

std::vector<TaskFold> find_task_folds(const Rule& rule, const Computation& computation) {
  if (!rule.vars.empty() || has_opaque_parts(rule)) return {};
  return TaskFoldFinder(rule, computation).run();
}

std::string to_words(const TaskFold& divided, const Fold& fold) {
  std::string out = "its loop over " + fold.var + " may run in chunks";
  if (divided.is_rounded) out += ", in any order";
  for (const Accumulator& each : fold.accumulators) out += ", " + to_words(each);
  return out;
}

}  // namespace pb
