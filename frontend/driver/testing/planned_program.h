// SPDX-License-Identifier: MIT
// Programs from their text to their plan, for tests. Not part of the compiler.
#pragma once

#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb::testing {

struct PlannedProgram {
  Program program;
  Plan plan;

  [[nodiscard]] const Transform& transform() const { return program.transforms[program.main]; }
  /// Of a program with one transform.
  [[nodiscard]] const TransformPlan& only() const { return plan.transforms.front(); }
};

/// None if the file has errors.
[[nodiscard]] std::optional<PlannedProgram> planned_file(const std::string& path);
/// None if the text has errors.
[[nodiscard]] std::optional<PlannedProgram> planned_text(const std::string& text);

}  // namespace pb::testing
