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
  /// The plan of the program's only transform.
  [[nodiscard]] const TransformPlan& only() const { return plan.transforms.front(); }
};

/// Plans the program in a file; none if it has errors.
[[nodiscard]] std::optional<PlannedProgram> planned_file(const std::string& path);
/// Plans a program given as text; none if it has errors.
[[nodiscard]] std::optional<PlannedProgram> planned_text(const std::string& text);

}  // namespace pb::testing
