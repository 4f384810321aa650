// SPDX-License-Identifier: MIT
// Types of expressions, and what the names in them mean. Private to this folder.
#pragma once

#include <functional>

#include "frontend/check_types/body_context.h"
#include "frontend/check_types/lambda_uses.h"
#include "frontend/check_types/vocabulary/scopes.h"

namespace pb::checking {

class ExprChecker {
 public:
  /// Checks the statements of a lambda.
  using LambdaCheck = std::function<void(ExprId, const LambdaExpr&)>;

  /// Keeps references. Names are looked up in `scopes` as they are when an expression is checked.
  ExprChecker(BodyContext& context, const Scopes& scopes, LambdaUses& lambdas, LambdaCheck check_lambda);

  /// Checks an expression with all that it consists of. The context gets its type and binding. An absent expression is
  /// allowed and has type Unknown.
  BodyType check(ExprId id);

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

  BodyContext& context_;
  const Scopes& scopes_;
  LambdaUses& lambdas_;
  LambdaCheck check_lambda_;
};

}  // namespace pb::checking
