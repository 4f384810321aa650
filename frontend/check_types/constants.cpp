// SPDX-License-Identifier: MIT
#include "frontend/check_types/constants.h"

#include <charconv>
#include <string>

#include "lang/body/constant_value.h"

namespace pb::checking {

namespace {

std::string real_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Expr literal_of(const Constant& constant, const Expr& use, Body& body) {
  const auto* integer = std::get_if<std::int64_t>(&constant.value);
  const double real = integer == nullptr ? std::get<double>(constant.value) : 0;
  const bool is_negative = integer != nullptr ? *integer < 0 : real < 0;
  Expr out = use;
  if (integer != nullptr) {
    out.node = IntegerExpr{std::to_string(is_negative ? -*integer : *integer)};
  } else {
    out.node = FloatExpr{real_text(is_negative ? -real : real)};
  }
  if (!is_negative) return out;
  const ExprId magnitude = body.exprs.add(out);
  out.node = UnaryExpr{UnaryOp::Minus, magnitude};
  return out;
}

}  // namespace

std::optional<KnownValue> known_value(const BodyContext& context, ExprId id) {
  bool names_constant = false;
  const auto value = constant_value(context.body(), id, [&](ExprId name) -> std::optional<std::int64_t> {
    const NameBinding& binding = context.binding_of(name);
    if (binding.kind != NameKind::Constant) return std::nullopt;
    names_constant = true;
    const auto* integer = std::get_if<std::int64_t>(&context.rule.constants[binding.index].value);
    return integer != nullptr ? std::optional(*integer) : std::nullopt;
  });
  return value ? std::optional(KnownValue{*value, names_constant}) : std::nullopt;
}

void put_constants(Rule& rule) {
  const std::size_t count = rule.body.exprs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const NameBinding binding = rule.body_types.bindings[i];
    if (binding.kind != NameKind::Constant) continue;
    const Expr literal = literal_of(rule.constants[binding.index], rule.body.exprs[ExprId(i)], rule.body);
    rule.body.exprs[ExprId(i)] = literal;
    rule.body_types.bindings[i] = {};
    if (rule.body.exprs.size() == rule.body_types.types.size()) continue;
    rule.body_types.types.push_back(rule.body_types.types[i]);  // the type of the number after a minus sign
    rule.body_types.bindings.emplace_back();
  }
}

}  // namespace pb::checking
