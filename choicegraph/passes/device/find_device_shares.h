// SPDX-License-Identifier: MIT
// Which steps may be shared between a device and the CPU, and where (docs/architecture.md 7.4).
#pragma once

#include "choicegraph/passes/analysis/analysis.h"

namespace pb::choices {

/// Finds, for each step with device versions, the loop at which it may be shared: the slowest loop that carries no
/// dependence and cuts every output's part in two.
///
/// Reads:   `plan.steps`, `plan.nests`, the versions of the alternatives
/// Fills:   of each such step `device_share`
void find_device_shares(Analysis& analysis);

}  // namespace pb::choices
