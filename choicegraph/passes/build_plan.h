// SPDX-License-Identifier: MIT
// The choice graph's entry: from the resolved program to the Plan.
#pragma once

#include <cstdint>
#include <optional>

#include "choicegraph/plan/plan.h"
#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// The work that the analysis of a transform may take for each three of its rules, before it is given up with a
/// message. It is a matter of seconds; ordinary transforms take a hundredth of it.
inline constexpr std::uint64_t kMaxPlanOperations = 3'000'000;

struct PlanOptions {
  std::uint64_t max_operations = kMaxPlanOperations;
  FoldOrders fold_orders = FoldOrders::SourceFirst;
};

/// Makes the Plan of every transform of `program`.
///
/// Pre:     infer_regions succeeded
/// Post:    segments of a matrix are disjoint and, with the uncovered boxes, cover it for every size; the order of the
///          steps is legal for every configuration
/// Errors:  UncoveredOutput, NoLegalOrder and what is not supported yet, on `diags`; the plan is then not to be used
/// Cost:    milliseconds for a program of some ten rules
[[nodiscard]] Plan build_plan(const Program& program, Diagnostics& diags, const PlanOptions& options = {});

/// Makes the Plan of one transform, without messages; none if that is an error.
[[nodiscard]] std::optional<TransformPlan> try_plan(const Program& program, TransformId id, const PlanOptions& options);

}  // namespace pb
