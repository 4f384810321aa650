// SPDX-License-Identifier: MIT
// What passes over loops need to know of a rule: its matrices, what its body does with them, whether instances call
// transforms. These are only facts; the folders that print make the rule's text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/tunable_role.h"
#include "choicegraph/plan/plan.h"
#include "clgen/facts/rule_facts.h"
#include "lang/index/index_expr.h"
#include "lang/program.h"

namespace pb {

/// The value of a tunable that says which form a rule's loops have (base/loop_forms.h): a constant if the Plan fixes
/// it, else a symbol, which generated code declares.
struct LoopValue {
  TunableRole role = TunableRole::Packs;
  IndexExpr value;

  [[nodiscard]] bool is_constant() const { return value.op == IndexExpr::Op::Const; }
};

struct RuleShape {
  /// `has_kernels` says whether the program has any.
  RuleShape(const Program& program, const TransformPlan& plan, RuleId rule_id, bool has_kernels);

  TransformId transform_id;
  RuleId rule_id;
  const Transform& transform;
  const Rule& rule;
  RuleFacts facts;
  std::vector<RuleMatrix> matrices;    ///< matrices of the rule and of the rules that its instances try first
  ElementType element;                 ///< the type that ElementT stands for
  std::vector<LoopValue> loop_values;  ///< of the rule's tunables

  /// Adds the matrices of a rule whose instances run in the same functions.
  void join_matrices(const RuleShape& other);

  /// Whether an instance may call transforms, by this rule or by one that is tried first.
  [[nodiscard]] bool has_calls() const { return facts.has_calls || guests_call; }
  /// Whether its steps wait for the matrix before they touch it. They do not wait for a 0-D input, a number that was
  /// copied when the call was made.
  [[nodiscard]] bool is_awaited(const RuleMatrix& use) const;
  /// Returns the value of the rule's tunable of a role; `otherwise` if the Plan has none.
  [[nodiscard]] IndexExpr loop_value(TunableRole role, std::int64_t otherwise) const;
  [[nodiscard]] const Matrix& matrix(MatrixId id) const { return transform.matrices[id]; }
  /// Returns the name of an access's matrix.
  [[nodiscard]] const std::string& matrix_name(const RegionAccess& access) const { return matrix(access.matrix).name; }

  bool has_kernels;  ///< the program has kernels
  bool guests_call = false;
};

}  // namespace pb
