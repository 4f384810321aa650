// SPDX-License-Identifier: MIT
// The text form of body trees: a statement per line, expressions as S-expressions.
#include <fmt/format.h>

#include <string>

#include "lang/ast.h"
#include "lang/check.h"
#include "lang/overloaded.h"

namespace pb {
namespace {

/// Returns the spelling with a `_` at the operand's place if the operator can stand on both sides: `_++`, `++_`.
std::string tree_spelling(UnaryOp op) {
  if (place_of(op) == OperatorPlace::Postfix) return std::string("_") + spelling(op);
  return spelling(op) + std::string(kind_of(op) == OperatorKind::Step ? "_" : "");
}

class BodyTreePrinter {
 public:
  BodyTreePrinter(const Body& body, int indent) : body_(body), indent_(indent) {}

  std::string print() {
    if (!body_.root.is_none()) stmt(body_.root);
    return std::move(out_);
  }

 private:
  std::string source(TokenRange range) const {
    std::string out;  // on one line: runs of white space become one blank
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      if (i != range.begin && !body_.tokens[i].leading.empty()) out += ' ';
      out += body_.tokens[i].text;
    }
    return out;
  }

  std::string list(const std::vector<ExprId>& items) const {
    std::string out;
    for (const ExprId id : items) out += " " + expr(id);
    return out;
  }

  std::string expr(ExprId id) const {
    if (id.is_none()) return "()";
    const Expr& e = body_.exprs[id];
    return std::visit(
        Overloaded{
            [](const IntegerExpr& n) { return n.text; },
            [](const FloatExpr& n) { return n.text; },
            [](const CharExpr& n) { return n.text; },
            [](const StringExpr& n) { return n.text; },
            [](const BoolExpr& n) { return std::string(n.value ? "true" : "false"); },
            [](const NameExpr& n) { return n.text; },
            [&](const UnaryExpr& n) { return fmt::format("({} {})", tree_spelling(n.op), expr(n.operand)); },
            [&](const BinaryExpr& n) { return fmt::format("({} {} {})", spelling(n.op), expr(n.lhs), expr(n.rhs)); },
            [&](const AssignExpr& n) {
              return fmt::format("({}= {} {})", n.is_compound ? spelling(n.op) : "", expr(n.lhs), expr(n.rhs));
            },
            [&](const ConditionalExpr& n) {
              return fmt::format("(? {} {} {})", expr(n.condition), expr(n.if_true), expr(n.if_false));
            },
            [&](const CallExpr& n) { return fmt::format("(call {}{})", n.callee, list(n.args)); },
            [&](const MemberExpr& n) {
              return fmt::format("({}{} {}{}{})", n.is_arrow ? "->" : ".", n.name, expr(n.object), list(n.args),
                                 n.is_call ? "" : " member");
            },
            [&](const SubscriptExpr& n) { return fmt::format("([] {} {})", expr(n.object), expr(n.index)); },
            [&](const CastExpr& n) { return fmt::format("(cast {} {})", quoted(n.type_text), expr(n.operand)); },
            [&](const InitListExpr& n) { return fmt::format("(init{})", list(n.items)); },
            [&](const LambdaExpr& n) { return lambda(n); },
            [&](const OpaqueExpr& n) {
              return fmt::format("(opaque {} because {})", quoted(source(e.tokens)), n.reason);
            },
        },
        e.node);
  }

  /// The text of a lambda, with its statements on lines of their own.
  std::string lambda(const LambdaExpr& n) const {
    BodyTreePrinter inner(body_, indent_ + 2);
    for (const StmtId local : n.locals) inner.stmt(local);
    inner.stmt(n.body);
    return "(lambda " + quoted(source(n.captures)) + "\n" + inner.out_ +
           std::string(static_cast<std::size_t>(indent_) * 2 + 2, ' ') + ")";
  }

  static std::string quoted(const std::string& text) { return "`" + text + "`"; }

  void line(const std::string& text) { out_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n"; }

  void child(StmtId id) {
    if (id.is_none()) return;
    ++indent_;
    stmt(id);
    --indent_;
  }

  std::string declarator(const Declarator& d) const {
    std::string out(static_cast<std::size_t>(d.pointer_depth), '*');
    if (d.is_reference) out += "&";
    out += d.name;
    for (const ExprId extent : d.extents) out += "[" + expr(extent) + "]";
    if (!d.init.is_none()) out += " = " + expr(d.init);
    return out;
  }

  void decl(const DeclStmt& n) {
    std::string text = n.is_static ? "decl static " : "decl ";
    text += quoted(n.type_text);
    for (std::size_t i = 0; i < n.declarators.size(); ++i) text += (i == 0 ? " " : ", ") + declarator(n.declarators[i]);
    line(text + " : " + to_string(n.type));
  }

  void transform_call(const TransformCallStmt& n) {
    std::string text = n.is_spawn ? "spawn " : "transform-call ";
    text += n.callee;
    if (!n.template_args.empty()) text += " <" + list(n.template_args).substr(1) + ">";
    line(text + list(n.args) + (n.is_legacy ? " legacy" : ""));
  }

  void if_stmt(const IfStmt& n) {
    line("if " + expr(n.condition));
    child(n.then_stmt);
    if (n.else_stmt.is_none()) return;
    line("else");
    child(n.else_stmt);
  }

  void for_stmt(const ForStmt& n) {
    line("for " + expr(n.condition) + " step " + expr(n.step));
    if (!n.init.is_none()) {
      ++indent_;
      line("init");
      child(n.init);
      --indent_;
    }
    child(n.body);
  }

  void stmt(StmtId id) {
    const Stmt& s = body_.stmts[id];
    std::visit(Overloaded{
                   [&](const EmptyStmt&) { line("empty"); },
                   [&](const BlockStmt& n) {
                     line("block");
                     for (const StmtId inner : n.stmts) child(inner);
                   },
                   [&](const IfStmt& n) { if_stmt(n); },
                   [&](const ForStmt& n) { for_stmt(n); },
                   [&](const WhileStmt& n) {
                     line("while " + expr(n.condition));
                     child(n.body);
                   },
                   [&](const DoStmt& n) {
                     line("do");
                     child(n.body);
                     line("while " + expr(n.condition));
                   },
                   [&](const ForEnoughStmt& n) {
                     line(fmt::format("for_enough {} {}", n.min, n.max));
                     child(n.body);
                   },
                   [&](const SwitchStmt& n) {
                     line("switch " + expr(n.value));
                     child(n.body);
                   },
                   [&](const CaseStmt& n) { line(n.value.is_none() ? "default" : "case " + expr(n.value)); },
                   [&](const ReturnStmt& n) { line(n.value.is_none() ? "return" : "return " + expr(n.value)); },
                   [&](const BreakStmt&) { line("break"); },
                   [&](const ContinueStmt&) { line("continue"); },
                   [&](const TransformCallStmt& n) { transform_call(n); },
                   [&](const SyncStmt&) { line("sync"); },
                   [&](const DeclStmt& n) { decl(n); },
                   [&](const ExprStmt& n) { line(expr(n.expr)); },
                   [&](const OpaqueStmt& n) { line("opaque " + quoted(source(s.tokens)) + " because " + n.reason); },
               },
               s.node);
  }

  const Body& body_;
  int indent_;
  std::string out_;
};

}  // namespace

std::string to_string(const Body& body, int indent) { return BodyTreePrinter(body, indent).print(); }

}  // namespace pb
