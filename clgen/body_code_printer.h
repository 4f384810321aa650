// SPDX-License-Identifier: MIT
// Prints statements and expressions of a typed body tree as C-like text. What differs between
// targets (OpenCL C, packs) is a Dialect: a table of functions, each of which prints one kind
// of node. Used by clgen/opencl and clgen/cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/writer/writer.h"
#include "lang/body/body.h"

namespace pb {

using Texts = std::vector<std::string>;
class BodyCodePrinter;

/// How a target spells what is not the same in all. An absent function: the node prints as in C.
struct Dialect {
  std::function<std::string(ExprId, const NameExpr&)> name;
  std::function<std::string(ExprId, const CallExpr&, const Texts& args)> call;
  std::function<std::string(ExprId, const MemberExpr&, const Texts& args)> member;
  /// A complete primary or postfix expression.
  std::function<std::string(ExprId, const CastExpr&, const std::string& operand)> cast;
  /// Empty: print `c ? a : b`.
  std::function<std::string(ExprId, const ConditionalExpr&, const std::string& condition, const std::string& if_true,
                            const std::string& if_false)>
      conditional;
  /// `T name` of a declarator without its array extents and initial value. `local`: its number, in order of
  /// declarations.
  std::function<std::string(const DeclStmt&, const Declarator&, std::uint32_t local)> declarator;
  /// The initial value of a declarator; absent: as it is.
  std::function<std::string(const DeclStmt&, const Declarator&, std::uint32_t local, const std::string& init)> init;
  /// True if it has printed the whole statement itself.
  std::function<bool(Writer&, BodyCodePrinter&, StmtId)> stmt;
  /// What stands directly before a `for`.
  std::function<void(Writer&, const ForStmt&)> before_for;
};

class BodyCodePrinter {
 public:
  BodyCodePrinter(const Body& body, const Dialect& dialect) : body_(body), dialect_(dialect) {}

  /// The statements of the body, at the writer's level.
  void print_body(Writer& out);
  void print_stmt(Writer& out, StmtId id);
  /// The statements of a block, or the one statement, without braces.
  void print_children(Writer& out, StmtId id);
  /// The statement in braces: what follows a head such as `for (…)`.
  void print_block_of(Writer& out, const std::string& head, StmtId id);
  /// `int i = 0, j = 1` without the semicolon.
  [[nodiscard]] std::string declaration(const DeclStmt& decl);
  /// Text of the expression; in parentheses if it binds less tightly than `min_precedence`.
  [[nodiscard]] std::string expr(ExprId id, Precedence min_precedence = Precedence::Comma);
  /// The number of a local whose declaration the caller prints.
  std::uint32_t take_local() { return next_local_++; }
  /// What stands in the parentheses of a `for`.
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
