// SPDX-License-Identifier: MIT
#include "clgen/body_code_printer.h"

#include <utility>

#include "clgen/facts/names.h"
#include "lang/check.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

/// Whether compilers warn about an operator `inner` that stands inside of `outer` without parentheses.
bool wants_parentheses(Precedence outer, Precedence inner) {
  if (outer == inner || inner >= Precedence::Unary) return false;
  return outer >= Precedence::Or && outer <= Precedence::Shift;
}

/// Returns the number in a spelling that all targets accept: without `'` between digits, and with the suffix `l`
/// instead of `ll`, because OpenCL C reserves `long long`.
std::string plain_number(std::string text) {
  std::erase(text, '\'');
  for (const char* twice : {"ll", "LL"})
    if (const auto at = text.find(twice); at != std::string::npos) text.erase(at, 1);
  return text;
}

}  // namespace

std::string BodyCodePrinter::expr(ExprId id, Precedence min_precedence) {
  Piece result = piece(id);
  return result.precedence < min_precedence ? "(" + result.text + ")" : result.text;
}

BodyCodePrinter::Piece BodyCodePrinter::binary_piece(const BinaryExpr& binary) {
  const Precedence precedence = precedence_of(binary.op);
  Piece lhs = piece(binary.lhs);
  Piece rhs = piece(binary.rhs);
  if (lhs.precedence < precedence || wants_parentheses(precedence, lhs.precedence)) lhs.text = "(" + lhs.text + ")";
  if (rhs.precedence <= precedence || wants_parentheses(precedence, rhs.precedence)) rhs.text = "(" + rhs.text + ")";
  return {lhs.text + (binary.op == BinaryOp::Comma ? ", " : std::string(" ") + spelling(binary.op) + " ") + rhs.text,
          precedence};
}

BodyCodePrinter::Piece BodyCodePrinter::unary_piece(const UnaryExpr& unary) {
  const auto prefix = [&](const char* op) {
    std::string operand = expr(unary.operand, Precedence::Unary);
    // `- -a`, not `--a`.
    const bool touches = operand[0] == op[0] && (op[0] == '-' || op[0] == '+' || op[0] == '&');
    return Piece{std::string(op) + (touches ? " " : "") + operand, Precedence::Unary};
  };
  if (place_of(unary.op) == OperatorPlace::Prefix) return prefix(spelling(unary.op));
  return {expr(unary.operand, Precedence::Postfix) + spelling(unary.op), Precedence::Postfix};
}

BodyCodePrinter::Piece BodyCodePrinter::assign_piece(const AssignExpr& assign) {
  const std::string op = assign.is_compound ? std::string(spelling(assign.op)) + "=" : "=";
  return {expr(assign.lhs, Precedence::Unary) + " " + op + " " + expr(assign.rhs, Precedence::Assign),
          Precedence::Assign};
}

BodyCodePrinter::Piece BodyCodePrinter::conditional_piece(ExprId id, const ConditionalExpr& node) {
  if (dialect_.conditional) {
    auto text = dialect_.conditional(id, node, expr(node.condition), expr(node.if_true), expr(node.if_false));
    if (text) return {std::move(*text), Precedence::Postfix};
  }
  return {expr(node.condition, Precedence::Or) + " ? " + expr(node.if_true, Precedence::Assign) + " : " +
              expr(node.if_false, Precedence::Conditional),
          Precedence::Conditional};
}

BodyCodePrinter::Piece BodyCodePrinter::piece(ExprId id) {
  if (dialect_.expr)
    if (auto text = dialect_.expr(*this, id)) return {std::move(*text), Precedence::Postfix};
  const auto args_of = [&](const std::vector<ExprId>& args) {
    Texts texts;
    for (ExprId arg : args) texts.push_back(expr(arg, Precedence::Assign));
    return texts;
  };
  return std::visit(
      Overloaded{
          [&](const IntegerExpr& node) {
            return Piece{plain_number(node.text), Precedence::Primary};
          },
          [&](const FloatExpr& node) {
            return Piece{plain_number(node.text), Precedence::Primary};
          },
          [&](const CharExpr& node) {
            return Piece{node.text, Precedence::Primary};
          },
          [&](const StringExpr& node) {
            return Piece{node.text, Precedence::Primary};
          },
          [&](const BoolExpr& node) {
            return Piece{node.value ? "true" : "false", Precedence::Primary};
          },
          [&](const NameExpr& node) {
            return Piece{dialect_.name ? dialect_.name(id, node) : node.text, Precedence::Primary};
          },
          [&](const UnaryExpr& node) { return unary_piece(node); },
          [&](const BinaryExpr& node) { return binary_piece(node); },
          [&](const AssignExpr& node) { return assign_piece(node); },
          [&](const ConditionalExpr& node) { return conditional_piece(id, node); },
          [&](const CallExpr& node) {
            const Texts args = args_of(node.args);
            return Piece{dialect_.call ? dialect_.call(id, node, args) : node.callee + "(" + joined(args) + ")",
                         Precedence::Postfix};
          },
          [&](const MemberExpr& node) {
            const Texts args = args_of(node.args);
            if (dialect_.member) return Piece{dialect_.member(id, node, args), Precedence::Postfix};
            return Piece{expr(node.object, Precedence::Postfix) + (node.is_arrow ? "->" : ".") + node.name +
                             (node.is_call ? "(" + joined(args) + ")" : ""),
                         Precedence::Postfix};
          },
          [&](const SubscriptExpr& node) {
            return Piece{expr(node.object, Precedence::Postfix) + "[" + expr(node.index) + "]", Precedence::Postfix};
          },
          [&](const CastExpr& node) {
            if (dialect_.cast) return Piece{dialect_.cast(id, node, expr(node.operand)), Precedence::Postfix};
            return Piece{"(" + node.type_text + ")" + expr(node.operand, Precedence::Unary), Precedence::Unary};
          },
          [&](const InitListExpr& node) {
            return Piece{"{" + joined(args_of(node.items)) + "}", Precedence::Primary};
          },
          [&](const LambdaExpr&) {
            PB_CHECK(false, "neither kernels nor packs hold lambdas");
            return Piece{"", Precedence::Primary};
          },
          [&](const OpaqueExpr&) {
            PB_CHECK(false, "an opaque expression has no tree to print");
            return Piece{"", Precedence::Primary};
          },
      },
      body_.exprs[id].node);
}

std::string BodyCodePrinter::declaration(const DeclStmt& decl) {
  std::string out;
  for (const Declarator& declarator : decl.declarators) {
    const std::uint32_t local = next_local_++;
    // Each declarator gets a type of its own, because a target may give the declarators of one statement different
    // types.
    std::string text =
        dialect_.declarator ? dialect_.declarator(decl, declarator, local) : decl.type_text + " " + declarator.name;
    for (ExprId extent : declarator.extents) text += "[" + (extent.is_none() ? "" : expr(extent)) + "]";
    if (!declarator.init.is_none()) {
      const std::string init = expr(declarator.init, Precedence::Assign);
      text += " = " + (dialect_.init ? dialect_.init(decl, declarator, local, init) : init);
    }
    out += (out.empty() ? "" : "; ") + text;
  }
  return out;
}

std::string BodyCodePrinter::for_head(const ForStmt& loop) {
  std::string init;
  if (!loop.init.is_none()) {
    const Stmt& stmt = body_.stmts[loop.init];
    if (const auto* decl = std::get_if<DeclStmt>(&stmt.node)) {
      PB_CHECK(decl->declarators.size() == 1, "a loop head with several declarators is printed by print_stmt");
      init = declaration(*decl);
    } else if (const auto* start = std::get_if<ExprStmt>(&stmt.node)) {
      init = expr(start->expr);
    }
  }
  return init + "; " + (loop.condition.is_none() ? "" : expr(loop.condition)) + "; " +
         (loop.step.is_none() ? "" : expr(loop.step));
}

void BodyCodePrinter::print_children(Writer& out, StmtId id) {
  if (const auto* block = std::get_if<BlockStmt>(&body_.stmts[id].node)) {
    bool after_label = false;
    for (StmtId child : block->stmts) {
      // In C a label must be followed by a statement, and a declaration is not one.
      if (after_label && std::holds_alternative<DeclStmt>(body_.stmts[child].node)) out.line(";");
      print_stmt(out, child);
      after_label = std::holds_alternative<CaseStmt>(body_.stmts[child].node);
    }
  } else {
    print_stmt(out, id);
  }
}

void BodyCodePrinter::print_body(Writer& out) { print_children(out, body_.root); }

void BodyCodePrinter::print_block_of(Writer& out, const std::string& head, StmtId id) {
  out.open(head);
  print_children(out, id);
  out.close();
}

void BodyCodePrinter::print_if(Writer& out, const IfStmt& stmt) {
  out.open("if (" + expr(stmt.condition) + ")");
  print_children(out, stmt.then_stmt);
  if (!stmt.else_stmt.is_none()) {
    out.reopen("else");
    print_children(out, stmt.else_stmt);
  }
  out.close();
}

void BodyCodePrinter::print_switch(Writer& out, const SwitchStmt& stmt) {
  out.open("switch (" + expr(stmt.value) + ")");
  print_children(out, stmt.body);
  out.close();
}

void BodyCodePrinter::print_for(Writer& out, const ForStmt& loop) {
  if (dialect_.before_for) dialect_.before_for(out, loop);
  print_block_of(out, "for (" + for_head(loop) + ")", loop.body);
}

void BodyCodePrinter::print_stmt(Writer& out, StmtId id) {
  if (dialect_.stmt && dialect_.stmt(out, *this, id)) return;
  std::visit(
      Overloaded{
          [&](const EmptyStmt&) { out.line(";"); },
          [&](const BlockStmt&) { print_block_of(out, "", id); },
          [&](const IfStmt& stmt) { print_if(out, stmt); },
          [&](const ForStmt& stmt) {
            const auto* decl = stmt.init.is_none() ? nullptr : std::get_if<DeclStmt>(&body_.stmts[stmt.init].node);
            const bool declares_several = decl != nullptr && decl->declarators.size() != 1;
            if (!declares_several) return print_for(out, stmt);
            out.open("");
            out.line(declaration(*decl) + ";");
            ForStmt rest = stmt;
            rest.init = StmtId();
            print_for(out, rest);
            out.close();
          },
          [&](const WhileStmt& stmt) { print_block_of(out, "while (" + expr(stmt.condition) + ")", stmt.body); },
          [&](const DoStmt& stmt) {
            out.open("do");
            print_children(out, stmt.body);
            out.close(" while (" + expr(stmt.condition) + ");");
          },
          [&](const SwitchStmt& stmt) { print_switch(out, stmt); },
          [&](const CaseStmt& stmt) { out.line(stmt.value.is_none() ? "default:" : "case " + expr(stmt.value) + ":"); },
          [&](const ReturnStmt& stmt) {
            out.line(stmt.value.is_none() ? "return;" : "return " + expr(stmt.value) + ";");
          },
          [&](const BreakStmt&) { out.line("break;"); },
          [&](const ContinueStmt&) { out.line("continue;"); },
          [&](const DeclStmt& stmt) { out.line(declaration(stmt) + ";"); },
          [&](const ExprStmt& stmt) { out.line(expr(stmt.expr) + ";"); },
          [&](const ForEnoughStmt&) { PB_CHECK(false, "for_enough has no tree form"); },
          [&](const TransformCallStmt&) { PB_CHECK(false, "a call of a transform has no tree form"); },
          [&](const SyncStmt&) { PB_CHECK(false, "sync has no tree form"); },
          [&](const OpaqueStmt&) { PB_CHECK(false, "an opaque statement has no tree to print"); },
      },
      body_.stmts[id].node);
}

}  // namespace pb
