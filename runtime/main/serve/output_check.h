// SPDX-License-Identifier: MIT
// Whether the outputs of measured runs are right: as accurate as their target, in agreement with a reference.
#pragma once

#include <string>
#include <vector>

#include "runtime/config/formats/protocol.h"
#include "runtime/config/info.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/engine/verify.h"

namespace pbrt {

class OutputCheck {
 public:
  /// Keeps references.
  OutputCheck(Engine& engine, const TransformDesc& transform);

  /// The reference is that of other inputs from now on.
  void forget_reference() {
    reference_.clear();
    has_reference_ = false;
  }
  /// From now on runs may be checked: against `outputs`, or only for their accuracy if there are none.
  void set_reference(std::vector<AnyMatrix> outputs) {
    reference_ = std::move(outputs);
    has_reference_ = true;
  }
  [[nodiscard]] bool has_reference() const { return has_reference_; }
  /// Whether results need not agree, but be good enough.
  [[nodiscard]] bool is_by_accuracy() const { return accuracy().has_target; }

  /// How the problem's outputs differ from others; whether that is too much is for the transform's verifier to say,
  /// where there is one. `tolerance` < 0: the transform's own.
  [[nodiscard]] Difference compare(const Problem& problem, const std::vector<AnyMatrix>& outputs, double tolerance);

  /// Checks the outputs of one run. The reply carries the least accurate run and the largest errors so far, and the
  /// status of a run that is not right.
  ///
  /// Pre:     has_reference(); outputs are whole in host memory
  void check(const Problem& problem, double tolerance, protocol::Reply& reply);

 private:
  [[nodiscard]] const AccuracyInfo& accuracy() const { return engine_.info_of(transform_).accuracy; }
  void check_accuracy(const Problem& problem, protocol::Reply& reply);
  void check_agreement(const Problem& problem, double tolerance, protocol::Reply& reply);

  Engine& engine_;
  const TransformDesc& transform_;
  std::vector<std::string> output_names_;
  std::vector<AnyMatrix> reference_;  // empty although has_reference_: outputs are not compared
  bool has_reference_ = false;
};

}  // namespace pbrt
