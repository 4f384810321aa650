// SPDX-License-Identifier: MIT
#include "choicegraph/passes/device/find_divided_folds.h"

#include <algorithm>
#include <set>
#include <string>

#include "lang/body/body_walk.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

class DividedFolds {
 public:
  DividedFolds(const Rule& rule, const Computation& computation, bool keeps_order)
      : rule_(rule), body_(rule.body), computation_(computation), keeps_order_(keeps_order) {}

  std::vector<DividedLoops> find() const {
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr || !stores_single_cells() || reads_what_it_writes()) return {};
    std::vector<DividedLoops> out;
    for (const StmtId stmt : block->stmts) {
      const Fold* fold = computation_.find(stmt);
      if (fold != nullptr && may_divide(*fold)) out.push_back({stmt, inner_of(*fold)});
      if (has_return(stmt)) break;
    }
    return out;
  }

 private:
  [[nodiscard]] bool stores_single_cells() const {
    return !rule_.outputs.empty() &&
           std::all_of(rule_.outputs.begin(), rule_.outputs.end(),
                       [](const RegionAccess& output) { return output.num_body_dims() == 0; });
  }

  [[nodiscard]] bool reads_what_it_writes() const {
    return std::any_of(rule_.inputs.begin(), rule_.inputs.end(), [&](const RegionAccess& input) {
      return std::any_of(rule_.outputs.begin(), rule_.outputs.end(),
                         [&](const RegionAccess& output) { return output.matrix == input.matrix; });
    });
  }

  [[nodiscard]] bool has_return(StmtId stmt) const {
    bool found = false;
    walk(
        body_, stmt, [&](StmtId id) { found |= std::holds_alternative<ReturnStmt>(body_.stmts[id].node); },
        [](ExprId) {});
    return found;
  }

  [[nodiscard]] bool may_divide(const Fold& fold) const {
    return is_long(fold) && counts_in_64_bits(fold) &&
           std::all_of(fold.accumulators.begin(), fold.accumulators.end(),
                       [&](const Accumulator& each) { return may_divide(each); });
  }

  /// The loop of the fold inside, if all updates stand there and its range is the same in all iterations around it.
  [[nodiscard]] StmtId inner_of(const Fold& fold) const {
    const auto is_inside = [&](const Fold& each) { return each.outer && &computation_.folds[*each.outer] == &fold; };
    const auto found = std::find_if(computation_.folds.begin(), computation_.folds.end(), is_inside);
    if (found == computation_.folds.end() || !counts_in_64_bits(*found) || !has_same_accumulators(fold, *found) ||
        !runs_once(std::get<ForStmt>(body_.stmts[fold.loop].node).body, found->loop))
      return {};
    std::set<std::string> varying = {fold.var};
    walk(
        body_, fold.loop,
        [&](StmtId id) {
          const auto* decl = std::get_if<DeclStmt>(&body_.stmts[id].node);
          if (decl == nullptr) return;
          for (const Declarator& declarator : decl->declarators) varying.insert(declarator.name);
        },
        [](ExprId) {});
    bool is_fixed = true;
    for (const ExprId bound : {found->first, found->last}) {
      walk_expr(body_, bound, [&](ExprId id) {
        const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
        const auto* member = std::get_if<MemberExpr>(&body_.exprs[id].node);
        is_fixed = is_fixed && (name == nullptr || !varying.contains(name->text)) &&
                   (member == nullptr || member->name != "cell");
      });
    }
    return is_fixed ? found->loop : StmtId();
  }

  /// Whether the statement `inner` runs at most once where `stmt` does.
  [[nodiscard]] bool runs_once(StmtId stmt, StmtId inner) const {
    if (stmt == inner) return true;
    if (stmt.is_none()) return false;
    const auto& node = body_.stmts[stmt].node;
    if (const auto* branch = std::get_if<IfStmt>(&node))
      return runs_once(branch->then_stmt, inner) || runs_once(branch->else_stmt, inner);
    const auto* block = std::get_if<BlockStmt>(&node);
    return block != nullptr &&
           std::any_of(block->stmts.begin(), block->stmts.end(), [&](StmtId each) { return runs_once(each, inner); });
  }

  [[nodiscard]] static bool has_same_accumulators(const Fold& a, const Fold& b) {
    const auto is_same = [](const Accumulator& x, const Accumulator& y) {
      return x.binding == y.binding && x.updates.size() == y.updates.size();
    };
    return a.accumulators.size() == b.accumulators.size() &&
           std::is_permutation(a.accumulators.begin(), a.accumulators.end(), b.accumulators.begin(), is_same);
  }

  /// Cells as accumulators or as places are no variables of a work-item.
  [[nodiscard]] bool may_divide(const Accumulator& accumulator) const {
    const bool is_free =
        accumulator.regrouping == Regrouping::Exact || (accumulator.regrouping == Regrouping::Rounds && !keeps_order_);
    const auto is_variable = [&](ExprId target) { return std::holds_alternative<NameExpr>(body_.exprs[target].node); };
    return is_free && is_variable(accumulator.target) &&
           std::all_of(accumulator.places.begin(), accumulator.places.end(),
                       [&](const FoldPlace& place) { return is_variable(place.target) && is_number(place.type); });
  }

  /// Whether the number of iterations is worth dividing: it is no constant, and no extent of a small box.
  [[nodiscard]] bool is_long(const Fold& fold) const {
    std::set<std::string> in_boxes;
    for (const RegionAccess& input : rule_.inputs) {
      if (input.kind != AccessKind::Region) continue;
      for (const Formula& end : input.hi)
        for (const std::string& name : symbols_of(end, SymbolKind::SizeVar)) in_boxes.insert(name);
    }
    std::size_t num_names = 0;
    bool is_small = false;
    for (const ExprId bound : {fold.first, fold.last}) {
      walk_expr(body_, bound, [&](ExprId id) {
        const auto* name = std::get_if<NameExpr>(&body_.exprs[id].node);
        if (name == nullptr) return;
        ++num_names;
        is_small = is_small || in_boxes.contains(name->text);
      });
    }
    return num_names > 0 && !is_small;
  }

  /// Whether the loop's variable and bounds are integers that a signed number of 64 bits holds.
  [[nodiscard]] bool counts_in_64_bits(const Fold& fold) const {
    const auto holds = [&](const BodyType& type) {
      const bool is_whole = type.kind == Kind::Int || type.kind == Kind::Long;
      return is_whole && !type.is_element && (!type.is_unsigned || type.narrow_bytes > 0);
    };
    const auto type_of = [&](ExprId id) { return rule_.body_types.types[id.index()]; };
    return holds(fold.var_type) && holds(type_of(fold.first)) && holds(type_of(fold.last));
  }

  const Rule& rule_;
  const Body& body_;
  const Computation& computation_;
  bool keeps_order_;
};

}  // namespace

void find_divided_folds(Analysis& analysis) {
  for (const RuleId id : analysis.transform.rules.ids()) {
    Computation& computation = analysis.plan.computations[id.index()];
    computation.divided =
        DividedFolds(analysis.rule(id), computation, analysis.fold_orders == FoldOrders::Source).find();
  }
}

}  // namespace pb::choices
