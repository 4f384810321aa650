// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "frontend/check_slips/slips.h"
#include "lang/body/body_walk.h"
#include "lang/body/constant_value.h"
#include "lang/body/math_functions.h"
#include "lang/body/std_names.h"
#include "lang/overloaded.h"

namespace pb::slips {
namespace {

class QuotientSearch {
 public:
  QuotientSearch(const Program& program, const Transform& transform, const Rule& rule, Diagnostics& diags)
      : program_(program),
        transform_(transform),
        rule_(rule),
        body_(rule.body),
        diags_(diags),
        users_(body_.exprs.size()) {}

  void run() {
    std::vector<ExprId> quotients;
    walk(
        body_, body_.root,
        [&](StmtId id) {
          for_each_child(
              body_.stmts[id], [](StmtId) {}, [&](ExprId expr) { users_[expr.index()].stmt = id; });
        },
        [&](ExprId id) {
          for_each_operand(body_.exprs[id], [&](ExprId operand) { users_[operand.index()].expr = id; });
          if (std::holds_alternative<LambdaExpr>(body_.exprs[id].node)) has_lambda_ = true;
          if (is_quotient_of_literals(id)) quotients.push_back(id);
        });
    for (const ExprId id : quotients) report_if_real(id);
  }

 private:
  /// The expression or statement that takes the value of an expression.
  struct User {
    ExprId expr;
    StmtId stmt;
  };

  const BodyType& type_of(ExprId id) const { return rule_.body_types.types[id.index()]; }

  /// The token of a number that is written in the text itself; null for the name of a constant of the rule.
  const BodyToken* literal(ExprId id) const {
    const Expr& expr = body_.exprs[id];
    if (const auto* unary = std::get_if<UnaryExpr>(&expr.node))
      return kind_of(unary->op) == OperatorKind::Sum ? literal(unary->operand) : nullptr;
    if (!std::holds_alternative<IntegerExpr>(expr.node)) return nullptr;
    for (std::uint32_t i = expr.tokens.begin; i < expr.tokens.end; ++i)
      if (body_.tokens[i].text[0] >= '0' && body_.tokens[i].text[0] <= '9') return &body_.tokens[i];
    return nullptr;
  }

  /// Whether both tokens belong to one text, that of the program or of one macro. `K/2` with a macro K is a computation
  /// and not a fraction of two literals.
  static bool stand_together(const BodyToken& a, const BodyToken& b) {
    constexpr std::uint32_t kNear = 16;
    const bool in_order = a.spelling.file == b.spelling.file && a.spelling.end <= b.spelling.begin;
    const bool is_same_macro = a.expansion == b.expansion || (a.spelling == a.expansion && b.spelling == b.expansion);
    return in_order && is_same_macro && b.spelling.begin - a.spelling.end < kNear;
  }

  bool is_quotient_of_literals(ExprId id) const {
    const auto* binary = std::get_if<BinaryExpr>(&body_.exprs[id].node);
    if (binary == nullptr || binary->op != BinaryOp::Div) return false;
    const BodyToken* lhs = literal(binary->lhs);
    const BodyToken* rhs = literal(binary->rhs);
    if (lhs == nullptr || rhs == nullptr || !stand_together(*lhs, *rhs)) return false;
    const auto a = constant_value(body_, binary->lhs);
    const auto b = constant_value(body_, binary->rhs);
    return a && b && *b != 0 && *a % *b != 0;
  }

  void report_if_real(ExprId id) {
    const auto& binary = std::get<BinaryExpr>(body_.exprs[id].node);
    const std::int64_t value = *constant_value(body_, binary.lhs) / *constant_value(body_, binary.rhs);
    if (!becomes_real(id, value == 0)) return;
    const std::string divided = literal(binary.lhs)->text;
    diags_.emit(DiagKind::IntegerQuotient, body_.exprs[id].span)
        .arg(text_of(id))
        .arg(value)
        .hint("write `" + divided + ".0/" + literal(binary.rhs)->text + "` for the real number");
  }

  std::string text_of(ExprId id) const {
    std::string out;
    const TokenRange range = body_.exprs[id].tokens;
    for (std::uint32_t i = range.begin; i < range.end; ++i)
      out += (i > range.begin ? body_.tokens[i].leading : "") + body_.tokens[i].text;
    return out;
  }

  /// Whether the value is used as a real number. If whole numbers are computed from it first, the whole part may be
  /// meant, unless that is 0.
  bool becomes_real(ExprId id, bool is_zero) const {
    const User& user = users_[id.index()];
    if (!user.stmt.is_none()) return is_real_in(user.stmt, id);
    if (user.expr.is_none()) return false;
    const auto further = [&] { return becomes_real(user.expr, is_zero); };
    return std::visit(
        Overloaded{[&](const BinaryExpr& binary) {
                     if (binary.op == BinaryOp::Comma) return binary.rhs == id && further();
                     const ExprId other = binary.lhs == id ? binary.rhs : binary.lhs;
                     if (is_floating(type_of(other))) return true;
                     const OperatorKind kind = kind_of(binary.op);
                     const bool is_arithmetic =
                         kind == OperatorKind::Sum || kind == OperatorKind::Product || binary.op == BinaryOp::Div;
                     return is_arithmetic && (is_zero || literal(other) != nullptr) && further();
                   },
                   [&](const UnaryExpr& unary) { return kind_of(unary.op) == OperatorKind::Sum && further(); },
                   [&](const ConditionalExpr& choice) {
                     if (choice.condition == id) return false;
                     const ExprId other = choice.if_true == id ? choice.if_false : choice.if_true;
                     return is_floating(type_of(other)) || further();
                   },
                   [&](const AssignExpr& assign) { return assign.rhs == id && is_floating(type_of(assign.lhs)); },
                   [&](const CastExpr& cast) { return is_floating(cast.type); },
                   [&](const CallExpr& call) { return takes_real(user.expr, call); },
                   [](const auto&) { return false; }},
        body_.exprs[user.expr].node);
  }

  /// Whether a call is of a function of mathematics, which computes with real numbers.
  bool takes_real(ExprId id, const CallExpr& call) const {
    const MathFunction* function = find_math_function(without_std(call.callee));
    const bool is_builtin = rule_.body_types.bindings[id.index()].kind == NameKind::BuiltIn;
    return function != nullptr && is_builtin && is_floating(type_of(id));
  }

  bool is_real_in(StmtId id, ExprId value) const {
    const auto& node = body_.stmts[id].node;
    if (std::holds_alternative<ReturnStmt>(node))
      return !has_lambda_ && rule_.is_return_form && is_floating(number_type(element_of_output()));
    if (const auto* call = std::get_if<TransformCallStmt>(&node)) return is_real_argument(id, *call, value);
    const auto* decl = std::get_if<DeclStmt>(&node);
    if (decl == nullptr || !is_floating(decl->type)) return false;
    return std::any_of(decl->declarators.begin(), decl->declarators.end(), [&](const Declarator& declarator) {
      return declarator.init == value && declarator.pointer_depth == 0 && declarator.extents.empty();
    });
  }

  ElementType element_of_output() const {
    const Matrix& matrix = transform_.matrices[rule_.outputs.front().matrix];
    return matrix.is_element_t ? program_.element : matrix.element;
  }

  bool is_real_argument(StmtId id, const TransformCallStmt& stmt, ExprId value) const {
    for (const TransformCall& call : rule_.calls) {
      if (call.stmt != id || call.targets.empty()) continue;
      const Transform& callee = program_.transforms[call.targets.front()];
      std::vector<MatrixId> params = callee.matrices_of(MatrixRole::To);
      for (const MatrixId input : callee.matrices_of(MatrixRole::From)) params.push_back(input);
      const auto at = std::find(stmt.args.begin(), stmt.args.end(), value) - stmt.args.begin();
      if (static_cast<std::size_t>(at) >= params.size()) return false;
      const Matrix& matrix = callee.matrices[params[static_cast<std::size_t>(at)]];
      return matrix.num_dims() == 0 && (matrix.is_element_t || is_floating(matrix.element));
    }
    return false;
  }

  const Program& program_;
  const Transform& transform_;
  const Rule& rule_;
  const Body& body_;
  Diagnostics& diags_;
  std::vector<User> users_;  ///< the user of each expression, by ExprId
  bool has_lambda_ = false;
};

}  // namespace

void find_integer_quotients(const Program& program, const Transform& transform, const Rule& rule, Diagnostics& diags) {
  QuotientSearch(program, transform, rule, diags).run();
}

}  // namespace pb::slips
