// SPDX-License-Identifier: MIT
#include "frontend/check_types/check_body.h"

#include "frontend/check_types/body_context.h"
#include "frontend/check_types/constants.h"
#include "frontend/check_types/expr_checker.h"
#include "frontend/check_types/lambda_uses.h"
#include "frontend/check_types/opaque_calls.h"
#include "frontend/check_types/returns.h"
#include "frontend/check_types/settle_locals.h"
#include "frontend/check_types/transform_calls.h"
#include "frontend/check_types/vocabulary/arithmetic.h"
#include "frontend/check_types/vocabulary/scopes.h"
#include "lang/overloaded.h"

namespace pb::checking {
namespace {

using Kind = BodyType::Kind;

/// The type of one declarator: the declared type with its pointers and array extents.
BodyType declared_type(BodyType type, const Declarator& declarator, const BodyContext& context) {
  const bool is_plain = is_arithmetic(type) && type.kind != Kind::Bool && type.kind != Kind::Char;
  if (declarator.pointer_depth == 0 && declarator.extents.empty()) return type;
  if (!is_plain || declarator.pointer_depth + declarator.extents.size() > 1) return {};
  type.element = element_of(type);
  type.kind = declarator.pointer_depth > 0 ? Kind::Pointer : Kind::Array;
  if (type.kind == Kind::Array && !declarator.extents.front().is_none()) {
    const auto extent = known_value(context, declarator.extents.front());
    if (extent && extent->value > 0) type.extent = extent->value;
  }
  return type;
}

/// Reports `ElementT l = l + 1;` where `l` is a region, too.
void report_if_initialised_with_itself(BodyContext& context, const Declarator& declarator) {
  if (declarator.init.is_none()) return;
  const TokenRange range = context.body().exprs[declarator.init].tokens;
  for (const Expr& expr : context.body().exprs) {
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (name == nullptr || name->text != declarator.name || expr.tokens.begin < range.begin ||
        expr.tokens.end > range.end)
      continue;
    context.diags.emit(DiagKind::InitialisedWithItself, expr.span)
        .arg(declarator.name)
        .label(declarator.name_span, "declared here")
        .hint("give the variable another name");
    return;
  }
}

/// Walks the statements of one body, and has their parts checked in the order in which they stand.
class StmtChecker {
 public:
  explicit StmtChecker(BodyContext& context)
      : context_(context),
        scopes_(context.program, context.transform, context.rule),
        lambdas_(context),
        returns_(context),
        exprs_(context, scopes_, lambdas_, [this](ExprId id, const LambdaExpr& lambda) { check_lambda(id, lambda); }) {}

  void check_whole_body() {
    check(context_.body().root);
    returns_.report_if_missing();
    lambdas_.report_escaping();
  }
  [[nodiscard]] std::vector<TransformCall> take_calls() { return std::move(calls_); }

 private:
  void check(StmtId id);
  void check_all(const std::vector<StmtId>& stmts);
  void check_declaration(const DeclStmt& decl);
  void check_lambda(ExprId id, const LambdaExpr& lambda);
  void check_call(StmtId id, const TransformCallStmt& call);
  void check_return(const ReturnStmt& stmt, Span span);
  void check_expr(ExprId id) { (void)exprs_.check(id); }

  BodyContext& context_;
  Scopes scopes_;
  LambdaUses lambdas_;
  Returns returns_;
  ExprChecker exprs_;
  std::vector<TransformCall> calls_;
  std::uint32_t num_locals_ = 0;
  int lambda_depth_ = 0;
};

void StmtChecker::check_declaration(const DeclStmt& decl) {
  // Lambdas among the initial values have locals of their own, which count after these.
  std::uint32_t local = num_locals_;
  num_locals_ += static_cast<std::uint32_t>(decl.declarators.size());
  for (const Declarator& declarator : decl.declarators) {
    for (const ExprId extent : declarator.extents) check_expr(extent);
    const BodyType written = normalised(context_.program, decl.type);
    scopes_.declare_local(declarator.name, declared_type(written, declarator, context_), local);
    BodyType initial = exprs_.check(declarator.init);
    report_if_initialised_with_itself(context_, declarator);
    if (is_auto(decl.type_text) && declarator.pointer_depth == 0) {
      if (initial.kind != Kind::Region) initial.is_const = decl.type_text != "auto";
      scopes_.retype_local(declarator.name, initial);
    }
    lambdas_.note_local(decl, declarator, local++);
  }
}

void StmtChecker::check_lambda(ExprId id, const LambdaExpr& lambda) {
  const std::size_t num_calls_before = lambdas_.num_runtime_calls();
  ++lambda_depth_;
  scopes_.push();
  for (const StmtId local : lambda.locals) check_declaration(std::get<DeclStmt>(context_.body().stmts[local].node));
  check(lambda.body);
  scopes_.pop();
  --lambda_depth_;
  lambdas_.note_lambda(id, num_calls_before);
}

void StmtChecker::check_call(StmtId id, const TransformCallStmt& call) {
  lambdas_.note_runtime_call("call of transform `" + call.callee + "`", call.callee_span);
  for (const ExprId arg : call.template_args) check_expr(arg);
  for (const ExprId arg : call.args) check_expr(arg);
  if (auto resolved = resolve_call(context_, id, call)) calls_.push_back(std::move(*resolved));
}

void StmtChecker::check_return(const ReturnStmt& stmt, Span span) {
  check_expr(stmt.value);
  if (lambda_depth_ == 0) returns_.check(stmt, span);
}

void StmtChecker::check_all(const std::vector<StmtId>& stmts) {
  for (const StmtId child : stmts) {
    // Declarations belong to the block, not to the statement that holds them.
    if (const auto* decl = std::get_if<DeclStmt>(&context_.body().stmts[child].node)) {
      check_declaration(*decl);
    } else {
      check(child);
    }
  }
}

void StmtChecker::check(StmtId id) {
  if (id.is_none()) return;
  const Stmt& stmt = context_.body().stmts[id];
  scopes_.push();
  std::visit(
      Overloaded{[](const EmptyStmt&) {}, [&](const BlockStmt& block) { check_all(block.stmts); },
                 [&](const IfStmt& branch) {
                   check_expr(branch.condition);
                   check(branch.then_stmt);
                   check(branch.else_stmt);
                 },
                 [&](const ForStmt& loop) {
                   if (!loop.init.is_none()) check_all({loop.init});
                   check_expr(loop.condition);
                   check_expr(loop.step);
                   check(loop.body);
                 },
                 [&](const WhileStmt& loop) {
                   check_expr(loop.condition);
                   check(loop.body);
                 },
                 [&](const DoStmt& loop) {
                   check(loop.body);
                   check_expr(loop.condition);
                 },
                 [&](const ForEnoughStmt& loop) { check(loop.body); },
                 [&](const SwitchStmt& branch) {
                   check_expr(branch.value);
                   check(branch.body);
                 },
                 [&](const CaseStmt& label) { check_expr(label.value); },
                 [&](const ReturnStmt& leave) { check_return(leave, stmt.span); }, [](const BreakStmt&) {},
                 [](const ContinueStmt&) {}, [&](const TransformCallStmt& call) { check_call(id, call); },
                 [&](const SyncStmt&) { lambdas_.note_runtime_call("`sync`", stmt.span); },
                 [&](const DeclStmt& decl) { check_declaration(decl); },
                 [&](const ExprStmt& expr) { check_expr(expr.expr); },
                 [&](const OpaqueStmt& opaque) { report_call_in_opaque(context_, scopes_, opaque, stmt.tokens); }},
      stmt.node);
  scopes_.pop();
}

}  // namespace

CheckedBody check_body(const Program& program, const std::set<std::string>& native_functions,
                       const Transform& transform, const Rule& rule, Diagnostics& diags) {
  BodyContext context(program, native_functions, transform, rule, diags);
  StmtChecker checker(context);
  checker.check_whole_body();
  return {std::move(context.found), checker.take_calls()};
}

}  // namespace pb::checking
