// SPDX-License-Identifier: MIT
#include "clgen/lower/tree/condition.h"

#include <algorithm>

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

Condition Condition::named(std::string name) {
  Condition out(Kind::Named);
  out.name_ = std::move(name);
  return out;
}

Condition Condition::fact(Kind kind, std::vector<MatrixId> matrices) {
  Condition out(kind);
  out.matrices_ = std::move(matrices);
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

}  // namespace pb
