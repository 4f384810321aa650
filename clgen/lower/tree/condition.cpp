// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition.h"

#include <algorithm>

#include "clgen/names.h"
#include "lang/check.h"
#include "lang/operators.h"

namespace pb {

Condition Condition::chosen(SiteId site, int choice) {
  Condition out(Kind::Chosen);
  out.site_ = site;
  out.choice_ = choice;
  return out;
}

Condition Condition::relation(IndexExpr lhs, RelationOp op, IndexExpr rhs) {
  if (const IndexExpr difference = index_sub(lhs, rhs); difference.op == IndexExpr::Op::Const)
    return holds(op, difference.value) ? always() : never();
  Condition out(Kind::Relation);
  out.lhs_ = std::move(lhs);
  out.op_ = op;
  out.rhs_ = std::move(rhs);
  return out;
}

Condition Condition::flag(std::string name) {
  Condition out(Kind::Flag);
  out.name_ = std::move(name);
  return out;
}

/// Returns All or Any of the terms. Nested terms of the same kind are flattened; neutral terms and repetitions are left
/// out.
Condition Condition::combined(Kind kind, std::vector<Condition> terms) {
  const Kind neutral = kind == Kind::All ? Kind::Always : Kind::Never;
  const Kind dominant = kind == Kind::All ? Kind::Never : Kind::Always;
  Condition out(kind);
  const auto add = [&](Condition term) {
    if (term.kind_ != neutral && std::find(out.terms_.begin(), out.terms_.end(), term) == out.terms_.end())
      out.terms_.push_back(std::move(term));
  };
  for (Condition& term : terms) {
    if (term.kind_ == dominant) return term;
    if (term.kind_ != kind) {
      add(std::move(term));
      continue;
    }
    for (Condition& inner : term.terms_) add(std::move(inner));
  }
  for (const Condition& term : out.terms_)
    if (std::find(out.terms_.begin(), out.terms_.end(), not_(term)) != out.terms_.end()) return Condition(dominant);
  if (out.terms_.empty()) return Condition(neutral);
  if (out.terms_.size() > 1) return out;
  Condition only = std::move(out.terms_.front());
  return only;
}

Condition Condition::all_of(std::vector<Condition> terms) { return combined(Kind::All, std::move(terms)); }
Condition Condition::any_of(std::vector<Condition> terms) { return combined(Kind::Any, std::move(terms)); }

Condition Condition::not_(Condition term) {
  if (term.is_always()) return never();
  if (term.is_never()) return always();
  if (term.kind_ == Kind::Not) {
    Condition inner = std::move(term.terms_.front());
    return inner;
  }
  if (term.kind_ == Kind::Relation) {
    term.op_ = opposite(term.op_);
    return term;
  }
  Condition out(Kind::Not);
  out.terms_.push_back(std::move(term));
  return out;
}

Condition all_at_least_zero(const std::vector<IndexExpr>& exprs) {
  std::vector<Condition> terms;
  for (const IndexExpr& expr : exprs) terms.push_back(Condition::at_least_zero(expr));
  return Condition::all_of(std::move(terms));
}

namespace {

std::string in_64_bits(const IndexExpr& expr) { return to_cpp(expr); }

}  // namespace

std::string choice_name(SiteId site) { return "pb_choice_" + std::to_string(site.index()); }

namespace {

/// Returns the condition as an operand: in parentheses where the operator around it binds more tightly, or where
/// compilers would warn.
std::string operand_text(const Condition& condition, const SpellIndex& spell) {
  const std::string text = to_cpp(condition, spell);
  const bool has_terms = condition.kind() == Condition::Kind::All || condition.kind() == Condition::Kind::Any;
  return has_terms ? "(" + text + ")" : text;
}

std::string side_text(const IndexExpr& side, const SpellIndex& spell) {
  const bool is_leaf = side.op == IndexExpr::Op::Const || side.op == IndexExpr::Op::Symbol;
  return is_leaf ? spell(side) : "(" + spell(side) + ")";
}

std::string terms_text(const Condition& condition, const char* op, const SpellIndex& spell) {
  std::vector<std::string> texts;
  for (const Condition& term : condition.terms()) texts.push_back(operand_text(term, spell));
  return joined(texts, op);
}

/// Returns the negation of a term. Only names need no parentheses.
std::string negated_text(const Condition& term, const SpellIndex& spell) {
  if (term.kind() == Condition::Kind::Flag) return "!" + term.name();
  return "!(" + to_cpp(term, spell) + ")";
}

}  // namespace

std::string to_cpp(const Condition& condition, const SpellIndex& spell) {
  using Kind = Condition::Kind;
  switch (condition.kind()) {
    case Kind::Always:
      return "true";
    case Kind::Never:
      return "false";
    case Kind::Chosen:
      return choice_name(condition.site()) + " == " + std::to_string(condition.choice());
    case Kind::Relation:
      return side_text(condition.lhs(), spell) + " " + spelling(condition.op()) + " " +
             side_text(condition.rhs(), spell);
    case Kind::Flag:
      return condition.name();
    case Kind::Not:
      return negated_text(condition.terms().front(), spell);
    case Kind::All:
      return terms_text(condition, " && ", spell);
    case Kind::Any:
      return terms_text(condition, " || ", spell);
  }
  PB_CHECK(false, "a condition has a kind");
  return "";
}

std::string to_cpp(const Condition& condition) { return to_cpp(condition, in_64_bits); }

std::string to_operand(const Condition& condition) { return operand_text(condition, in_64_bits); }

std::string if_text(const Condition& condition, const SpellIndex& spell) {
  return condition.is_always() ? "" : "if (" + to_cpp(condition, spell) + ")";
}

std::string if_text(const Condition& condition) { return if_text(condition, in_64_bits); }

std::string guarded_text(const Condition& condition, const std::string& statement, const SpellIndex& spell) {
  return condition.is_always() ? statement : if_text(condition, spell) + " " + statement;
}

std::string guarded_text(const Condition& condition, const std::string& statement) {
  return guarded_text(condition, statement, in_64_bits);
}

std::string selected_text(const Condition& condition, const std::string& if_true, const std::string& otherwise,
                          const SpellIndex& spell) {
  if (condition.is_always()) return if_true;
  if (condition.is_never()) return otherwise;
  const std::string text = to_cpp(condition, spell);
  return (condition.kind() == Condition::Kind::Flag ? text : "(" + text + ")") + " ? " + if_true + " : " + otherwise;
}

std::string selected_text(const Condition& condition, const std::string& if_true, const std::string& otherwise) {
  return selected_text(condition, if_true, otherwise, in_64_bits);
}

}  // namespace pb
