// SPDX-License-Identifier: MIT
#include "choicegraph/passes/computation/find_filled_outputs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"

namespace pb::choices {
namespace {

using Kind = BodyType::Kind;

Formula number(std::int64_t value) { return {IntLiteral{value}, {}}; }
Formula combined(FormulaOp op, Formula a, Formula b) { return {BinaryFormula{op, {std::move(a), std::move(b)}}, {}}; }

class FilledOutputs {
 public:
  FilledOutputs(const Rule& rule, const Computation& computation, const FormulaScope& scope)
      : rule_(rule), body_(rule.body), types_(rule.body_types), computation_(computation), scope_(scope) {}

  [[nodiscard]] std::vector<std::size_t> find() const {
    std::vector<std::size_t> out;
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[body_.root].node);
    for (std::size_t i = 0; block != nullptr && i < rule_.outputs.size(); ++i)
      if (rule_.outputs[i].num_body_dims() == 1 && is_filled(*block, i)) out.push_back(i);
    return out;
  }

 private:
  [[nodiscard]] bool is_filled(const BlockStmt& block, std::size_t output) const {
    for (const StmtId stmt : block.stmts) {
      const MapLoop* map = computation_.find_map(stmt);
      if (map != nullptr && stores_first(*map, output) && is_whole(map->loop, output)) return true;
      if (may_use(stmt, output)) return false;
    }
    return false;
  }

  /// Whether each round gives its cell of the output a new value, and does nothing with it before.
  [[nodiscard]] bool stores_first(const MapLoop& map, std::size_t output) const {
    const StmtId inside = std::get<ForStmt>(body_.stmts[map.loop.loop].node).body;
    const auto* block = std::get_if<BlockStmt>(&body_.stmts[inside].node);
    const std::vector<StmtId> stmts = block == nullptr ? std::vector<StmtId>{inside} : block->stmts;
    for (const StmtId stmt : stmts) {
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

  /// Whether the rounds of the loop are all coordinates of the region.
  [[nodiscard]] bool is_whole(const Fold& loop, std::size_t output) const {
    if (loop.var_type.narrow_bytes != 0 || (loop.var_type.is_unsigned && loop.step < 0)) return false;
    if (loop.step != 1 && loop.step != -1) return false;
    const bool is_up = loop.step > 0;
    const auto lowest = formula_of(is_up ? loop.first : loop.last);
    const auto highest = formula_of(is_up ? loop.last : loop.first);
    const auto size = size_of(rule_.outputs[output], 0);
    if (!lowest || !highest || !size) return false;
    const std::int64_t above = is_up || loop.is_inclusive ? 0 : 1;    // from `lowest` to the least round
    const std::int64_t beyond = is_up && !loop.is_inclusive ? 0 : 1;  // from `highest` to behind the last round
    return never_holds({*lowest, RelationOp::Greater, number(-above), {}}) &&
           never_holds({combined(FormulaOp::Add, *highest, number(beyond)), RelationOp::Less, *size, {}});
  }

  [[nodiscard]] bool never_holds(const Relation& relation) const {
    const auto instances = keep_where(rule_.domain, relation, scope_);
    return instances && instances->is_known() && instances->is_empty();
  }

  /// The number of cells of a region in a dimension of its own.
  [[nodiscard]] static std::optional<Formula> size_of(const RegionAccess& access, std::size_t body_dim) {
    for (std::size_t d = 0; d < access.lo.size(); ++d)
      if (!access.is_fixed_dim(d) && body_dim-- == 0) return combined(FormulaOp::Sub, access.hi[d], access.lo[d]);
    return std::nullopt;
  }

  /// A whole number of the body as a formula; none if it may not have the value of one.
  [[nodiscard]] std::optional<Formula> formula_of(ExprId id) const {
    const Expr& expr = body_.exprs[id];
    const BodyType& type = types_.types[id.index()];
    const NameBinding& binding = types_.bindings[id.index()];
    if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return formula_of_size(*member);
    if ((type.kind != Kind::Int && type.kind != Kind::Long) || type.is_unsigned) return std::nullopt;
    if (const auto value = constant_value(body_, id)) return number(*value);
    if (const auto* name = std::get_if<NameExpr>(&expr.node)) {
      if (binding.kind == NameKind::SizeVar) return Formula{SymbolRef{SymbolKind::SizeVar, name->text}, {}};
      if (binding.kind == NameKind::RuleVar) return Formula{SymbolRef{SymbolKind::RuleVar, name->text}, {}};
      return std::nullopt;
    }
    const auto* binary = std::get_if<BinaryExpr>(&expr.node);
    const bool is_sum = binary != nullptr && (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub);
    if (!is_sum) return std::nullopt;
    const auto lhs = formula_of(binary->lhs);
    const auto rhs = formula_of(binary->rhs);
    if (!lhs || !rhs) return std::nullopt;
    return combined(binary->op == BinaryOp::Add ? FormulaOp::Add : FormulaOp::Sub, *lhs, *rhs);
  }

  /// The size of a region of one dimension.
  [[nodiscard]] std::optional<Formula> formula_of_size(const MemberExpr& member) const {
    const NameBinding& binding = types_.bindings[member.object.index()];
    const bool is_known = binding.kind == NameKind::Input || binding.kind == NameKind::Output;
    if (!std::holds_alternative<NameExpr>(body_.exprs[member.object].node) || !is_known) return std::nullopt;
    const RegionAccess& access = (binding.kind == NameKind::Input ? rule_.inputs : rule_.outputs)[binding.index];
    const bool is_size = member.name == "size" || member.name == "width" || member.name == "count";
    return is_size && access.num_body_dims() == 1 ? size_of(access, 0) : std::nullopt;
  }

  const Rule& rule_;
  const Body& body_;
  const BodyTypes& types_;
  const Computation& computation_;
  const FormulaScope& scope_;
};

}  // namespace

std::vector<std::size_t> find_filled_outputs(const Rule& rule, const Computation& computation,
                                             const FormulaScope& scope) {
  return FilledOutputs(rule, computation, scope).find();
}

}  // namespace pb::choices
