// SPDX-License-Identifier: MIT
#include "frontend/parse/build_body.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "frontend/parse/body_builder.h"
#include "frontend/parse/build_header.h"
#include "lang/check.h"

namespace pb {
namespace {

constexpr std::size_t kMaxElseChain = 500;

bool is_number(const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

/// The declaration of `T v`, without its initial value, from `T` and the token of `v`.
DeclStmt range_variable(pb_antlr::PbccParser::TypeNameContext* context, const BodyToken& name) {
  WrittenType type = type_of(context);
  Declarator declarator;
  declarator.name = name.text;
  declarator.name_span = name.expansion;
  declarator.pointer_depth = static_cast<int>(std::count(type.text.begin(), type.text.end(), '*'));
  for (; type.text.ends_with('&'); type.text.pop_back()) declarator.is_reference = true;
  return DeclStmt{type.type, std::move(type.text), type.is_static, {std::move(declarator)}};
}

}  // namespace

StmtId BodyBuilder::opaque_stmt(const antlr4::ParserRuleContext* context, std::string reason) {
  return add_stmt(context, OpaqueStmt{std::move(reason)});
}

/// Reports a statement that runs into the end of its block without `;`, which is an error in C++ too, unless it is the
/// use of a macro that only the C++ compiler knows: `NAME(…)`.
void BodyBuilder::report_unfinished(TokenRange range, std::size_t at) {
  if (range.begin >= range.end || !is_balanced_) return;
  const std::string& last = body_.tokens[range.end - 1].text;
  const bool may_be_macro = last == ")" && range.begin + 1 < range.end && body_.tokens[range.begin + 1].text == "(";
  if (last == ";" || last == "}" || may_be_macro) return;
  const bool is_end = at >= range.end;
  const Span end{body_.span.file, body_.span.end - 1, body_.span.end};
  const Span span = at < body_.tokens.size() ? body_.tokens[at].expansion : end;
  diags_.emit(DiagKind::SyntaxError, span)
      .arg(at < body_.tokens.size() ? "`" + body_.tokens[at].text + "`" : "`}`")
      .arg(is_end ? "`;`" : "an operator or `;`")
      .label(body_.tokens[range.begin].expansion, "in the statement that begins here");
}

/// Reports a statement that begins with a word of the language alone, which means nothing to the C++ compiler.
bool BodyBuilder::report_misspelt(TokenRange range, std::size_t at) {
  static const std::map<std::string_view, std::string_view> kForms = {
      {"for_enough",
       "the tuner chooses the number of rounds: `for_enough (1; 9) { … }`, least and greatest, or `for_enough { … }`"},
      {"spawn", "`spawn` begins the call of a transform: `spawn T(out, in);`"},
      {"sync", "`sync;` is a statement of its own"}};
  if (range.begin >= range.end || !is_balanced_) return false;
  // In `for_enough (1, 9) { }` the loop's statement has the error.
  const std::string& begin = body_.tokens[range.begin].text;
  const bool is_head =
      range.begin > 0 && body_.tokens[range.begin - 1].text == "for_enough" && (begin == "(" || is_number(begin));
  const BodyToken& word = body_.tokens[is_head ? range.begin - 1 : range.begin];
  if (is_head) at = range.begin;
  while (is_head && begin == "(" && at + 1 < range.end && (at == range.begin || is_number(body_.tokens[at].text))) ++at;
  const auto form = kForms.find(word.text);
  if (form == kForms.end()) return false;
  const bool is_inside = at < body_.tokens.size();
  const Span end{body_.span.file, body_.span.end - 1, body_.span.end};
  diags_.emit(DiagKind::SyntaxError, is_inside ? body_.tokens[at].expansion : end)
      .arg(is_inside ? "`" + body_.tokens[at].text + "`" : "`}`")
      .arg("another form of `" + word.text + "`")
      .label(word.expansion, "in the statement that begins here")
      .hint(std::string(form->second));
  return true;
}

StmtId BodyBuilder::build(P::BodyContext* context) {
  const TokenRange whole{0, static_cast<std::uint32_t>(body_.tokens.size())};
  if (const auto at = unit_.opaque_at(context))
    return body_.stmts.add({OpaqueStmt{reason_at(*at)}, whole, span_of(whole)});
  return body_.stmts.add({BlockStmt{stmts(context->stmt())}, whole, body_.span});
}

std::vector<StmtId> BodyBuilder::stmts(const std::vector<P::StmtContext*>& contexts) {
  std::vector<StmtId> out;
  for (auto* context : contexts) {
    const bool is_else = !unit_.opaque_at(context) && context->elseStmt() != nullptr;
    if (is_else && !out.empty() && attach_else(out.back(), context->elseStmt())) continue;
    out.push_back(is_else ? opaque_stmt(context, reason_at(Unit::range_of(context).begin)) : stmt(context));
  }
  return out;
}

/// Gives an `else` to the innermost open `if` at the end of the statement before it.
bool BodyBuilder::attach_else(StmtId previous, P::ElseStmtContext* context) {
  if (is_chain_too_long_) return false;
  std::vector<StmtId> path;  // statements that end where the `if` ends
  std::size_t open = 0;      // length of the path to the innermost open `if`; 0: none
  for (StmtId id = previous; !id.is_none();) {
    path.push_back(id);
    const auto& node = body_.stmts[id].node;
    if (const auto* if_stmt = std::get_if<IfStmt>(&node)) {
      if (if_stmt->else_stmt.is_none()) open = path.size();
      id = if_stmt->else_stmt.is_none() ? if_stmt->then_stmt : if_stmt->else_stmt;
    } else if (const auto* for_stmt = std::get_if<ForStmt>(&node)) {
      id = for_stmt->body;
    } else if (const auto* while_stmt = std::get_if<WhileStmt>(&node)) {
      id = while_stmt->body;
    } else if (const auto* for_enough = std::get_if<ForEnoughStmt>(&node)) {
      id = for_enough->body;
    } else if (const auto* switch_stmt = std::get_if<SwitchStmt>(&node)) {
      id = switch_stmt->body;
    } else {
      break;
    }
  }
  if (open == 0) return false;
  if (path.size() > kMaxElseChain) {
    diags_.emit(DiagKind::NestingTooDeep, span_of(Unit::range_of(context))).arg(kMaxElseChain);
    is_chain_too_long_ = true;
    return false;
  }
  attach_else_in(path[open - 1], context);
  const TokenRange range = Unit::range_of(context);
  for (std::size_t i = 0; i < open; ++i) {
    Stmt& s = body_.stmts[path[i]];
    s.tokens.end = range.end;
    s.span = span_of(s.tokens);
  }
  return true;
}

void BodyBuilder::attach_else_in(StmtId owner, P::ElseStmtContext* context) {
  const StmtId else_stmt = stmt(context->stmt());
  std::get<IfStmt>(body_.stmts[owner].node).else_stmt = else_stmt;
}

// Flat by design: one line per kind of statement.
StmtId BodyBuilder::stmt(P::StmtContext* context) {
  const DepthGuard guard(depth_, context);
  if (const auto at = unit_.opaque_at(context)) {
    const TokenRange range = Unit::range_of(context);
    if (!report_misspelt(range, *at)) report_unfinished(range, *at);
    return opaque_stmt(context, reason_at(*at));
  }
  auto* inner = static_cast<antlr4::ParserRuleContext*>(context->children.at(0));
  switch (inner->getRuleIndex()) {
    case P::RuleEmptyStmt:
      return add_stmt(context, EmptyStmt{});
    case P::RuleBlock:
      return add_stmt(context, BlockStmt{stmts(context->block()->stmt())});
    case P::RuleIfStmt:
      return if_stmt(context->ifStmt());
    case P::RuleForStmt:
      return for_stmt(context->forStmt());
    case P::RuleWhileStmt: {
      const ExprId test = condition(context->whileStmt()->condExpr());
      return add_stmt(context, WhileStmt{test, stmt(context->whileStmt()->stmt())});
    }
    case P::RuleDoStmt:
      return do_stmt(context->doStmt());
    case P::RuleForEnoughStmt:
      return for_enough(context->forEnoughStmt());
    case P::RuleSwitchStmt: {
      const ExprId value = condition(context->switchStmt()->condExpr());
      return add_stmt(context, SwitchStmt{value, stmt(context->switchStmt()->stmt())});
    }
    case P::RuleCaseLabel:
      return case_label(context->caseLabel());
    case P::RuleReturnStmt:
      return return_stmt(context->returnStmt());
    case P::RuleJumpStmt:
      if (context->getStart()->getText() == "break") return add_stmt(context, BreakStmt{});
      return add_stmt(context, ContinueStmt{});
    case P::RuleSyncStmt:
      return add_stmt(context, SyncStmt{});
    case P::RuleTransformCall:
      return transform_call(context->transformCall());
    case P::RuleLegacyCall:
      return legacy_call(context->legacyCall());
    case P::RuleDecl:
      return decl(context->decl());
    case P::RuleExprStmt:
      return add_stmt(context, ExprStmt{comma(context->exprStmt()->commaExpr())});
    case P::RuleLabel:
      return opaque_stmt(context, reason_at(Unit::range_of(context).begin + 1));
    default:
      return opaque_stmt(context, reason_at(Unit::range_of(context).begin));  // `try`, `else` without `if`
  }
}

ExprId BodyBuilder::condition(P::CondExprContext* context) {
  if (const auto at = unit_.opaque_at(context)) return opaque_expr(context, reason_at(*at));
  return comma(context->commaExpr());
}

StmtId BodyBuilder::if_stmt(P::IfStmtContext* context) {
  const ExprId test = condition(context->condExpr());
  return add_stmt(context, IfStmt{test, stmt(context->stmt()), StmtId()});
}

StmtId BodyBuilder::for_stmt(P::ForStmtContext* context) {
  ForStmt node;
  auto* head = context->forHead();
  if (const auto at = unit_.opaque_at(head)) {
    node.condition = opaque_expr(head, reason_at(*at));
  } else if (auto* type_name = head->typeName()) {
    const std::size_t colon = Unit::index_of(head->ID()->getSymbol()) + 1;
    node.condition = opaque_expr(head, reason_at(colon));
    if (head->range != nullptr) {
      node.variable = add_stmt(type_name, range_variable(type_name, body_.tokens[colon - 1]));
      node.range = expr(head->range);
    }
  } else {
    if (head->decl() != nullptr) node.init = decl(head->decl());
    if (head->exprStmt() != nullptr)
      node.init = add_stmt(head->exprStmt(), ExprStmt{comma(head->exprStmt()->commaExpr())});
    if (head->test != nullptr) node.condition = comma(head->test);
    if (head->step != nullptr) node.step = comma(head->step);
  }
  node.body = stmt(context->stmt());
  return add_stmt(context, node);
}

StmtId BodyBuilder::do_stmt(P::DoStmtContext* context) {
  DoStmt node;
  node.body = stmt(context->stmt());
  for (auto* else_stmt : context->elseStmt())
    if (!attach_else(node.body, else_stmt)) return opaque_stmt(context, reason_at(Unit::range_of(else_stmt).begin));
  node.condition = condition(context->condExpr());
  return add_stmt(context, node);
}

StmtId BodyBuilder::for_enough(P::ForEnoughStmtContext* context) {
  ForEnoughStmt node;
  HeaderBuilder numbers(unit_.tokens(), diags_);
  if (context->integer().size() == 2) {
    node.min = numbers.integer(context->integer(0));
    node.max = numbers.integer(context->integer(1));
  }
  node.head = {Unit::range_of(context).begin, Unit::range_of(context->stmt()).begin};
  node.body = stmt(context->stmt());
  return add_stmt(context, node);
}

StmtId BodyBuilder::case_label(P::CaseLabelContext* context) {
  CaseStmt node;
  if (context->expr() != nullptr) node.value = expr(context->expr());
  return add_stmt(context, node);
}

StmtId BodyBuilder::return_stmt(P::ReturnStmtContext* context) {
  ReturnStmt node;
  if (context->commaExpr() != nullptr) node.value = comma(context->commaExpr());
  if (context->initList() != nullptr) node.value = init_list(context->initList());
  return add_stmt(context, node);
}

StmtId BodyBuilder::transform_call(P::TransformCallContext* context) {
  TransformCallStmt node;
  auto* name = context->TNAME() != nullptr ? context->TNAME() : context->ID();
  node.callee = name->getText();
  node.callee_span = body_.tokens[Unit::index_of(name->getSymbol())].expansion;
  node.is_spawn = context->getStart()->getText() == "spawn";
  for (auto* arg : context->constExpr()) node.template_args.push_back(const_expr(arg));
  node.args = args(context->args());
  return add_stmt(context, std::move(node));
}

StmtId BodyBuilder::legacy_call(P::LegacyCallContext* context) {
  TransformCallStmt node;
  auto* name = context->TNAME() != nullptr ? context->TNAME() : context->ID();
  node.callee = name->getText();
  node.callee_span = body_.tokens[Unit::index_of(name->getSymbol())].expansion;
  node.is_spawn = context->getStart()->getText() == "SPAWN";
  node.is_legacy = true;
  for (auto* arg : context->constExpr()) node.template_args.push_back(const_expr(arg));
  for (auto* arg : context->expr()) node.args.push_back(expr(arg));
  return add_stmt(context, std::move(node));
}

StmtId BodyBuilder::decl(P::DeclContext* context) {
  DeclStmt node;
  WrittenType type = type_of_decl(context);
  node.type = type.type;
  node.type_text = std::move(type.text);
  node.is_static = type.is_static;
  for (auto* d : context->declarator()) node.declarators.push_back(declarator(d));
  return add_stmt(context, std::move(node));
}

Declarator BodyBuilder::declarator(P::DeclaratorContext* context) {
  Declarator out;
  out.name = context->ID()->getText();
  out.name_span = body_.tokens[Unit::index_of(context->ID()->getSymbol())].expansion;
  for (auto* pointer : context->pointerOp()) {
    const bool is_pointer = pointer->getStart()->getText() == "*";
    out.pointer_depth += is_pointer ? 1 : 0;
    out.is_reference = out.is_reference || !is_pointer;
  }
  for (auto* extent : context->arrayExtent())
    out.extents.push_back(extent->expr() != nullptr ? expr(extent->expr()) : ExprId());
  if (context->expr() != nullptr) out.init = expr(context->expr());
  if (context->initList() != nullptr) out.init = init_list(context->initList());
  if (auto* values = context->args()) {
    std::vector<ExprId> items = args(values);
    out.init = items.size() == 1 ? items[0] : add_expr(values, InitListExpr{std::move(items)});
  }
  return out;
}

Body build_body(std::span<const Token> tokens, Span braces, bool is_balanced,
                const std::set<std::string>& transform_names, Diagnostics& diags) {
  Body body;
  body.span = braces;
  body.tokens.reserve(tokens.size());
  for (const Token& token : tokens) body.tokens.push_back({token.text, token.leading, token.spelling, token.expansion});
  try {
    Unit unit(UnitKind::Body, tokens, transform_names);
    unit.parse();
    body.root = BodyBuilder(unit, body, is_balanced, diags).build(unit.body());
  } catch (const TreeTooDeep& error) {
    const Span span = error.token < tokens.size() ? tokens[error.token].expansion : braces;
    diags.emit(DiagKind::NestingTooDeep, span).arg(kMaxTreeDepth).note("counted in nodes of the tree");
    body.stmts = {};
    body.exprs = {};
    const TokenRange whole{0, static_cast<std::uint32_t>(tokens.size())};
    body.root = body.stmts.add({OpaqueStmt{"it is nested too deeply"}, whole, braces});
  }
  return body;
}

}  // namespace pb
