// SPDX-License-Identifier: MIT
// What must hold in a call for something to run: a value that is made of choices, sizes and flags. Conditions are
// simplified when they are made, so that equal ones compare equal and "always" is known as such; one function prints
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/formula.h"
#include "lang/index/index_expr.h"

namespace pb {

class Condition {
 public:
  enum class Kind : std::uint8_t {
    Always,
    Never,
    Chosen,    ///< a site of the call has this choice, by its number among the site's flattened alternatives
    Relation,  ///< between two expressions over sizes, or over what is in scope
    Flag,      ///< a bool of the generated code, or a call that gives one
    Not,       ///< the negation of a term that is no Not, Always, Never or Relation
    All,       ///< two or more terms that are no All, each once
    Any,       ///< two or more terms that are no Any, each once
  };

  [[nodiscard]] static Condition always() { return Condition(Kind::Always); }
  [[nodiscard]] static Condition never() { return Condition(Kind::Never); }
  [[nodiscard]] static Condition chosen(SiteId site, int choice);
  [[nodiscard]] static Condition relation(IndexExpr lhs, RelationOp op, IndexExpr rhs);
  [[nodiscard]] static Condition at_least_zero(IndexExpr expr) {
    return relation(std::move(expr), RelationOp::GreaterEqual, index_const(0));
  }
  /// The condition that the range is not empty.
  [[nodiscard]] static Condition non_empty(IndexRange range) {
    return relation(std::move(range.hi), RelationOp::Greater, std::move(range.lo));
  }
  [[nodiscard]] static Condition flag(std::string name);
  [[nodiscard]] static Condition all_of(std::vector<Condition> terms);
  [[nodiscard]] static Condition any_of(std::vector<Condition> terms);
  [[nodiscard]] static Condition not_(Condition term);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_always() const { return kind_ == Kind::Always; }
  [[nodiscard]] bool is_never() const { return kind_ == Kind::Never; }
  /// The terms of All and Any, and the one term of Not.
  [[nodiscard]] const std::vector<Condition>& terms() const { return terms_; }
  [[nodiscard]] SiteId site() const { return site_; }
  [[nodiscard]] int choice() const { return choice_; }
  /// The left side of a Relation; `op` and `rhs` are its operator and its right side.
  [[nodiscard]] const IndexExpr& lhs() const { return lhs_; }
  [[nodiscard]] const IndexExpr& rhs() const { return rhs_; }
  [[nodiscard]] RelationOp op() const { return op_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  bool operator==(const Condition&) const = default;

 private:
  explicit Condition(Kind kind) : kind_(kind) {}
  static Condition combined(Kind kind, std::vector<Condition> terms);

  Kind kind_;
  SiteId site_;
  int choice_ = 0;
  IndexExpr lhs_, rhs_;
  RelationOp op_ = RelationOp::Less;
  std::string name_;
  std::vector<Condition> terms_;
};

/// Returns the condition that all of the expressions are 0 or more.
[[nodiscard]] Condition all_at_least_zero(const std::vector<IndexExpr>& exprs);

/// Returns the name of the variable that holds the choice of a site in a call.
[[nodiscard]] std::string choice_name(SiteId site);

/// How generated code spells an expression: sizes and rule variables have different widths in different places.
using SpellIndex = std::function<std::string(const IndexExpr&)>;

/// Returns C++ such as `pb_choice_0 == 1 && (n - 3) >= 0`. Without `spell`, expressions use 64-bit arithmetic.
[[nodiscard]] std::string to_cpp(const Condition& condition);
[[nodiscard]] std::string to_cpp(const Condition& condition, const SpellIndex& spell);
/// Returns C++ of a condition as an operand of `&&`, `||` and `?:`, in parentheses where its own operator needs them.
[[nodiscard]] std::string to_operand(const Condition& condition);
/// Returns `if (…)` to stand in front of a block; empty for a condition that always holds.
[[nodiscard]] std::string if_text(const Condition& condition);
[[nodiscard]] std::string if_text(const Condition& condition, const SpellIndex& spell);
/// Returns the statement, with `if (…)` in front of it where it needs one.
[[nodiscard]] std::string guarded_text(const Condition& condition, const std::string& statement);
[[nodiscard]] std::string guarded_text(const Condition& condition, const std::string& statement,
                                       const SpellIndex& spell);

/// Returns `condition ? if_true : otherwise`, or only one of them if it is known which one is selected.
[[nodiscard]] std::string selected_text(const Condition& condition, const std::string& if_true,
                                        const std::string& otherwise);
[[nodiscard]] std::string selected_text(const Condition& condition, const std::string& if_true,
                                        const std::string& otherwise, const SpellIndex& spell);

}  // namespace pb
