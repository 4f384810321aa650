// SPDX-License-Identifier: MIT
// Whether the outputs of measured runs are right: as accurate as their target, in agreement with a reference.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/config/formats/protocol.h"
#include "runtime/config/info.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/engine/verify.h"
#include "runtime/main/serve/checked_cells.h"

namespace pbrt {

class OutputCheck {
 public:
  /// Keeps references.
  OutputCheck(Engine& engine, const TransformDesc& transform);

  /// Forgets the reference, because the inputs change.
  void forget_reference() {
    set_reference({});
    has_reference_ = false;
  }
  /// From now on runs may be checked: against `outputs`, or only for their accuracy if there are none. `others`: what
  /// the outputs are with folds in another order, if that is as right; an output need only agree with one of the two.
  /// `sums`: cells that are held to sums in wider numbers.
  void set_reference(std::vector<AnyMatrix> outputs, std::vector<AnyMatrix> others = {}, CheckedCells sums = {}) {
    reference_ = std::move(outputs);
    in_other_order_ = std::move(others);
    sums_ = std::move(sums);
    has_reference_ = true;
  }
  [[nodiscard]] bool has_reference() const { return has_reference_; }
  /// Whether results are judged only by their accuracy and need not agree with the reference.
  [[nodiscard]] bool is_by_accuracy() const { return accuracy().has_target; }

  /// How the problem's outputs differ from `outputs`. If the transform has a verifier, the verifier decides whether
  /// they agree. `tolerance` < 0: the transform's own.
  [[nodiscard]] Difference compare(const Problem& problem, const std::vector<AnyMatrix>& outputs, double tolerance);

  /// The cells that are held to sums in wider numbers, where the problem's outputs are the reference. There are none if
  /// the program says otherwise what is right.
  [[nodiscard]] CheckedCells checked_sums(const Problem& problem) const;

  /// Checks the outputs of one run. The reply carries the least accurate run and the largest errors so far, and the
  /// status of a run that is not right.
  ///
  /// Pre:     has_reference(); outputs are whole in host memory
  void check(const Problem& problem, double tolerance, protocol::Reply& reply);

 private:
  [[nodiscard]] const AccuracyInfo& accuracy() const { return engine_.info_of(transform_).accuracy; }
  [[nodiscard]] std::vector<AnyMatrix> nearest_reference(const Problem& problem, double tolerance) const;
  [[nodiscard]] Difference difference_from_sums(const Problem& problem) const;
  void check_accuracy(const Problem& problem, protocol::Reply& reply);
  void check_agreement(const Problem& problem, double tolerance, protocol::Reply& reply);

  Engine& engine_;
  const TransformDesc& transform_;
  std::vector<std::string> output_names_;
  std::vector<AnyMatrix> reference_;       // may be empty while has_reference_ is true: outputs are then not compared
  std::vector<AnyMatrix> in_other_order_;  // empty if the order of folds makes no difference
  CheckedCells sums_;
  bool has_reference_ = false;
};

}  // namespace pbrt
