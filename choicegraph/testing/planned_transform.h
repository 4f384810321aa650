// SPDX-License-Identifier: MIT
// The plan of a TestTransform, for tests. Not part of the compiler.
#pragma once

#include <string>
#include <vector>

#include "choicegraph/plan/plan.h"
#include "choicegraph/testing/test_transform.h"
#include "lang/diagnostics.h"

namespace pb::testing {

/// The plan of one transform with what it was made from; verified if there are no errors.
struct PlannedTransform {
  Program program;
  Diagnostics diags;
  Plan plan;

  explicit PlannedTransform(const TestTransform& transform);

  [[nodiscard]] const TransformPlan& only() const { return plan.transforms.front(); }
  [[nodiscard]] const Transform& transform() const { return program.transforms[program.main]; }
  [[nodiscard]] std::string text() const;
  /// The messages and their notes, one line each.
  [[nodiscard]] std::string messages() const;
  /// `OUT [0, n) by OUT#1`, one per segment.
  [[nodiscard]] std::vector<std::string> segments() const;
};

}  // namespace pb::testing
