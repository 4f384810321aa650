// SPDX-License-Identifier: MIT
// What passes over loops need to know of a rule: its matrices, what its body does with them, whether instances call
// transforms. These are only facts; the folders that print make the rule's text.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "clgen/facts/rule_facts.h"
#include "lang/program.h"

namespace pb {

struct RuleShape {
  /// `has_kernels` says whether the program has any.
  RuleShape(const Program& program, const TransformPlan& plan, RuleId rule_id, bool has_kernels);

  TransformId transform_id;
  RuleId rule_id;
  const Transform& transform;
  const Rule& rule;
  RuleFacts facts;
  std::vector<RuleMatrix> matrices;  ///< matrices of the rule and of the rules that its instances try first
  ElementType element;               ///< the type that ElementT stands for

  /// Adds the matrices of a rule whose instances run in the same functions.
  void join_matrices(const RuleShape& other);

  /// Whether an instance may call transforms, by this rule or by one that is tried first.
  [[nodiscard]] bool has_calls() const { return facts.has_calls || guests_call; }
  /// Whether its steps wait for the matrix before they touch it. They do not wait for a 0-D input, a number that was
  /// copied when the call was made.
  [[nodiscard]] bool is_awaited(const RuleMatrix& use) const;
  [[nodiscard]] const Matrix& matrix(MatrixId id) const { return transform.matrices[id]; }
  /// Returns the name of an access's matrix.
  [[nodiscard]] const std::string& matrix_name(const RegionAccess& access) const { return matrix(access.matrix).name; }

  bool has_kernels;  ///< the program has kernels
  bool guests_call = false;
};

}  // namespace pb
