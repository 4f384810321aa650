// SPDX-License-Identifier: MIT
// Lambdas in bodies: blocks with parameters, which run where the body calls them. A call of a transform needs the fiber
// of the body, so a lambda that holds one must not get away from it.
#include <algorithm>
#include <set>
#include <string_view>

#include "frontend/check_types/body_checker.h"

namespace pb::checking {
namespace {

/// Whether a declaration makes a name of a lambda, as `auto f = [&] { … };` and `std::function<void(int)> f = …` do.
bool is_name_of_lambda(const DeclStmt& decl, const Declarator& declarator) {
  std::string_view type = decl.type_text;
  if (type.starts_with("const ")) type.remove_prefix(6);
  if (type.starts_with("std::")) type.remove_prefix(5);
  return !decl.is_static && declarator.pointer_depth == 0 && (is_auto(decl.type_text) || type.starts_with("function<"));
}

/// Whether a function calls what it is given on another thread, or later.
bool runs_elsewhere(std::string_view callee) {
  callee = callee.substr(0, callee.find('<'));
  if (const std::size_t at = callee.rfind("::"); at != std::string_view::npos) callee.remove_prefix(at + 2);
  return callee == "thread" || callee == "jthread" || callee == "async" || callee == "packaged_task";
}

}  // namespace

void BodyChecker::check_lambda(ExprId id, const LambdaExpr& lambda) {
  const std::size_t num_calls_before = runtime_calls_.size();
  ++lambda_depth_;
  push_scope();
  for (const StmtId local : lambda.locals) check_declaration(std::get<DeclStmt>(body().stmts[local].node));
  check_stmt(lambda.body);
  pop_scope();
  --lambda_depth_;
  if (runtime_calls_.size() > num_calls_before) lambdas_with_calls_[id.value] = runtime_calls_[num_calls_before];
}

void BodyChecker::note_called(const NameBinding& callee, Span span) {
  if (callee.kind != NameKind::Local) return;
  if (const auto found = locals_with_calls_.find(callee.index); found != locals_with_calls_.end())
    runtime_calls_.push_back({found->second.what, span});
}

void BodyChecker::note_lambda(const DeclStmt& decl, const Declarator& declarator, std::uint32_t local) {
  if (declarator.init.is_none() || !is_name_of_lambda(decl, declarator)) return;
  const NameBinding& other = binding_of(declarator.init);
  const bool is_name =
      std::holds_alternative<NameExpr>(body().exprs[declarator.init].node) && other.kind == NameKind::Local;
  const auto& known = is_name ? locals_with_calls_ : lambdas_with_calls_;
  const auto found = known.find(is_name ? other.index : declarator.init.value);
  if (found != known.end()) locals_with_calls_[local] = found->second;
}

void BodyChecker::check_lambda_uses() {
  if (lambdas_with_calls_.empty()) return;
  std::set<ExprId> stays;  // expressions whose value is called at once, or by a function that the body calls
  for (const Stmt& stmt : body().stmts) {
    const auto* decl = std::get_if<DeclStmt>(&stmt.node);
    if (decl == nullptr) continue;
    for (const Declarator& declarator : decl->declarators)
      if (is_name_of_lambda(*decl, declarator)) stays.insert(declarator.init);
  }
  for (const Expr& expr : body().exprs) {
    const auto* member = std::get_if<MemberExpr>(&expr.node);
    if (member != nullptr && member->name == "operator()") stays.insert(member->object);
    const auto* call = std::get_if<CallExpr>(&expr.node);
    if (call == nullptr || runs_elsewhere(call->callee)) continue;
    const bool is_parallel = std::any_of(call->args.begin(), call->args.end(), [&](ExprId arg) {
      const auto* name = std::get_if<NameExpr>(&body().exprs[arg].node);
      return name != nullptr && name->text.find("execution::") != std::string::npos;
    });
    if (!is_parallel) stays.insert(call->args.begin(), call->args.end());
  }
  for (std::uint32_t i = 0; i < body().exprs.size(); ++i) {
    const ExprId id(i);
    const bool is_name =
        std::holds_alternative<NameExpr>(body().exprs[id].node) && binding_of(id).kind == NameKind::Local;
    const auto& known = is_name ? locals_with_calls_ : lambdas_with_calls_;
    const auto found = known.find(is_name ? binding_of(id).index : i);
    if (found == known.end() || stays.contains(id)) continue;
    auto diag = diags_.emit(DiagKind::CallInEscapingLambda, is_name ? body().exprs[id].span : found->second.span);
    diag.arg(found->second.what);
    if (is_name) diag.label(found->second.span, "in the lambda of that name");
    diag.hint("give the lambda to a local, `auto step = [&] { ... };`, and call that: `step();`");
  }
}

}  // namespace pb::checking
