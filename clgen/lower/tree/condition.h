// SPDX-License-Identifier: MIT
// What must hold in a call for something to run: a value that is made of choices, sizes and facts about the call, its
// matrices and its device. Conditions are simplified when they are made, so that equal ones compare equal and "always"
// is known as such.
#pragma once

#include <cstdint>
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
    Chosen,         ///< a site of the call has this choice, by its number among the site's flattened alternatives
    Relation,       ///< between two expressions over sizes, or over what is in scope
    Named,          ///< what was declared before under this name
    IsRoot,         ///< the call is the run itself, so that its outputs are the run's results
    DeviceIsCpu,    ///< the device runs the work-items of a group one after the other, known when a kernel is built
    HasLanes,       ///< several work-items run one instance together, known when a kernel is built
    KeepsCells,     ///< they keep the cells of their rounds, known when a kernel is built
    InBlocks,       ///< the rounds of a fold run in blocks, known when a kernel is built
    CopiesAhead,    ///< while a block runs, what the next one reads is copied, known when a kernel is built
    OnMatrixUnits,  ///< units for products of matrices run the rounds, known when a kernel is built
    Apart,          ///< two matrices share no memory
    UnitStride,     ///< the cells of a matrix that differ by 1 in dimension 0 are neighbours in memory
    Not,            ///< the negation of a term that is no Not, Always, Never or Relation
    All,            ///< two or more terms that are no All, each once
    Any,            ///< two or more terms that are no Any, each once
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
  [[nodiscard]] static Condition named(std::string name);
  /// A fact about the call, the device or matrices. The functions below the class make the facts that there are.
  [[nodiscard]] static Condition fact(Kind kind, std::vector<MatrixId> matrices = {});
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
  /// The name of a Named.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The two matrices of Apart, and the one matrix of UnitStride.
  [[nodiscard]] const std::vector<MatrixId>& matrices() const { return matrices_; }

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
  std::vector<MatrixId> matrices_;
  std::vector<Condition> terms_;
};

[[nodiscard]] inline Condition is_root_call() { return Condition::fact(Condition::Kind::IsRoot); }
[[nodiscard]] inline Condition device_is_cpu() { return Condition::fact(Condition::Kind::DeviceIsCpu); }
[[nodiscard]] inline Condition has_lanes() { return Condition::fact(Condition::Kind::HasLanes); }
/// A condition of instances that have lanes.
[[nodiscard]] inline Condition keeps_cells() { return Condition::fact(Condition::Kind::KeepsCells); }
/// The condition that kernels run the rounds of their fold in blocks (RoundBlocks).
[[nodiscard]] inline Condition runs_in_blocks() { return Condition::fact(Condition::Kind::InBlocks); }
/// Conditions of instances that run in blocks.
[[nodiscard]] inline Condition copies_ahead() { return Condition::fact(Condition::Kind::CopiesAhead); }
[[nodiscard]] inline Condition on_matrix_units() { return Condition::fact(Condition::Kind::OnMatrixUnits); }
[[nodiscard]] inline Condition are_apart(MatrixId a, MatrixId b) {
  return Condition::fact(Condition::Kind::Apart, {a, b});
}
[[nodiscard]] inline Condition has_unit_stride(MatrixId matrix) {
  return Condition::fact(Condition::Kind::UnitStride, {matrix});
}

/// Returns the condition that all of the expressions are 0 or more.
[[nodiscard]] Condition all_at_least_zero(const std::vector<IndexExpr>& exprs);

}  // namespace pb
