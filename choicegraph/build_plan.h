// SPDX-License-Identifier: MIT
// The choice graph's entry: from the resolved program to the Plan.
#pragma once

#include "choicegraph/plan.h"
#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Makes the Plan of every transform of `program`.
///
/// Pre:     infer_regions succeeded
/// Post:    segments of a matrix are disjoint and, with the uncovered boxes, cover it for every size; the order of the
///          steps is legal for every configuration
/// Errors:  UncoveredOutput, NoLegalOrder and what is not supported yet, on `diags`; the plan is then not to be used
/// Cost:    milliseconds for a program of some ten rules
[[nodiscard]] Plan build_plan(const Program& program, Diagnostics& diags);

}  // namespace pb
