// SPDX-License-Identifier: MIT
// The state of checking one body, shared by the parts of check_types. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb::checking {

/// What a name means where it stands.
struct NamedThing {
  NameBinding binding;
  BodyType type;
};

/// What only the body's own fiber may do: a call of a transform or `sync`.
struct RuntimeCall {
  std::string what;
  Span span;
};

class BodyChecker {
 public:
  /// Checks one body. `native_functions` are those that the program's prefix blocks declare.
  BodyChecker(const Program& program, const std::set<std::string>& native_functions, const Transform& transform,
              const Rule& rule, Diagnostics& diags);

  /// Visits the whole body.
  [[nodiscard]] BodyTypes run();
  /// What the calls in the body mean. Pre: run() was called.
  [[nodiscard]] std::vector<TransformCall> take_calls() { return std::move(calls_); }

  // ---- statements (stmts.cpp)
  void check_stmt(StmtId id);

  // ---- expressions (exprs.cpp); an absent expression is allowed and has type Unknown
  BodyType check_expr(ExprId id);

  // ---- lambdas (lambdas.cpp)
  void check_lambda(ExprId id, const LambdaExpr& lambda);
  /// Notes that a name of the body is called as a function.
  void note_called(const NameBinding& callee, Span span);
  /// Notes that a local is another name of a lambda, if it is.
  void note_lambda(const DeclStmt& decl, const Declarator& declarator, std::uint32_t local);
  /// Checks that lambdas with calls of transforms run within the body alone.
  void check_lambda_uses();

  // ---- calls of transforms (calls.cpp)
  void check_call(StmtId id, const TransformCallStmt& call);
  void check_returns();
  void check_initial(const Declarator& declarator);
  void check_opaque(const OpaqueStmt& stmt, TokenRange tokens);

  // ---- names (names.cpp)
  void enter_rule_scope();
  void push_scope() { scopes_.emplace_back(); }
  void pop_scope() { scopes_.pop_back(); }
  void declare_local(const std::string& name, const BodyType& type, std::uint32_t local);
  /// Gives the local just declared the type of its initial value.
  void retype_local(const std::string& name, const BodyType& type);
  [[nodiscard]] std::optional<NamedThing> find(const std::string& name) const;
  /// Reports a matrix of the transform that the body names without having it as a region.
  void report_if_invisible_matrix(const std::string& name, Span span);

  /// The type of one element of a matrix of `element`.
  [[nodiscard]] BodyType element_type(ElementType element, bool is_element_t, bool is_const) const;
  /// `ElementT` as written in the body becomes what --element says.
  [[nodiscard]] BodyType normalised(BodyType type) const;

  [[nodiscard]] const Body& body() const { return rule_.body; }
  [[nodiscard]] const BodyType& type_of(ExprId id) const { return out_.types[id.index()]; }
  [[nodiscard]] const NameBinding& binding_of(ExprId id) const { return out_.bindings[id.index()]; }
  [[nodiscard]] Diagnostics& diags() { return diags_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const Transform& transform() const { return transform_; }
  [[nodiscard]] const Rule& rule() const { return rule_; }

 private:
  BodyType type_of_name(ExprId id, const NameExpr& name);
  BodyType type_of_unary(const UnaryExpr& unary, Span span);
  BodyType type_of_binary(const BinaryExpr& binary);
  BodyType type_of_assign(const AssignExpr& assign, Span span);
  BodyType type_of_conditional(const ConditionalExpr& conditional);
  BodyType type_of_call(const CallExpr& call, ExprId id);
  BodyType type_of_member(const MemberExpr& member, Span span);
  BodyType type_of_subscript(const SubscriptExpr& subscript);
  void check_missing(const CallExpr& call, Span span);
  void report_if_no_function(const CallExpr& call, const NamedThing& thing, Span span);
  void check_writable(ExprId target, Span span);
  void check_declaration(const DeclStmt& decl);
  void check_return(const ReturnStmt& stmt, Span span);
  void declare_region(const RegionAccess& access, NameKind kind, std::uint32_t index);
  [[nodiscard]] const RegionAccess* read_only_region(ExprId id) const;

  const Program& program_;
  const std::set<std::string>& native_functions_;
  const Transform& transform_;
  const Rule& rule_;
  Diagnostics& diags_;
  BodyTypes out_;
  std::vector<TransformCall> calls_;
  std::vector<std::map<std::string, NamedThing>> scopes_;
  std::uint32_t num_locals_ = 0;
  bool may_return_ = false;  ///< the body itself, not a lambda in it
  int lambda_depth_ = 0;
  std::vector<RuntimeCall> runtime_calls_;                   ///< in the order of the text
  std::map<std::uint32_t, RuntimeCall> lambdas_with_calls_;  ///< by ExprId
  std::map<std::uint32_t, RuntimeCall> locals_with_calls_;   ///< names of such, by number of their declarator
};

/// The value of an expression that is known when the program is compiled.
struct KnownValue {
  std::int64_t value = 0;
  bool names_constant = false;  ///< it depends on a template parameter or a `duplicate` variable
};
/// The value of an expression; nothing if it is known at run time only. Pre: the expression was checked.
[[nodiscard]] std::optional<KnownValue> known_value(const BodyChecker& checker, ExprId id);

/// Puts the values of the rule's constants into its tree, where no local hides them.
///
/// Pre: `rule.body_types` says which names are constants
void put_constants(Rule& rule);

/// Whether a declaration leaves its type to the initial value.
[[nodiscard]] bool is_auto(const std::string& type_text);

/// Puts types for `auto` and numbers for the extents of arrays into the rule's tree, where they are certain.
///
/// Pre: put_constants went before
void settle_locals(Rule& rule);

/// Result of a function or constant of docs/reference/language.md 7.7 and of the mathematical ones of C++; none: not
/// one of these.
[[nodiscard]] std::optional<BodyType> type_of_builtin_call(const std::string& callee,
                                                           const std::vector<BodyType>& args);
[[nodiscard]] std::optional<BodyType> type_of_builtin_constant(const std::string& name);

// Arithmetic of C++ on the types that bodies know.
[[nodiscard]] bool is_arithmetic(const BodyType& type);
[[nodiscard]] BodyType promoted(BodyType type);
[[nodiscard]] BodyType common_type(const BodyType& a, const BodyType& b);
/// Whether the types are the same but for `const`.
[[nodiscard]] bool is_same_type(BodyType a, const BodyType& b);
[[nodiscard]] BodyType plain_type(BodyType::Kind kind);

}  // namespace pb::checking
