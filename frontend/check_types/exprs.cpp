// SPDX-License-Identifier: MIT
// Types of expressions.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "frontend/check_types/body_checker.h"
#include "lang/constant_value.h"
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
  // These parts come from the variable's type, since variables may have more types than matrices.
  out.is_unsigned = type.is_unsigned;
  out.narrow_bytes = type.narrow_bytes;
  return out;
}

enum class Result : std::uint8_t { Element, SameRegion, OneLess, Mutable, Int, Long, Bool, Void, Unknown };
/// Members of regions (docs/reference/language.md 7.6). `num_args`: -1 not checked, -2 one per dimension, -3 two per
/// dimension.
struct RegionMember {
  std::string_view name;
  int num_args;
  Result result;
};
constexpr int kAny = -1;
constexpr int kPerDim = -2;
constexpr int kTwoPerDim = -3;
constexpr std::array kRegionMembers = {RegionMember{"cell", kPerDim, Result::Element},
                                       RegionMember{"region", kTwoPerDim, Result::SameRegion},
                                       RegionMember{"row", 1, Result::OneLess},
                                       RegionMember{"col", 1, Result::OneLess},
                                       RegionMember{"column", 1, Result::OneLess},
                                       RegionMember{"slice", 2, Result::OneLess},
                                       RegionMember{"transposed", 0, Result::SameRegion},
                                       RegionMember{"all", 0, Result::SameRegion},
                                       RegionMember{"forceMutable", 0, Result::Mutable},
                                       RegionMember{"size", 1, Result::Int},
                                       RegionMember{"width", 0, Result::Int},
                                       RegionMember{"height", 0, Result::Int},
                                       RegionMember{"depth", 0, Result::Int},
                                       RegionMember{"perimeter", 0, Result::Long},
                                       RegionMember{"count", 0, Result::Long},
                                       RegionMember{"bytes", 0, Result::Long},
                                       RegionMember{"contains", kPerDim, Result::Bool},
                                       RegionMember{"isSize", kPerDim, Result::Bool},
                                       RegionMember{"isEntireBuffer", 0, Result::Bool},
                                       RegionMember{"randomize", 0, Result::Void},
                                       RegionMember{"print", kAny, Result::Void},
                                       RegionMember{"useOnCpu", kAny, Result::Void},
                                       RegionMember{"modifyOnCpu", kAny, Result::Void},
                                       RegionMember{"copyTo", kAny, Result::Unknown}};

int expected_args(const RegionMember& member, int num_dims) {
  if (member.num_args == kPerDim) return num_dims;
  if (member.num_args == kTwoPerDim) return 2 * num_dims;
  return member.num_args;
}

BodyType member_result(const BodyChecker& checker, const RegionMember& member, const BodyType& region) {
  BodyType out = region;
  switch (member.result) {
    case Result::Element:
      return checker.element_type(region.element, region.is_element, region.is_const);
    case Result::SameRegion:
      return out;
    case Result::OneLess:
      out.num_dims = std::max(0, region.num_dims - 1);
      return out;
    case Result::Mutable:
      out.is_const = false;
      return out;
    case Result::Int:
      return plain_type(Kind::Int);
    case Result::Long:
      return plain_type(Kind::Long);
    case Result::Bool:
      return plain_type(Kind::Bool);
    case Result::Void:
      return plain_type(Kind::Void);
    case Result::Unknown:
      return {};
  }
  return {};
}

}  // namespace

BodyType BodyChecker::check_expr(ExprId id) {
  if (id.is_none()) return {};
  const Expr& expr = body().exprs[id];
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
                              (void)check_expr(cast.operand);
                              return normalised(cast.type);
                            },
                            [&](const InitListExpr& list) {
                              for (const ExprId item : list.items) (void)check_expr(item);
                              return BodyType{};
                            },
                            [&](const LambdaExpr& lambda) {
                              check_lambda(id, lambda);
                              return BodyType{};
                            },
                            [](const OpaqueExpr&) { return BodyType{}; }},
                 expr.node);
  out_.types[id.index()] = type;
  return type;
}

BodyType BodyChecker::type_of_name(ExprId id, const NameExpr& name) {
  if (const auto found = find(name.text)) {
    out_.bindings[id.index()] = found->binding;
    return found->type;
  }
  if (const auto constant = type_of_builtin_constant(name.text)) {
    out_.bindings[id.index()] = {NameKind::BuiltIn, 0};
    return *constant;
  }
  report_if_invisible_matrix(name.text, body().exprs[id].span);
  return {};
}

BodyType BodyChecker::type_of_unary(const UnaryExpr& unary, Span span) {
  const BodyType operand = check_expr(unary.operand);
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
      check_writable(unary.operand, span);
      return operand;
  }
  return {};
}

BodyType BodyChecker::type_of_binary(const BinaryExpr& binary) {
  const BodyType lhs = check_expr(binary.lhs);
  const BodyType rhs = check_expr(binary.rhs);
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

BodyType BodyChecker::type_of_assign(const AssignExpr& assign, Span span) {
  BodyType lhs = check_expr(assign.lhs);
  (void)check_expr(assign.rhs);
  check_writable(assign.lhs, span);
  return lhs;
}

BodyType BodyChecker::type_of_conditional(const ConditionalExpr& conditional) {
  (void)check_expr(conditional.condition);
  const BodyType a = check_expr(conditional.if_true);
  const BodyType b = check_expr(conditional.if_false);
  return is_same_type(a, b) ? a : common_type(a, b);
}

BodyType BodyChecker::type_of_call(const CallExpr& call, ExprId id) {
  std::vector<BodyType> args;
  for (const ExprId arg : call.args) args.push_back(check_expr(arg));
  if (call.callee == "IS_MISSING") check_missing(call, body().exprs[id].span);
  if (const auto found = find(call.callee)) {  // a local may be of a function's type: C++ decides
    out_.bindings[id.index()] = found->binding;
    note_called(found->binding, body().exprs[id].span);
    report_if_no_function(call, *found, body().exprs[id].span);
    return {};
  }
  if (native_functions_.contains(call.callee.substr(0, call.callee.find('<')))) return {};
  const auto builtin = type_of_builtin_call(call.callee, args);
  const auto callee = program_.find_transform(call.callee);
  // A transform may bear the name of a function of the C library.
  if (callee && !builtin) {
    diags_.emit(DiagKind::CallInExpression, body().exprs[id].span)
        .arg(call.callee)
        .label(program_.transforms[*callee].span, "the transform")
        .hint("give the result a variable: `ElementT r; " + call.callee + "(r, ...);`");
    return {};
  }
  if (!builtin) {
    report_if_invisible_matrix(call.callee, body().exprs[id].span);
    return {};
  }
  out_.bindings[id.index()] = {NameKind::BuiltIn, 0};
  return normalised(*builtin);
}

/// Reports a call of a region or an element, as in `in(x, y)`.
void BodyChecker::report_if_no_function(const CallExpr& call, const NamedThing& thing, Span span) {
  const NameKind kind = thing.binding.kind;
  if (kind != NameKind::Input && kind != NameKind::Output && kind != NameKind::Temporary &&
      kind != NameKind::ScalarInput)
    return;
  const bool is_region = thing.type.kind == Kind::Region;
  std::string args;
  for (const ExprId arg : call.args) {
    const TokenRange range = body().exprs[arg].tokens;
    args += args.empty() ? "" : ", ";
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      args += (i > range.begin ? body().tokens[i].leading : "") + body().tokens[i].text;
  }
  diags_.emit(DiagKind::RegionCalled, span)
      .arg(is_region ? "region" : "element")
      .arg(call.callee)
      .hint(is_region ? "an element of it is `" + call.callee + ".cell(" + args + ")`"
                      : "it is one number: write its name alone");
}

/// The question is about the name of an input that is one element (docs/reference/language.md 5.7).
void BodyChecker::check_missing(const CallExpr& call, Span span) {
  for (const ExprId arg : call.args) {
    const NameBinding& binding = binding_of(arg);
    const bool is_input = binding.kind == NameKind::Input || binding.kind == NameKind::ScalarInput;
    const bool is_name = std::holds_alternative<NameExpr>(body().exprs[arg].node);
    if (call.args.size() == 1 && is_name && is_input && is_arithmetic(type_of(arg))) return;
    span = body().exprs[arg].span;
  }
  diags_.emit(DiagKind::MissingOfOther, span);
}

BodyType BodyChecker::type_of_member(const MemberExpr& member, Span span) {
  const BodyType object = check_expr(member.object);
  for (const ExprId arg : member.args) (void)check_expr(arg);
  if (object.kind != Kind::Region || !member.is_call || member.is_arrow) return {};
  const auto found = std::find_if(kRegionMembers.begin(), kRegionMembers.end(),
                                  [&](const RegionMember& candidate) { return candidate.name == member.name; });
  if (member.name == "base") {
    BodyType pointer = object;
    pointer.kind = Kind::Pointer;
    pointer.num_dims = 0;
    return pointer;
  }
  if (found == kRegionMembers.end()) return {};
  const int expected = expected_args(*found, object.num_dims);
  if (expected < 0 || std::cmp_equal(expected, member.args.size())) return member_result(*this, *found, object);
  const bool is_local_cell = found->num_args == kPerDim || found->num_args == kTwoPerDim;
  auto diag = diags_.emit(DiagKind::WrongCoordinateCount, span)
                  .arg("." + member.name)
                  .arg(std::to_string(expected) + (expected == 1 ? " argument" : " arguments"))
                  .arg(member.args.size());
  if (is_local_cell)
    diag.note("the region has " + std::to_string(object.num_dims) +
              (object.num_dims == 1 ? " dimension" : " dimensions"));
  return member_result(*this, *found, object);
}

BodyType BodyChecker::type_of_subscript(const SubscriptExpr& subscript) {
  const BodyType object = check_expr(subscript.object);
  (void)check_expr(subscript.index);
  return pointee(object);
}

/// The input region of which `id` names a cell, if it does.
const RegionAccess* BodyChecker::read_only_region(ExprId id) const {
  const auto* member = std::get_if<MemberExpr>(&body().exprs[id].node);
  if (!member || member->name != "cell" || member->object.is_none()) return nullptr;
  const NameBinding& binding = binding_of(member->object);
  return binding.kind == NameKind::Input ? &rule_.inputs[binding.index] : nullptr;
}

void BodyChecker::check_writable(ExprId target, Span span) {
  if (const RegionAccess* region = read_only_region(target)) {
    diags_.emit(DiagKind::WriteToReadOnly, span)
        .arg("input `" + region->binding + "`")
        .label(region->span, "given here in `from`");
    return;
  }
  const auto* name = std::get_if<NameExpr>(&body().exprs[target].node);
  if (!name || type_of(target).kind == Kind::Region) return;
  const NameBinding& binding = binding_of(target);
  const char* what = nullptr;
  switch (binding.kind) {
    case NameKind::Input:
    case NameKind::ScalarInput:
      what = "input";
      break;
    case NameKind::SizeVar:
      what = "size variable";
      break;
    case NameKind::RuleVar:
      what = "rule variable";
      break;
    case NameKind::Tunable:
      what = "tunable";
      break;
    case NameKind::Constant:
      what = "constant";
      break;
    case NameKind::Unknown:
    case NameKind::Local:
    case NameKind::Output:
    case NameKind::Temporary:
    case NameKind::Param:
    case NameKind::BuiltIn:
      return;
  }
  diags_.emit(DiagKind::WriteToReadOnly, span).arg(std::string(what) + " `" + name->text + "`");
}

}  // namespace pb::checking
