// SPDX-License-Identifier: MIT
// Outputs whose cells are sums that rules add up from inputs of the transform alone. Their exact values, and how far
// rounding can move them, are known without running the transform: the same body, with wider accumulators, computes
// both for any one cell (runtime/matrix/wide_sum.h). Measured programs are held to them
// (docs/decisions/0037-sums-are-held-to-wider-ones.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// An output, and the rule that adds up its cells: an instance makes a cell of sums that are scaled and added.
struct CheckedSum {
  RuleId rule;
  MatrixId output;
  std::vector<std::uint32_t> types;  ///< tokens of the body: the types of the accumulators, which wider ones replace

  bool operator==(const CheckedSum&) const = default;
};

/// Returns the outputs of the transform of which every rule that may compute a cell adds it up from inputs. `element`
/// is the type that ElementT stands for.
///
/// The terms are products and quotients of inputs, of their differences, and of numbers. So each has a small relative
/// error, and rounding moves a sum by no more than a share of the sum of their magnitudes.
[[nodiscard]] std::vector<CheckedSum> find_checked_sums(const Transform& transform, const TransformPlan& plan,
                                                        ElementType element);

/// Returns a description for `pbc --emit=lowered`: `cells of `S` are held to sums of rule S#1 in wider numbers`.
[[nodiscard]] std::string to_words(const CheckedSum& sum, const Transform& transform);

}  // namespace pb
