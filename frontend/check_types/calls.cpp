// SPDX-License-Identifier: MIT
// Calls of transforms from bodies (LANGUAGE 7.4): outputs first, then inputs, each of the
// dimensions that the header declares; what is read-only is no output.
#include <string>

#include "frontend/check_types/body_checker.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

std::string dims_text(int num_dims) {
  if (num_dims == 0) return "a single number";
  return std::to_string(num_dims) + "-D";
}

/// What a region or number has: -1 if that is not known.
int dims_of(const BodyType& type) {
  if (type.kind == Kind::Region) return type.num_dims;
  return is_arithmetic(type) ? 0 : -1;
}

/// Something that a single-number output can be written to.
bool is_variable(const Expr& expr) {
  if (std::holds_alternative<NameExpr>(expr.node) || std::holds_alternative<SubscriptExpr>(expr.node) ||
      std::holds_alternative<OpaqueExpr>(expr.node)) {
    return true;
  }
  if (const auto* member = std::get_if<MemberExpr>(&expr.node)) return member->name == "cell" || !member->is_call;
  if (const auto* unary = std::get_if<UnaryExpr>(&expr.node)) return unary->op == UnaryOp::Deref;
  return false;
}

struct Argument {
  ExprId id;
  Span span;
  BodyType type;
};

void check_dims(BodyChecker& checker, const Argument& arg, const Matrix& matrix, const Transform& callee) {
  const int found = dims_of(arg.type);
  // A cell of a region may stand for a 0-D matrix and the other way round, nothing else converts.
  if (found < 0 || found == matrix.num_dims()) return;
  checker.diags()
      .emit(DiagKind::CallArgumentDimensions, arg.span)
      .arg(callee.name)
      .arg(matrix.name)
      .arg(dims_text(found))
      .arg(dims_text(matrix.num_dims()))
      .label(matrix.span, "declared here");
}

void check_output(BodyChecker& checker, const Argument& arg, const Matrix& matrix, const Transform& callee) {
  Diagnostics& diags = checker.diags();
  if (arg.type.is_const) {
    diags.emit(DiagKind::CallOutputReadOnly, arg.span)
        .arg(callee.name)
        .arg(matrix.name)
        .label(matrix.span, "declared here in `to`");
    return;
  }
  if (matrix.num_dims() > 0 || arg.type.kind == Kind::Region) return;
  const bool is_whole = arg.type.kind == Kind::Int || arg.type.kind == Kind::Long || arg.type.kind == Kind::Bool ||
                        arg.type.kind == Kind::Char;
  if (!is_variable(checker.body().exprs[arg.id]) || is_whole) {
    diags.emit(DiagKind::CallOutputNotVariable, arg.span)
        .arg(callee.name)
        .arg(matrix.name)
        .label(matrix.span, "declared here in `to`")
        .hint("pass a variable of type `ElementT`");
  }
}

std::string signature(const Transform& callee) {
  std::string out = callee.name + "(";
  bool is_first = true;
  for (const MatrixRole role : {MatrixRole::To, MatrixRole::From}) {
    for (const MatrixId id : callee.matrices_of(role)) {
      out += (is_first ? "" : ", ") + callee.matrices[id].name;
      is_first = false;
    }
  }
  return out + ")";
}

}  // namespace

void BodyChecker::check_call(const TransformCallStmt& call, Span span) {
  std::vector<Argument> args;
  for (const ExprId id : call.args) args.push_back({id, body().exprs[id].span, check_expr(id)});
  for (const ExprId id : call.template_args) (void)check_expr(id);
  const Transform* callee = find_transform(call.callee);
  if (!callee) {
    diags_.emit(DiagKind::UnknownTransform, call.callee_span).arg(call.callee);
    return;
  }
  if (!call.template_args.empty()) {
    diags_.emit(DiagKind::TemplateArgumentsNotTaken, call.callee_span)
        .arg(call.callee)
        .label(callee->span, "declared here without `template`");
    return;
  }
  std::vector<MatrixId> matrices = callee->matrices_of(MatrixRole::To);
  const std::size_t num_outputs = matrices.size();
  const auto inputs = callee->matrices_of(MatrixRole::From);
  matrices.insert(matrices.end(), inputs.begin(), inputs.end());
  if (args.size() != matrices.size()) {
    diags_.emit(DiagKind::CallArgumentCount, span)
        .arg(call.callee)
        .arg(matrices.size())
        .arg(matrices.size() == 1 ? "" : "s")
        .arg(args.size())
        .label(callee->span, "declared here")
        .hint("outputs first, then inputs: `" + signature(*callee) + "`");
    return;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Matrix& matrix = callee->matrices[matrices[i]];
    check_dims(*this, args[i], matrix, *callee);
    if (i < num_outputs) check_output(*this, args[i], matrix, *callee);
  }
}

}  // namespace pb::checking
