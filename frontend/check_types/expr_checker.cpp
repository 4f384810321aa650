// SPDX-License-Identifier: MIT
#include "frontend/check_types/expr_checker.h"

#include <algorithm>
#include <utility>

#include "frontend/check_types/matrix_names.h"
#include "frontend/check_types/read_only.h"
#include "frontend/check_types/region_members.h"
#include "frontend/check_types/vocabulary/arithmetic.h"
#include "lang/body/constant_value.h"
#include "lang/overloaded.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

/// The first of `int`, `unsigned`, `long`, `unsigned long` that holds the value: decimal ones are unsigned only by
/// suffix.
BodyType integer_literal_type(const std::string& text) {
  const std::size_t suffix = std::min(text.find_first_of("uUlL"), text.size());
  const bool has_u = text.find_first_of("uU", suffix) != std::string::npos;
  const bool has_l = text.find_first_of("lL", suffix) != std::string::npos;
  const bool is_decimal = !text.starts_with('0') || suffix == 1;
  const auto magnitude = literal_magnitude(text);
  const auto fits = [&](std::uint64_t max) { return magnitude && *magnitude <= max; };
  BodyType type = plain_type(!has_l && fits(has_u || !is_decimal ? UINT32_MAX : INT32_MAX) ? Kind::Int : Kind::Long);
  const bool is_signed = fits(type.kind == Kind::Int ? INT32_MAX : INT64_MAX) || is_decimal;
  type.is_unsigned = has_u || !is_signed;
  return type;
}

BodyType float_literal_type(const std::string& text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_float = !text.empty() && (text.back() == 'f' || text.back() == 'F') && !is_hex;
  return plain_type(is_float ? Kind::Float : Kind::Double);
}

/// The arithmetic type that a pointer or an array holds.
BodyType pointee(const BodyType& type) {
  if (type.kind != Kind::Pointer && type.kind != Kind::Array) return {};
  BodyType out = number_type(type.element);
  out.is_element = type.is_element;
  out.is_const = type.is_const;
  if (!type.is_unsigned && type.narrow_bytes == 0) return out;
  // These properties come from the variable's type, because variables can have types that matrices cannot.
  out.is_unsigned = type.is_unsigned;
  out.narrow_bytes = type.narrow_bytes;
  return out;
}

}  // namespace

ExprChecker::ExprChecker(BodyContext& context, const Scopes& scopes, LambdaUses& lambdas, LambdaCheck check_lambda)
    : context_(context), scopes_(scopes), lambdas_(lambdas), check_lambda_(std::move(check_lambda)) {}

BodyType ExprChecker::check(ExprId id) {
  if (id.is_none()) return {};
  const Expr& expr = context_.body().exprs[id];
  BodyType type =
      std::visit(Overloaded{[](const IntegerExpr& literal) { return integer_literal_type(literal.text); },
                            [](const FloatExpr& literal) { return float_literal_type(literal.text); },
                            [](const CharExpr&) { return plain_type(Kind::Char); },
                            [](const StringExpr&) { return plain_type(Kind::String); },
                            [](const BoolExpr&) { return plain_type(Kind::Bool); },
                            [&](const NameExpr& name) { return type_of_name(id, name); },
                            [&](const UnaryExpr& unary) { return type_of_unary(unary, expr.span); },
                            [&](const BinaryExpr& binary) { return type_of_binary(binary); },
                            [&](const AssignExpr& assign) { return type_of_assign(assign, expr.span); },
                            [&](const ConditionalExpr& conditional) { return type_of_conditional(conditional); },
                            [&](const CallExpr& call) { return type_of_call(call, id); },
                            [&](const MemberExpr& member) { return type_of_member(member, expr.span); },
                            [&](const SubscriptExpr& subscript) { return type_of_subscript(subscript); },
                            [&](const CastExpr& cast) {
                              (void)check(cast.operand);
                              return normalised(context_.program, cast.type);
                            },
                            [&](const InitListExpr& list) {
                              for (const ExprId item : list.items) (void)check(item);
                              return BodyType{};
                            },
                            [&](const LambdaExpr& lambda) {
                              check_lambda_(id, lambda);
                              return BodyType{};
                            },
                            [](const OpaqueExpr&) { return BodyType{}; }},
                 expr.node);
  context_.found.types[id.index()] = type;
  return type;
}

BodyType ExprChecker::type_of_name(ExprId id, const NameExpr& name) {
  if (const auto found = scopes_.find(name.text)) {
    context_.found.bindings[id.index()] = found->binding;
    return found->type;
  }
  if (const auto constant = type_of_builtin_constant(name.text)) {
    context_.found.bindings[id.index()] = {NameKind::BuiltIn, 0};
    return *constant;
  }
  report_if_invisible_matrix(context_, name.text, context_.body().exprs[id].span);
  return {};
}

BodyType ExprChecker::type_of_unary(const UnaryExpr& unary, Span span) {
  const BodyType operand = check(unary.operand);
  switch (unary.op) {
    case UnaryOp::Plus:
    case UnaryOp::Minus:
    case UnaryOp::BitNot:
      return promoted(operand);
    case UnaryOp::Not:
      return plain_type(Kind::Bool);
    case UnaryOp::Deref:
      return pointee(operand);
    case UnaryOp::AddressOf: {
      if (!is_arithmetic(operand) || operand.kind == Kind::Bool || operand.kind == Kind::Char) return {};
      BodyType out = operand;
      out.element = element_of(operand);
      out.kind = Kind::Pointer;
      return out;
    }
    case UnaryOp::PreInc:
    case UnaryOp::PreDec:
    case UnaryOp::PostInc:
    case UnaryOp::PostDec:
      report_if_read_only(context_, unary.operand, span);
      return operand;
  }
  return {};
}

BodyType ExprChecker::type_of_binary(const BinaryExpr& binary) {
  const BodyType lhs = check(binary.lhs);
  const BodyType rhs = check(binary.rhs);
  switch (result_of(binary.op)) {
    case OperatorResult::Right:
      return rhs;
    case OperatorResult::Truth:
      return plain_type(Kind::Bool);
    case OperatorResult::Left:
      return is_arithmetic(lhs) && is_arithmetic(rhs) ? promoted(lhs) : BodyType{};
    case OperatorResult::Common:
      break;
  }
  const bool is_offset = kind_of(binary.op) == OperatorKind::Sum;
  if (lhs.kind == Kind::Pointer && is_offset && is_arithmetic(rhs)) return lhs;
  if (rhs.kind == Kind::Pointer && binary.op == BinaryOp::Add && is_arithmetic(lhs)) return rhs;
  return common_type(lhs, rhs);
}

BodyType ExprChecker::type_of_assign(const AssignExpr& assign, Span span) {
  BodyType lhs = check(assign.lhs);
  (void)check(assign.rhs);
  report_if_read_only(context_, assign.lhs, span);
  return lhs;
}

BodyType ExprChecker::type_of_conditional(const ConditionalExpr& conditional) {
  (void)check(conditional.condition);
  const BodyType a = check(conditional.if_true);
  const BodyType b = check(conditional.if_false);
  return is_same_type(a, b) ? a : common_type(a, b);
}

namespace {

/// How to write the call of a transform as a statement.
std::string hint_of_statement(const Transform& transform, const std::string& callee) {
  const std::vector<MatrixId> outputs = transform.matrices_of(MatrixRole::To);
  std::string declarations, args;
  bool has_matrix = false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = outputs.size() == 1 ? "r" : "r" + std::to_string(i + 1);
    const int num_dims = transform.matrices[outputs[i]].num_dims();
    const std::string type = "MatrixRegion" + std::to_string(num_dims) + "D";
    declarations += num_dims == 0 ? "ElementT " + name + "; " : type + " " + name + " = " + type + "::allocate(...); ";
    args += name + ", ";
    has_matrix = has_matrix || num_dims > 0;
  }
  const std::string what = outputs.size() == 1 ? "the result a " : "each result a ";
  return "give " + what + "variable: `" + declarations + callee + "(" + args + "...);`" +
         (has_matrix ? ", or call it with what it is assigned to" : "");
}

}  // namespace

BodyType ExprChecker::type_of_call(const CallExpr& call, ExprId id) {
  std::vector<BodyType> args;
  for (const ExprId arg : call.args) args.push_back(check(arg));
  if (call.callee == "IS_MISSING") check_missing(call, context_.body().exprs[id].span);
  if (const auto found = scopes_.find(call.callee)) {  // a local may be a function object: C++ decides
    context_.found.bindings[id.index()] = found->binding;
    lambdas_.note_called(found->binding, context_.body().exprs[id].span);
    report_if_no_function(call, *found, context_.body().exprs[id].span);
    return {};
  }
  if (context_.native_functions.contains(call.callee.substr(0, call.callee.find('<')))) return {};
  const auto builtin = type_of_builtin_call(call.callee, args);
  const auto callee = context_.program.find_transform(call.callee);
  // A transform may have the name of a function of the C library.
  if (callee && !builtin) {
    context_.diags.emit(DiagKind::CallInExpression, context_.body().exprs[id].span)
        .arg(call.callee)
        .label(context_.program.transforms[*callee].span, "the transform")
        .hint(hint_of_statement(context_.program.transforms[*callee], call.callee));
    return {};
  }
  if (!builtin) {
    report_if_invisible_matrix(context_, call.callee, context_.body().exprs[id].span);
    return {};
  }
  context_.found.bindings[id.index()] = {NameKind::BuiltIn, 0};
  return normalised(context_.program, *builtin);
}

/// Reports a call of a region or an element, as in `in(x, y)`.
void ExprChecker::report_if_no_function(const CallExpr& call, const NamedThing& thing, Span span) {
  const NameKind kind = thing.binding.kind;
  if (kind != NameKind::Input && kind != NameKind::Output && kind != NameKind::Temporary &&
      kind != NameKind::ScalarInput)
    return;
  const bool is_region = thing.type.kind == Kind::Region;
  std::string args;
  for (const ExprId arg : call.args) {
    const TokenRange range = context_.body().exprs[arg].tokens;
    args += args.empty() ? "" : ", ";
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      args += (i > range.begin ? context_.body().tokens[i].leading : "") + context_.body().tokens[i].text;
  }
  context_.diags.emit(DiagKind::RegionCalled, span)
      .arg(is_region ? "region" : "element")
      .arg(call.callee)
      .hint(is_region ? "an element of it is `" + call.callee + ".cell(" + args + ")`"
                      : "it is one number: write its name alone");
}

/// The argument must be the name of an input that is one element (docs/reference/language.md 5.7).
void ExprChecker::check_missing(const CallExpr& call, Span span) {
  for (const ExprId arg : call.args) {
    const NameBinding& binding = context_.binding_of(arg);
    const bool is_input = binding.kind == NameKind::Input || binding.kind == NameKind::ScalarInput;
    const bool is_name = std::holds_alternative<NameExpr>(context_.body().exprs[arg].node);
    if (call.args.size() == 1 && is_name && is_input && is_arithmetic(context_.type_of(arg))) return;
    span = context_.body().exprs[arg].span;
  }
  context_.diags.emit(DiagKind::MissingOfOther, span);
}

BodyType ExprChecker::type_of_member(const MemberExpr& member, Span span) {
  const BodyType object = check(member.object);
  for (const ExprId arg : member.args) (void)check(arg);
  if (object.kind != Kind::Region || !member.is_call || member.is_arrow) return {};
  return type_of_region_member(context_, member, object, span);
}

BodyType ExprChecker::type_of_subscript(const SubscriptExpr& subscript) {
  const BodyType object = check(subscript.object);
  (void)check(subscript.index);
  return pointee(object);
}

}  // namespace pb::checking
