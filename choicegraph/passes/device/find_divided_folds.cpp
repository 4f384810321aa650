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

  std::vector<StmtId> find() const {
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    if (block == nullptr || !stores_single_cells() || reads_what_it_writes()) return {};
    std::vector<StmtId> out;
    for (const StmtId stmt : block->stmts) {
      const Fold* fold = computation_.find(stmt);
      if (fold != nullptr && may_divide(*fold)) out.push_back(stmt);
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

  /// Parts of a fold that notes a place would have to carry it; cells as accumulators are no variables of a work-item.
  [[nodiscard]] bool may_divide(const Accumulator& accumulator) const {
    const bool is_free =
        accumulator.regrouping == Regrouping::Exact || (accumulator.regrouping == Regrouping::Rounds && !keeps_order_);
    return is_free && accumulator.places.empty() &&
           std::holds_alternative<NameExpr>(body_.exprs[accumulator.target].node);
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
    computation.divided = DividedFolds(analysis.rule(id), computation, analysis.keeps_order).find();
  }
}

}  // namespace pb::choices
