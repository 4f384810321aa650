// SPDX-License-Identifier: MIT
// Checks what must hold for every Plan. The driver and the tests do so for each plan that they get.
#pragma once

#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Checks that ids are in range, ranks match, every segment has a site, and order and edges agree.
///
/// Errors:  aborts with the broken condition
void verify(const Plan& plan, const Program& program);

}  // namespace pb
