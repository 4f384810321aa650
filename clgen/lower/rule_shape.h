// SPDX-License-Identifier: MIT
// What passes over loops need to know of a rule: its matrices, what its body does with them, whether instances call
// transforms. Facts alone: the text of the rule is that of the folders that print.
#pragma once

#include <string>
#include <vector>

#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

struct RuleShape {
  /// `has_kernels`: the program has some.
  RuleShape(const Program& program, TransformId transform_id, RuleId rule_id, bool has_kernels = true);

  TransformId transform_id;
  RuleId rule_id;
  const Transform& transform;
  const Rule& rule;
  RuleFacts facts;
  std::vector<RuleMatrix> matrices;  ///< of the rule and of those that its instances try first
  ElementType element;               ///< what ElementT is

  /// Adds the matrices of a rule whose instances run in the same functions.
  void join_matrices(const RuleShape& other);

  /// Whether an instance may call transforms, also one of a rule that is tried first.
  [[nodiscard]] bool has_calls() const { return facts.has_calls || guests_call; }
  [[nodiscard]] const Matrix& matrix(MatrixId id) const { return transform.matrices[id]; }
  /// Name of the matrix of an access.
  [[nodiscard]] const std::string& matrix_name(const RegionAccess& access) const { return matrix(access.matrix).name; }

  bool has_kernels;  ///< of the program
  bool guests_call = false;
};

}  // namespace pb
