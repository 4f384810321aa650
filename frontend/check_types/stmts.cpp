// SPDX-License-Identifier: MIT
// Statements and scopes.
#include <algorithm>

#include "frontend/check_types/body_checker.h"
#include "frontend/check_types/check_types.h"
#include "frontend/check_types/native_names.h"
#include "lang/math_functions.h"
#include "lang/overloaded.h"

namespace pb {
namespace checking {
namespace {

using Kind = BodyType::Kind;

/// The type of one declarator: the declared type with its pointers and array extents.
BodyType declared_type(BodyType type, const Declarator& declarator, const BodyChecker& checker) {
  const bool is_plain = is_arithmetic(type) && type.kind != Kind::Bool && type.kind != Kind::Char;
  if (declarator.pointer_depth == 0 && declarator.extents.empty()) return type;
  if (!is_plain || declarator.pointer_depth + declarator.extents.size() > 1) return {};
  type.element = element_of(type);
  type.kind = declarator.pointer_depth > 0 ? Kind::Pointer : Kind::Array;
  if (type.kind == Kind::Array && !declarator.extents.front().is_none()) {
    const auto extent = known_value(checker, declarator.extents.front());
    if (extent && extent->value > 0) type.extent = extent->value;
  }
  return type;
}

/// The token of the other parenthesis, from the one at `i` in steps of `step`; the end of `range` if there is none.
std::size_t other_parenthesis(const std::vector<BodyToken>& tokens, std::size_t i, int step, TokenRange range) {
  for (int depth = 0; i >= range.begin && i < range.end; i += static_cast<std::size_t>(step)) {
    depth += tokens[i].text == "(" ? step : tokens[i].text == ")" ? -step : 0;
    if (depth == 0) return i;
  }
  return range.end;
}

/// Whether a statement `name(…);` stands at `i`, as far as tokens tell.
bool is_call_statement(const std::vector<BodyToken>& tokens, std::size_t i, TokenRange range) {
  static const std::set<std::string_view> kBefore{"{", "}", ";", "]", "else", "do", "spawn"};
  static const std::set<std::string_view> kHeads{"if", "for", "while", "switch", "constexpr"};
  if (i + 1 >= range.end || tokens[i + 1].text != "(") return false;
  const std::size_t close = other_parenthesis(tokens, i + 1, 1, range);
  if (close + 1 >= range.end || tokens[close + 1].text != ";") return false;
  const std::string& before = tokens[i - 1].text;
  if (before != ")") return kBefore.contains(before);
  const std::size_t open = other_parenthesis(tokens, i - 1, -1, range);
  return open < range.end && open > range.begin && kHeads.contains(tokens[open - 1].text);
}

}  // namespace

bool is_auto(const std::string& type_text) {
  return type_text == "auto" || type_text == "const auto" || type_text == "constexpr auto";
}

BodyChecker::BodyChecker(const Program& program, const std::set<std::string>& native_functions,
                         const Transform& transform, const Rule& rule, Diagnostics& diags)
    : program_(program), native_functions_(native_functions), transform_(transform), rule_(rule), diags_(diags) {}

BodyTypes BodyChecker::run() {
  out_.types.assign(body().exprs.size(), {});
  out_.bindings.assign(body().exprs.size(), {});
  enter_rule_scope();
  check_stmt(body().root);
  check_returns();
  check_lambda_uses();
  return std::move(out_);
}

/// Checks that the body returns a value. A body that may return in C++ of which the tree knows nothing, or that ends
/// the run, is left alone.
void BodyChecker::check_returns() {
  if (!rule_.is_return_form || body().tokens.empty()) return;  // an empty one means it
  const auto& stmts = body().stmts;
  const bool is_opaque = std::any_of(stmts.begin(), stmts.end(),
                                     [](const Stmt& stmt) { return std::holds_alternative<OpaqueStmt>(stmt.node); });
  const bool calls_others = std::any_of(body().exprs.begin(), body().exprs.end(), [](const Expr& expr) {
    const auto* call = std::get_if<CallExpr>(&expr.node);
    return std::holds_alternative<OpaqueExpr>(expr.node) ||
           (call != nullptr && find_math_function(call->callee) == nullptr);
  });
  if (may_return_ || is_opaque || calls_others) return;
  diags_.emit(DiagKind::NoReturn, body().span).label(rule_.outputs.front().span, "the output has no name");
}

/// Reports `ElementT l = l + 1;` where `l` is a region, too.
void BodyChecker::check_initial(const Declarator& declarator) {
  if (declarator.init.is_none()) return;
  const TokenRange range = body().exprs[declarator.init].tokens;
  for (std::size_t i = 0; i < body().exprs.size(); ++i) {
    const Expr& expr = body().exprs[ExprId(static_cast<std::uint32_t>(i))];
    const auto* name = std::get_if<NameExpr>(&expr.node);
    if (name == nullptr || name->text != declarator.name || expr.tokens.begin < range.begin ||
        expr.tokens.end > range.end)
      continue;
    diags_.emit(DiagKind::InitialisedWithItself, expr.span)
        .arg(declarator.name)
        .label(declarator.name_span, "declared here")
        .hint("give the variable another name");
    return;
  }
}

void BodyChecker::check_declaration(const DeclStmt& decl) {
  // Lambdas among the initial values have locals of their own, which count after these.
  std::uint32_t local = num_locals_;
  num_locals_ += static_cast<std::uint32_t>(decl.declarators.size());
  for (const Declarator& declarator : decl.declarators) {
    for (const ExprId extent : declarator.extents) (void)check_expr(extent);
    declare_local(declarator.name, declared_type(normalised(decl.type), declarator, *this), local);
    BodyType initial = check_expr(declarator.init);
    check_initial(declarator);
    if (is_auto(decl.type_text) && declarator.pointer_depth == 0) {
      if (initial.kind != BodyType::Kind::Region) initial.is_const = decl.type_text != "auto";
      retype_local(declarator.name, initial);
    }
    note_lambda(decl, declarator, local++);
  }
}

void BodyChecker::check_return(const ReturnStmt& stmt, Span span) {
  (void)check_expr(stmt.value);
  if (lambda_depth_ > 0) return;
  may_return_ = true;
  if (rule_.is_return_form && stmt.value.is_none()) {
    diags_.emit(DiagKind::ReturnWithoutValue, span).label(rule_.outputs.front().span, "the output has no name");
  }
  if (!rule_.is_return_form && !stmt.value.is_none()) {
    auto diag = diags_.emit(DiagKind::ReturnWithValue, span);
    if (!rule_.outputs.empty()) diag.hint("assign to `" + rule_.outputs.front().binding + "` instead");
  }
}

/// Reports calls of transforms in opaque code: they would reach the C++ compiler, which knows no transforms.
void BodyChecker::check_opaque(const OpaqueStmt& stmt, TokenRange tokens) {
  const std::vector<BodyToken>& all = body().tokens;
  for (std::uint32_t i = tokens.begin + 1; i < tokens.end; ++i) {
    const std::string& name = all[i].text;
    const auto callee = program_.find_transform(name);
    if (!callee || find(name) || native_functions_.contains(name) || !is_call_statement(all, i, tokens)) continue;
    diags_.emit(DiagKind::CallInOpaque, all[i].expansion)
        .arg(name)
        .label(program_.transforms[*callee].span, "the transform")
        .note("the statement is passed on because " + stmt.reason)
        .hint("calls stand in blocks, branches and loops of the body: move this one out of the `catch` or class");
    return;
  }
}

void BodyChecker::check_stmt(StmtId id) {
  if (id.is_none()) return;
  const Stmt& stmt = body().stmts[id];
  push_scope();
  const auto in_block = [&](const std::vector<StmtId>& stmts) {
    for (const StmtId child : stmts) {
      // Declarations belong to the block, not to the statement that holds them.
      if (const auto* decl = std::get_if<DeclStmt>(&body().stmts[child].node)) {
        check_declaration(*decl);
      } else {
        check_stmt(child);
      }
    }
  };
  std::visit(Overloaded{[](const EmptyStmt&) {}, [&](const BlockStmt& block) { in_block(block.stmts); },
                        [&](const IfStmt& branch) {
                          (void)check_expr(branch.condition);
                          check_stmt(branch.then_stmt);
                          check_stmt(branch.else_stmt);
                        },
                        [&](const ForStmt& loop) {
                          if (!loop.init.is_none()) in_block({loop.init});
                          (void)check_expr(loop.condition);
                          (void)check_expr(loop.step);
                          check_stmt(loop.body);
                        },
                        [&](const WhileStmt& loop) {
                          (void)check_expr(loop.condition);
                          check_stmt(loop.body);
                        },
                        [&](const DoStmt& loop) {
                          check_stmt(loop.body);
                          (void)check_expr(loop.condition);
                        },
                        [&](const ForEnoughStmt& loop) { check_stmt(loop.body); },
                        [&](const SwitchStmt& branch) {
                          (void)check_expr(branch.value);
                          check_stmt(branch.body);
                        },
                        [&](const CaseStmt& label) { (void)check_expr(label.value); },
                        [&](const ReturnStmt& leave) { check_return(leave, stmt.span); }, [](const BreakStmt&) {},
                        [](const ContinueStmt&) {}, [&](const TransformCallStmt& call) { check_call(id, call); },
                        [&](const SyncStmt&) {
                          runtime_calls_.push_back({"`sync`", stmt.span});
                        },
                        [&](const DeclStmt& decl) { check_declaration(decl); },
                        [&](const ExprStmt& expr) { (void)check_expr(expr.expr); },
                        [&](const OpaqueStmt& opaque) { check_opaque(opaque, stmt.tokens); }},
             stmt.node);
  pop_scope();
}

}  // namespace checking

bool check_types(Program& program, Diagnostics& diags) {
  const std::size_t errors_before = diags.num_errors();
  const std::set<std::string> native_functions = checking::find_native_functions(program.native_blocks);
  for (const TransformId id : program.transforms.ids()) {
    Transform& transform = program.transforms[id];
    Diagnostics messages;
    for (Rule& rule : transform.rules) {
      checking::BodyChecker checker(program, native_functions, transform, rule, messages);
      rule.body_types = checker.run();
      rule.calls = checker.take_calls();
      checking::put_constants(rule);
      checking::settle_locals(rule);
    }
    diags.add_new(messages, program.instance_note(id));
  }
  return diags.num_errors() == errors_before;
}

}  // namespace pb
