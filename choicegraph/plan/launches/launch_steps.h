// SPDX-License-Identifier: MIT
// What those ask of a step that look for steps which run together: in one launch, or in bands on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "choicegraph/plan/plan.h"
#include "lang/formula.h"
#include "lang/program.h"

namespace pb {

/// Whether some alternative runs the step in the version.
[[nodiscard]] bool may_run_in(const TransformPlan& plan, const Step& step, Version version);
/// Whether some alternative runs the step in the basic version of a device.
[[nodiscard]] bool has_basic_version(const TransformPlan& plan, const Step& step);

/// Whether step `a` has less to do than `b`: fewer of its loops grow with the sizes, or as many, but the others are
/// shorter, or these are alike, and its rule reads less. Of the steps of a launch, that which has most to do says its
/// shape: a border is thin, whatever it reads.
[[nodiscard]] bool has_less_to_do(const Transform& transform, const Step& a, const Step& b);

/// Whether the coordinate is a rule variable by itself.
[[nodiscard]] bool is_variable(const Formula& at, const std::string& var);
/// Returns the constant that the expression is; none if it is no constant.
[[nodiscard]] std::optional<std::int64_t> constant_of(const IndexExpr& at);

/// Returns the temporary of which the nest makes version after version, of which two have memory; none if there is
/// none.
[[nodiscard]] std::optional<MatrixId> matrix_of_versions(const TransformPlan& plan, const Nest& nest);

}  // namespace pb
