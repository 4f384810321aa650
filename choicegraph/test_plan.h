// SPDX-License-Identifier: MIT
// The plan of a program of choicegraph/test_program.h, for tests. Not part of the compiler.
#pragma once

#include "choicegraph/build_plan.h"
#include "choicegraph/test_program.h"
#include "lang/diagnostics.h"

namespace pb::testing {

/// The plan of one transform with what it was made from; verified if there are no errors.
struct PlannedTransform {
  Program program;
  Diagnostics diags;
  Plan plan;

  /// `infer_regions` is the front end's, which this folder does not know.
  PlannedTransform(const TestTransform& transform, bool (*infer_regions)(Program&, Diagnostics&))
      : program(transform.program()) {
    if (!infer_regions(program, diags)) return;
    plan = build_plan(program, diags);
    if (!diags.has_errors()) verify(plan, program);
  }
  [[nodiscard]] const TransformPlan& only() const { return plan.transforms.front(); }
  [[nodiscard]] const Transform& transform() const { return program.transforms[program.main]; }
};

}  // namespace pb::testing
