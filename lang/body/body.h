// SPDX-License-Identifier: MIT
// The statement tree of one rule body, beside the user's own text. CPU code is the text (`tokens`, verbatim) with the
// ranges of transform calls, `sync` and `for_enough` rewritten; OpenCL C, SIMD bodies and analyses use the tree. Code
// that the grammar does not know is an Opaque node with its reason. A rule with such a node has no device version, but
// the program compiles.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lang/operators.h"
#include "lang/span.h"
#include "lang/store.h"
#include "lang/types.h"

namespace pb {

using StmtId = Id<struct StmtTag>;
using ExprId = Id<struct ExprTag>;

/// One token of a body after preprocessing. `leading` is the white space (and
/// comments, as blanks and newlines) before it, so that the text can be put together again.
struct BodyToken {
  std::string text;
  std::string leading;
  Span spelling;   ///< where the characters stand (in a macro definition, if they come from one)
  Span expansion;  ///< where the text is in use: the macro's use, or `spelling` if no macro is involved
};

/// Half-open range of indices into Body::tokens.
struct TokenRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const TokenRange&) const = default;
};

// ---- Expressions -----------------------------------------------------------

struct IntegerExpr {
  std::string text;
};  ///< as written, with suffix and base
struct FloatExpr {
  std::string text;
};
struct CharExpr {
  std::string text;
};
struct StringExpr {
  std::string text;
};
struct BoolExpr {
  bool value = false;
};
/// A plain or qualified name: `sum`, `std::max`, `PetabricksRuntime::randInt`. `text` without blanks.
struct NameExpr {
  std::string text;
};
struct UnaryExpr {
  UnaryOp op;
  ExprId operand;
};
struct BinaryExpr {
  BinaryOp op;
  ExprId lhs;
  ExprId rhs;
};
/// `op` is meaningful only if `is_compound` (`+=`: Add).
struct AssignExpr {
  bool is_compound = false;
  BinaryOp op = BinaryOp::Add;
  ExprId lhs;
  ExprId rhs;
};
struct ConditionalExpr {
  ExprId condition;
  ExprId if_true;
  ExprId if_false;
};
/// A call of a function by name; calls of transforms are statements.
struct CallExpr {
  std::string callee;
  std::vector<ExprId> args;
};
/// `object.name(args)` or `object.name`; `is_arrow` for `->`.
struct MemberExpr {
  ExprId object;
  std::string name;
  bool is_call = false;
  bool is_arrow = false;
  std::vector<ExprId> args;
};
struct SubscriptExpr {
  ExprId object;
  ExprId index;
};
struct CastExpr {
  BodyType type;
  std::string type_text;
  ExprId operand;
};  ///< C style, functional and static_cast
struct InitListExpr {
  std::vector<ExprId> items;
};
/// `[captures](params) { body }`. `locals` declares what the text in the brackets and the parentheses does: captures
/// with a value of their own, then parameters; each is a DeclStmt.
struct LambdaExpr {
  TokenRange captures;
  std::vector<StmtId> locals;
  StmtId body;
};
/// Tokens passed through; `reason` completes "…, because <reason>".
struct OpaqueExpr {
  std::string reason;
};

struct Expr {
  std::variant<IntegerExpr, FloatExpr, CharExpr, StringExpr, BoolExpr, NameExpr, UnaryExpr, BinaryExpr, AssignExpr,
               ConditionalExpr, CallExpr, MemberExpr, SubscriptExpr, CastExpr, InitListExpr, LambdaExpr, OpaqueExpr>
      node;
  TokenRange tokens;
  Span span;
};

// ---- Statements ------------------------------------------------------------

struct EmptyStmt {};
struct BlockStmt {
  std::vector<StmtId> stmts;
};
struct IfStmt {
  ExprId condition;
  StmtId then_stmt;
  StmtId else_stmt;
};  ///< else_stmt may be none
/// `for (T v : range)` has an opaque head in `condition`, for C++ knows more ranges than this tree. If the range is a
/// region, frontend/check_types replaces the loop by loops over its cells.
struct ForStmt {
  StmtId init;  ///< DeclStmt, ExprStmt or none
  ExprId condition;
  ExprId step;
  StmtId body;
  StmtId variable = {};  ///< the DeclStmt of `T v`, which no walk visits; none in other loops
  ExprId range = {};     ///< likewise
};
struct WhileStmt {
  ExprId condition;
  StmtId body;
};
struct DoStmt {
  StmtId body;
  ExprId condition;
};
/// `tunable`: the hidden one that holds the number of iterations; set by frontend/resolve.
struct ForEnoughStmt {
  std::int64_t min = 1;
  std::int64_t max = 1000;
  StmtId body;
  TokenRange head;
  std::string tunable;
};
struct SwitchStmt {
  ExprId value;
  StmtId body;
};
struct CaseStmt {
  ExprId value;
};  ///< none: `default:`
struct ReturnStmt {
  ExprId value;
};  ///< may be none
struct BreakStmt {};
struct ContinueStmt {};
/// `[spawn] T<targs>(args);` and the legacy forms SPAWN(T, …), CALL(T, …).
struct TransformCallStmt {
  std::string callee;
  Span callee_span;
  bool is_spawn = false;
  bool is_legacy = false;
  std::vector<ExprId> template_args;
  std::vector<ExprId> args;
};
struct SyncStmt {};
struct Declarator {
  std::string name;
  Span name_span;
  int pointer_depth = 0;
  bool is_reference = false;
  std::vector<ExprId> extents;  ///< only for arrays
  ExprId init;                  ///< may be none
};
struct DeclStmt {
  BodyType type;
  std::string type_text;
  bool is_static = false;
  std::vector<Declarator> declarators;
};
struct ExprStmt {
  ExprId expr;
};
struct OpaqueStmt {
  std::string reason;
};

struct Stmt {
  std::variant<EmptyStmt, BlockStmt, IfStmt, ForStmt, WhileStmt, DoStmt, ForEnoughStmt, SwitchStmt, CaseStmt,
               ReturnStmt, BreakStmt, ContinueStmt, TransformCallStmt, SyncStmt, DeclStmt, ExprStmt, OpaqueStmt>
      node;
  TokenRange tokens;
  Span span;
};

struct Body {
  std::vector<BodyToken> tokens;  ///< without the outer braces
  Store<StmtId, Stmt> stmts;
  Store<ExprId, Expr> exprs;
  StmtId root;  ///< a BlockStmt of the body's statements
  Span span;    ///< the braces and everything between them
};

// ---- Side tables, filled by frontend/check_types ----------------------------

enum class NameKind : std::uint8_t {
  Unknown,    ///< a name of a prefix block or of C++, which is passed through
  Local,      ///< declared in the body
  Output,     ///< region name of `to ( )`
  Input,      ///< region name of `from ( )`
  Temporary,  ///< declared in `using ( )`
  SizeVar,
  RuleVar,
  Tunable,
  Param,
  ScalarInput,  ///< a 0-D input of the transform under its matrix name
  BuiltIn,      ///< 7.7
  Constant,     ///< Rule::constants; while types are checked only, then its value stands in the tree
};
struct NameBinding {
  NameKind kind = NameKind::Unknown;
  /// The index of the output, input, temporary, size variable, rule variable or tunable; for a ScalarInput the
  /// MatrixId; for a Local the number of its declarator, counted in the order of the text.
  std::uint32_t index = 0;

  bool operator==(const NameBinding&) const = default;
};

/// Types and bindings of one body's expressions, by ExprId.
struct BodyTypes {
  std::vector<BodyType> types;
  std::vector<NameBinding> bindings;
};

}  // namespace pb
