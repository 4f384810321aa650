// SPDX-License-Identifier: MIT
#include "frontend/check_types/lambda_uses.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "frontend/check_types/settle_locals.h"
#include "lang/body/std_names.h"

namespace pb::checking {
namespace {

/// Whether a declaration makes a name of a lambda, as `auto f = [&] { … };` and `std::function<void(int)> f = …` do.
bool is_name_of_lambda(const DeclStmt& decl, const Declarator& declarator) {
  std::string_view type = decl.type_text;
  if (type.starts_with("const ")) type.remove_prefix(6);
  type = without_std(type);
  return !decl.is_static && declarator.pointer_depth == 0 && (is_auto(decl.type_text) || type.starts_with("function<"));
}

/// Whether a function calls its argument on another thread, or later.
bool runs_elsewhere(std::string_view callee) {
  callee = callee.substr(0, callee.find('<'));
  if (const std::size_t at = callee.rfind("::"); at != std::string_view::npos) callee.remove_prefix(at + 2);
  return callee == "thread" || callee == "jthread" || callee == "async" || callee == "packaged_task";
}

/// The expressions whose value stays within the body: it gets a name, is called at once, or is called by a function
/// that the body calls.
std::set<ExprId> staying_in(const Body& body) {
  std::set<ExprId> stays;
  for (const Stmt& stmt : body.stmts) {
    const auto* decl = std::get_if<DeclStmt>(&stmt.node);
    if (decl == nullptr) continue;
    for (const Declarator& declarator : decl->declarators)
      if (is_name_of_lambda(*decl, declarator)) stays.insert(declarator.init);
  }
  for (const Expr& expr : body.exprs) {
    const auto* member = std::get_if<MemberExpr>(&expr.node);
    if (member != nullptr && member->name == "operator()") stays.insert(member->object);
    const auto* call = std::get_if<CallExpr>(&expr.node);
    if (call == nullptr || runs_elsewhere(call->callee)) continue;
    const bool is_parallel = std::any_of(call->args.begin(), call->args.end(), [&](ExprId arg) {
      const auto* name = std::get_if<NameExpr>(&body.exprs[arg].node);
      return name != nullptr && name->text.find("execution::") != std::string::npos;
    });
    if (!is_parallel) stays.insert(call->args.begin(), call->args.end());
  }
  return stays;
}

}  // namespace

bool LambdaUses::is_name_of_local(ExprId id) const {
  return std::holds_alternative<NameExpr>(context_.body().exprs[id].node) &&
         context_.binding_of(id).kind == NameKind::Local;
}

void LambdaUses::note_called(const NameBinding& callee, Span span) {
  if (callee.kind != NameKind::Local) return;
  if (const auto found = locals_with_calls_.find(callee.index); found != locals_with_calls_.end())
    note_runtime_call(found->second.what, span);
}

void LambdaUses::note_lambda(ExprId id, std::size_t num_before) {
  if (runtime_calls_.size() > num_before) lambdas_with_calls_[id.value] = runtime_calls_[num_before];
}

void LambdaUses::note_local(const DeclStmt& decl, const Declarator& declarator, std::uint32_t local) {
  if (declarator.init.is_none() || !is_name_of_lambda(decl, declarator)) return;
  const bool is_name = is_name_of_local(declarator.init);
  const auto& known = is_name ? locals_with_calls_ : lambdas_with_calls_;
  const auto found = known.find(is_name ? context_.binding_of(declarator.init).index : declarator.init.value);
  if (found != known.end()) locals_with_calls_[local] = found->second;
}

void LambdaUses::report_escaping() {
  if (lambdas_with_calls_.empty()) return;
  const Body& body = context_.body();
  const std::set<ExprId> stays = staying_in(body);
  for (std::uint32_t i = 0; i < body.exprs.size(); ++i) {
    const ExprId id(i);
    const bool is_name = is_name_of_local(id);
    const auto& known = is_name ? locals_with_calls_ : lambdas_with_calls_;
    const auto found = known.find(is_name ? context_.binding_of(id).index : i);
    if (found == known.end() || stays.contains(id)) continue;
    auto diag = context_.diags.emit(DiagKind::CallInEscapingLambda, is_name ? body.exprs[id].span : found->second.span);
    diag.arg(found->second.what);
    if (is_name) diag.label(found->second.span, "in the lambda of that name");
    diag.hint("give the lambda to a local, `auto step = [&] { ... };`, and call that: `step();`");
  }
}

}  // namespace pb::checking
