// SPDX-License-Identifier: MIT
// Temporaries with versions (docs/reference/language.md 4.15) of which two are needed at a time: `T<k>` is made from
// `T<k-1>`, and only the last version is read at the end.
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Makes all steps that write such a temporary run version by version, in one nest with those that they need and that
/// need them. The steps that make the first version come before it.
///
/// Reads:   steps, `plan.nests`
/// Fills:   `plan.two_versions`, `plan.in_place`, `plan.whole_versions`, `plan.nests`, `plan.edges`
void join_versions(Analysis& analysis);

}  // namespace pb::choices
