// SPDX-License-Identifier: MIT
// Walks over the tree of a rule body: direct children of a node, and all nodes below one.
// Used by analyses that look for a few kinds of node and do not care about the rest.
#pragma once

#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "lang/body/body.h"

namespace pb {

/// Calls `visit(ExprId)` for each direct operand of `expr`, in order of the text. A lambda has none: it holds
/// statements.
template <class Visit>
void for_each_operand(const Expr& expr, Visit&& visit) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, UnaryExpr> || std::is_same_v<Node, CastExpr>) {
          visit(node.operand);
        } else if constexpr (std::is_same_v<Node, BinaryExpr> || std::is_same_v<Node, AssignExpr>) {
          visit(node.lhs);
          visit(node.rhs);
        } else if constexpr (std::is_same_v<Node, ConditionalExpr>) {
          visit(node.condition);
          visit(node.if_true);
          visit(node.if_false);
        } else if constexpr (std::is_same_v<Node, CallExpr>) {
          for (ExprId arg : node.args) visit(arg);
        } else if constexpr (std::is_same_v<Node, MemberExpr>) {
          visit(node.object);
          for (ExprId arg : node.args) visit(arg);
        } else if constexpr (std::is_same_v<Node, SubscriptExpr>) {
          visit(node.object);
          visit(node.index);
        } else if constexpr (std::is_same_v<Node, InitListExpr>) {
          for (ExprId item : node.items) visit(item);
        }
      },
      expr.node);
}

/// Calls `on_stmt(StmtId)` and `on_expr(ExprId)` for each direct child of `stmt`, in order of the text.
template <class OnStmt, class OnExpr>
void for_each_child(const Stmt& stmt, OnStmt&& on_stmt, OnExpr&& on_expr) {
  const auto stmt_if = [&](StmtId id) {
    if (!id.is_none()) on_stmt(id);
  };
  const auto expr_if = [&](ExprId id) {
    if (!id.is_none()) on_expr(id);
  };
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, BlockStmt>) {
          for (StmtId child : node.stmts) stmt_if(child);
        } else if constexpr (std::is_same_v<Node, IfStmt>) {
          expr_if(node.condition);
          stmt_if(node.then_stmt);
          stmt_if(node.else_stmt);
        } else if constexpr (std::is_same_v<Node, ForStmt>) {
          stmt_if(node.init);
          expr_if(node.condition);
          expr_if(node.step);
          stmt_if(node.body);
        } else if constexpr (std::is_same_v<Node, WhileStmt>) {
          expr_if(node.condition);
          stmt_if(node.body);
        } else if constexpr (std::is_same_v<Node, DoStmt>) {
          stmt_if(node.body);
          expr_if(node.condition);
        } else if constexpr (std::is_same_v<Node, ForEnoughStmt>) {
          stmt_if(node.body);
        } else if constexpr (std::is_same_v<Node, SwitchStmt>) {
          expr_if(node.value);
          stmt_if(node.body);
        } else if constexpr (std::is_same_v<Node, CaseStmt> || std::is_same_v<Node, ReturnStmt>) {
          expr_if(node.value);
        } else if constexpr (std::is_same_v<Node, TransformCallStmt>) {
          for (ExprId arg : node.template_args) expr_if(arg);
          for (ExprId arg : node.args) expr_if(arg);
        } else if constexpr (std::is_same_v<Node, DeclStmt>) {
          for (const Declarator& declarator : node.declarators) {
            for (ExprId extent : declarator.extents) expr_if(extent);
            expr_if(declarator.init);
          }
        } else if constexpr (std::is_same_v<Node, ExprStmt>) {
          expr_if(node.expr);
        }
      },
      stmt.node);
}

template <class OnStmt, class OnExpr>
void walk(const Body& body, StmtId stmt, OnStmt&& on_stmt, OnExpr&& on_expr);

/// Calls `on_expr(ExprId)` for `expr` and everything below it, parents first; `on_stmt(StmtId)` for statements of
/// lambdas.
template <class OnStmt, class OnExpr>
void walk_within(const Body& body, ExprId expr, OnStmt&& on_stmt, OnExpr&& on_expr) {
  on_expr(expr);
  if (const auto* lambda = std::get_if<LambdaExpr>(&body.exprs[expr].node)) {
    for (const StmtId local : lambda->locals) walk(body, local, on_stmt, on_expr);
    return walk(body, lambda->body, on_stmt, on_expr);
  }
  for_each_operand(body.exprs[expr], [&](ExprId operand) { walk_within(body, operand, on_stmt, on_expr); });
}

/// Calls `visit(ExprId)` for `expr` and everything below it, parents first.
template <class Visit>
void walk_expr(const Body& body, ExprId expr, Visit&& visit) {
  walk_within(
      body, expr, [](StmtId) {}, visit);
}

/// Calls `on_stmt(StmtId)` for `stmt` and every statement below it, and `on_expr(ExprId)` for every
/// expression in them, parents first, in order of the text.
template <class OnStmt, class OnExpr>
void walk(const Body& body, StmtId stmt, OnStmt&& on_stmt, OnExpr&& on_expr) {
  on_stmt(stmt);
  for_each_child(
      body.stmts[stmt], [&](StmtId child) { walk(body, child, on_stmt, on_expr); },
      [&](ExprId expr) { walk_within(body, expr, on_stmt, on_expr); });
}

/// Whether a statement is a loop of any kind.
inline bool is_loop(const Stmt& stmt) {
  return std::holds_alternative<ForStmt>(stmt.node) || std::holds_alternative<WhileStmt>(stmt.node) ||
         std::holds_alternative<DoStmt>(stmt.node) || std::holds_alternative<ForEnoughStmt>(stmt.node);
}

/// Whether below a statement is a `continue` of the loop around it.
inline bool has_continue(const Body& body, StmtId id) {
  const Stmt& stmt = body.stmts[id];
  if (std::holds_alternative<ContinueStmt>(stmt.node)) return true;
  if (is_loop(stmt)) return false;
  bool found = false;
  for_each_child(
      stmt, [&](StmtId child) { found = found || has_continue(body, child); }, [](ExprId) {});
  return found;
}

/// The statements of a block, or the statement itself.
inline std::vector<StmtId> stmts_of(const Body& body, StmtId id) {
  const auto* block = std::get_if<BlockStmt>(&body.stmts[id].node);
  return block == nullptr ? std::vector<StmtId>{id} : block->stmts;
}

/// Whether a member of a region says its size: `region.width()`, `region.size(0)`.
inline bool is_size_member(std::string_view name) {
  return name == "size" || name == "width" || name == "height" || name == "depth" || name == "count";
}

/// Whether an expression is `region.cell(…)`.
inline bool is_cell_call(const MemberExpr& member) {
  return member.is_call && !member.is_arrow && member.name == "cell";
}

/// What `a = …`, `a += …`, `++a` and `a--` change.
///
/// Pre: the expression is one of these
inline ExprId target_of(const Body& body, ExprId id) {
  const auto& node = body.exprs[id].node;
  if (const auto* assign = std::get_if<AssignExpr>(&node)) return assign->lhs;
  return std::get<UnaryExpr>(node).operand;
}

}  // namespace pb
