// SPDX-License-Identifier: MIT
#include "frontend/splice_calls/splice_calls.h"

#include <utility>

#include "frontend/infer_regions/infer_regions.h"
#include "frontend/splice_calls/call_chain.h"
#include "frontend/splice_calls/spliced_transform.h"
#include "lang/diagnostics.h"

namespace pb {
namespace {

using splicing::make_spliced, splicing::SplicedTransform;

/// Writes a body that only calls `made` with these expressions of the body that there was.
class CallWriter {
 public:
  CallWriter(Rule& rule, const Span& span) : rule_(rule), before_(rule.body), types_(rule.body_types), span_(span) {}

  void write(const Program& program, TransformId made, const std::vector<ExprId>& args) {
    rule_.body = {{}, {}, {}, {}, before_.span};
    rule_.body_types = {};
    const std::string& callee = program.transforms[made].name;
    add_token(callee);
    add_token("(");
    TransformCallStmt call{callee, span_, false, false, {}, {}};
    for (const ExprId arg : args) {
      if (!call.args.empty()) add_token(",");
      call.args.push_back(add_name(arg));
    }
    add_token(")");
    add_token(";");
    Body& body = rule_.body;
    const TokenRange all{0, static_cast<std::uint32_t>(body.tokens.size())};
    TransformCall resolved;
    resolved.targets = {made};
    resolved.args = call.args;
    resolved.stmt = body.stmts.add({std::move(call), all, span_});
    body.root = body.stmts.add({BlockStmt{{resolved.stmt}}, all, body.span});
    rule_.calls = {std::move(resolved)};
  }

 private:
  /// All tokens stand where the first one of the calls did.
  void add_token(const std::string& text) {
    BodyToken token = before_.tokens.front();
    if (!rule_.body.tokens.empty()) token.leading = text == "," || text == ")" || text == ";" || text == "(" ? "" : " ";
    token.text = text;
    rule_.body.tokens.push_back(std::move(token));
  }

  ExprId add_name(ExprId from) {
    const Expr& name = before_.exprs[from];
    const auto at = static_cast<std::uint32_t>(rule_.body.tokens.size());
    add_token(std::get<NameExpr>(name.node).text);
    rule_.body_types.types.push_back(types_.types[from.index()]);
    rule_.body_types.bindings.push_back(types_.bindings[from.index()]);
    return rule_.body.exprs.add({name.node, {at, at + 1}, name.span});
  }

  Rule& rule_;
  const Body before_;
  const BodyTypes types_;
  Span span_;
};

/// The rule that calls `made` in place of `rule`.
Rule calling_rule(const Program& program, const Rule& rule, TransformId made, const std::vector<ExprId>& args) {
  Rule out = rule;
  out.name = rule.name + "[spliced]";
  out.is_spliced = true;
  out.temporaries.clear();
  CallWriter(out, rule.body.span).write(program, made, args);
  return out;
}

/// Adds what the calls of a rule become.
SplicedCalls splice(Program& program, TransformId caller, RuleId rule, const TransformFacts& facts) {
  SplicedTransform found = make_spliced(program, caller, rule, facts.reads_initially);
  const Span span = program.transforms[caller].rules[rule].span;
  if (found.refusal.is_given()) return {caller, rule, std::nullopt, found.refusal.reason, found.refusal.span};
  Program with = program;
  const TransformId made = with.transforms.add(std::move(found.transform));
  std::string reason = infer_regions(with, made) ? facts.why_not(with, made) : "regions of its rules are not known";
  if (!reason.empty()) return {caller, rule, std::nullopt, std::move(reason), span};
  program = std::move(with);
  program.transforms[caller].rules.add(calling_rule(program, program.transforms[caller].rules[rule], made, found.args));
  return {caller, rule, made, {}, span};
}

}  // namespace

std::vector<SplicedCalls> splice_calls(Program& program, const TransformFacts& facts) {
  std::vector<SplicedCalls> out;
  for (const TransformId caller : program.transforms.ids())
    for (const RuleId rule : splicing::written_rules(program.transforms[caller]))
      if (splicing::looks_like_chain(program.transforms[caller].rules[rule]))
        out.push_back(splice(program, caller, rule, facts));
  return out;
}

}  // namespace pb
