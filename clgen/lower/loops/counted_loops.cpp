// SPDX-License-Identifier: MIT
#include "clgen/lower/loops/counted_loops.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "lang/body/body_walk.h"
#include "lang/body/operands.h"
#include "lang/types.h"

namespace pb {
namespace {

class CountedLoopFinder {
 public:
  explicit CountedLoopFinder(const Rule& rule) : rule_(rule), body_(rule.body) {}

  [[nodiscard]] std::vector<CountedLoop> run() const {
    std::vector<CountedLoop> out;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          if (auto loop = counted(id)) out.push_back(std::move(*loop));
        },
        [](ExprId) {});
    return out;
  }

 private:
  [[nodiscard]] std::optional<CountedLoop> counted(StmtId id) const {
    const auto* node = std::get_if<ForStmt>(&body_.stmts[id].node);
    if (node == nullptr) return std::nullopt;
    const ForStmt& loop = *node;
    if (loop.init.is_none() || loop.condition.is_none() || loop.step.is_none()) return std::nullopt;
    const auto* decl = std::get_if<DeclStmt>(&body_.stmts[loop.init].node);
    if (decl == nullptr || decl->declarators.size() != 1 || decl->type.kind != BodyType::Kind::Int) return std::nullopt;
    const Declarator& variable = decl->declarators[0];
    const auto* test = std::get_if<BinaryExpr>(&body_.exprs[loop.condition].node);
    if (variable.init.is_none() || test == nullptr || test->op != BinaryOp::Less) return std::nullopt;
    if (!is_name(body_, test->lhs, variable.name) || !is_increment(loop.step, variable.name)) return std::nullopt;
    if (rule_.body_types.types[test->rhs.index()].kind != BodyType::Kind::Int) return std::nullopt;
    if (!is_simple(loop.body, variable.name, test->rhs)) return std::nullopt;
    return CountedLoop{id, variable.name, decl->type_text, variable.init, test->rhs};
  }

  bool is_increment(ExprId id, const std::string& name) const {
    if (const ExprId operand = incremented_operand(body_, id); !operand.is_none()) return is_name(body_, operand, name);
    const auto* assign = std::get_if<AssignExpr>(&body_.exprs[id].node);
    if (assign == nullptr || !assign->is_compound || assign->op != BinaryOp::Add || !is_name(body_, assign->lhs, name))
      return false;
    const auto* one = std::get_if<IntegerExpr>(&body_.exprs[assign->rhs].node);
    return one != nullptr && one->text == "1";
  }

  /// Whether the body of a loop has no loops and no jumps, and changes neither the variable nor the limit.
  bool is_simple(StmtId stmt, const std::string& variable, ExprId limit) const {
    bool is_simple = true;
    std::set<std::string> limit_names;
    walk_expr(body_, limit, [&](ExprId id) {
      const auto& node = body_.exprs[id].node;
      if (const auto* name = std::get_if<NameExpr>(&node)) limit_names.insert(name->text);
      const bool is_plain = std::holds_alternative<NameExpr>(node) || std::holds_alternative<IntegerExpr>(node) ||
                            std::holds_alternative<BinaryExpr>(node);
      is_simple = is_simple && is_plain;
    });
    walk(
        body_, stmt,
        [&](StmtId id) {
          const auto& node = body_.stmts[id].node;
          const bool fits = std::holds_alternative<BlockStmt>(node) || std::holds_alternative<ExprStmt>(node) ||
                            std::holds_alternative<DeclStmt>(node) || std::holds_alternative<EmptyStmt>(node) ||
                            std::holds_alternative<IfStmt>(node);
          is_simple = is_simple && fits;
        },
        [&](ExprId id) {
          const auto& node = body_.exprs[id].node;
          ExprId target;
          if (const auto* assign = std::get_if<AssignExpr>(&node)) target = assign->lhs;
          const auto* unary = std::get_if<UnaryExpr>(&node);
          if (unary != nullptr && kind_of(unary->op) == OperatorKind::Step) target = unary->operand;
          if (target.is_none()) return;
          const auto* name = std::get_if<NameExpr>(&body_.exprs[target].node);
          if (name != nullptr && (name->text == variable || limit_names.contains(name->text))) is_simple = false;
        });
    return is_simple;
  }

  const Rule& rule_;
  const Body& body_;
};

}  // namespace

std::vector<CountedLoop> find_counted_loops(const Rule& rule) { return CountedLoopFinder(rule).run(); }

}  // namespace pb
