// SPDX-License-Identifier: MIT
// Prints statements and expressions of a typed body tree as C-like text. What differs between
// targets (OpenCL C, packs) is a Dialect: a table of functions, each of which prints one kind
// of node. Used by clgen/opencl and clgen/cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clgen/writer/writer.h"
#include "lang/body/body.h"

namespace pb {

using Texts = std::vector<std::string>;
class BodyCodePrinter;

/// How a target spells the nodes that targets spell in different ways. Where a function is absent, the node is printed
/// as in C.
struct Dialect {
  std::function<std::string(ExprId, const NameExpr&)> name;
  std::function<std::string(ExprId, const CallExpr&, const Texts& args)> call;
  std::function<std::string(ExprId, const MemberExpr&, const Texts& args)> member;
  /// Returns a complete primary or postfix expression.
  std::function<std::string(ExprId, const CastExpr&, const std::string& operand)> cast;
  /// Returns a complete primary or postfix expression; none: the node is printed as in C.
  std::function<std::optional<std::string>(ExprId, const ConditionalExpr&, const std::string& condition,
                                           const std::string& if_true, const std::string& if_false)>
      conditional;
  /// Returns the text of a whole expression, a primary or postfix expression; none: it is printed as its node says.
  std::function<std::optional<std::string>(BodyCodePrinter&, ExprId)> expr;
  /// Returns `T name` of a declarator, without its array extents and its initial value. `local` is the number of the
  /// variable, in the order of declarations.
  std::function<std::string(const DeclStmt&, const Declarator&, std::uint32_t local)> declarator;
  /// Returns the text of a declarator's initial value, which is `init` in C.
  std::function<std::string(const DeclStmt&, const Declarator&, std::uint32_t local, const std::string& init)> init;
  /// Returns true if it has printed the whole statement itself.
  std::function<bool(Writer&, BodyCodePrinter&, StmtId)> stmt;
  /// Prints what stands directly before a `for`.
  std::function<void(Writer&, const ForStmt&)> before_for;
};

class BodyCodePrinter {
 public:
  BodyCodePrinter(const Body& body, const Dialect& dialect) : body_(body), dialect_(dialect) {}

  /// Prints the statements of the body at the writer's level.
  void print_body(Writer& out);
  void print_stmt(Writer& out, StmtId id);
  /// Prints the statements of a block, or the one statement, without braces.
  void print_children(Writer& out, StmtId id);
  /// Prints `head`, such as `for (…)`, and then the statement in braces.
  void print_block_of(Writer& out, const std::string& head, StmtId id);
  /// Returns `int i = 0; int j = 1`: one declaration per declarator, without the last semicolon.
  [[nodiscard]] std::string declaration(const DeclStmt& decl);
  /// Returns the text of the expression, in parentheses if it binds less tightly than `min_precedence`.
  [[nodiscard]] std::string expr(ExprId id, Precedence min_precedence = Precedence::Comma);
  /// Takes the number of a local whose declaration the caller prints itself.
  std::uint32_t take_local() { return next_local_++; }
  /// Returns the text between the parentheses of a `for`.
  [[nodiscard]] std::string for_head(const ForStmt& loop);

 private:
  struct Piece {
    std::string text;
    Precedence precedence;
  };
  Piece piece(ExprId id);
  Piece binary_piece(const BinaryExpr& binary);
  Piece unary_piece(const UnaryExpr& unary);
  Piece assign_piece(const AssignExpr& assign);
  Piece conditional_piece(ExprId id, const ConditionalExpr& node);
  void print_if(Writer& out, const IfStmt& stmt);
  void print_for(Writer& out, const ForStmt& loop);
  void print_switch(Writer& out, const SwitchStmt& stmt);

  const Body& body_;
  const Dialect& dialect_;
  std::uint32_t next_local_ = 0;
};

}  // namespace pb
