// SPDX-License-Identifier: MIT
// Values that are known when the program is compiled, and their literals in the tree.
#include "frontend/check_types/constants.h"

#include "frontend/check_types/check_body.h"
#include "frontend/check_types/testing/resolved_rule.h"

namespace pb::checking {
namespace {

/// A rule whose constant K is 3, with its body checked.
struct CheckedRule {
  explicit CheckedRule(const std::string& body)
      : resolved("transform T from A[n] to B[n] { duplicate(K, 3, 3) to (B b) from (A a) { " + body + " } }"),
        rule(resolved.rule) {
    resolved.context.found = rule.body_types =
        check_body(resolved.context.program, {}, resolved.transform, resolved.rule, resolved.context.diags).types;
  }
  /// The value of the only assignment in the body.
  [[nodiscard]] ExprId value() const {
    return std::get<AssignExpr>(resolved.rule.body.exprs[resolved.expr<AssignExpr>()].node).rhs;
  }

  testing::ResolvedRule resolved;
  Rule rule;
};

TEST(KnownValue, IsComputedFromLiteralsAndConstants) {
  struct Row {
    const char* text;
    std::optional<std::int64_t> value;
    bool names_constant;
  };
  const Row rows[] = {{"7", 7, false},
                      {"K", 3, true},
                      {"2 * K - 7", -1, true},
                      {"n", std::nullopt, false},
                      {"K + n", std::nullopt, false}};
  for (const Row& row : rows) {
    const CheckedRule checked(std::string("b.cell(0) = ") + row.text + ";");
    const auto known = known_value(checked.resolved.context, checked.value());
    ASSERT_EQ(known.has_value(), row.value.has_value()) << row.text;
    if (!known) continue;
    EXPECT_EQ(known->value, *row.value) << row.text;
    EXPECT_EQ(known->names_constant, row.names_constant) << row.text;
  }
}

TEST(KnownValue, ALocalHidesAConstant) {
  const CheckedRule checked("int K = 5; b.cell(0) = K;");
  EXPECT_FALSE(known_value(checked.resolved.context, checked.value()));
}

/// A number, with its minus sign, or a name.
std::string text_of(const Body& body, ExprId id) {
  const auto& node = body.exprs[id].node;
  if (const auto* integer = std::get_if<IntegerExpr>(&node)) return integer->text;
  if (const auto* real = std::get_if<FloatExpr>(&node)) return real->text;
  if (const auto* minus = std::get_if<UnaryExpr>(&node)) return "-" + text_of(body, minus->operand);
  return std::get<NameExpr>(node).text;
}

/// The value of the assignment after the constants, which here have the given values, were put into the tree.
std::string value_with(const Constant& constant, const std::string& body) {
  CheckedRule checked(body);
  checked.rule.constants = {constant};
  put_constants(checked.rule);
  EXPECT_EQ(checked.rule.body_types.types.size(), checked.rule.body.exprs.size()) << "each expression has a type";
  EXPECT_EQ(checked.rule.body_types.bindings.size(), checked.rule.body.exprs.size());
  return text_of(checked.rule.body, checked.value());
}

TEST(PutConstants, NamesBecomeLiterals) {
  EXPECT_EQ(value_with({"K", std::int64_t{3}}, "b.cell(0) = K;"), "3");
  EXPECT_EQ(value_with({"K", std::int64_t{-3}}, "b.cell(0) = K;"), "-3");
  EXPECT_EQ(value_with({"K", 0.5}, "b.cell(0) = K;"), "0.5");
  EXPECT_EQ(value_with({"K", -2.0}, "b.cell(0) = K;"), "-2.0") << "a double has a point";
  EXPECT_EQ(value_with({"K", std::int64_t{3}}, "int K = 5; b.cell(0) = K;"), "K") << "the local";
}

}  // namespace
}  // namespace pb::checking
