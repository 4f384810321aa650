// SPDX-License-Identifier: MIT
// Makes the Plan of a program in which some choices and values are fixed when it is compiled (`pbc --config`). The same
// calls give the same results in the same order; alternatives that can no longer be chosen are gone. Used by
// frontend/driver; clgen/info turns a configuration file into FixedChoices.
#pragma once

#include <vector>

#include "choicegraph/plan/fixed_transform.h"
#include "choicegraph/plan/plan.h"
#include "lang/program.h"

namespace pb {

/// Returns the plan in which `choices` (by TransformId) hold.
///
/// Fixed sites keep the alternatives and versions that their levels name, and the CPU version for calls that are too
/// small for a device. Steps that no alternative runs, and what orders them, are gone; the rest is sorted anew. A
/// tunable that nothing reads any longer is fixed at its initial value. All sites and tunables stay listed.
///
/// Pre:     levels start at 0, increase and name alternatives; tunables have all their values; the sites of a forbidden
///          assignment are all fixed, to what is legal at every size, or all open
/// Post:    verify() holds
[[nodiscard]] Plan fix_choices(const Plan& plan, const Program& program, const std::vector<FixedTransform>& choices);

}  // namespace pb
