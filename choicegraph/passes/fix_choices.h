// SPDX-License-Identifier: MIT
// The Plan of a program of which some choices and values are decided when it is compiled (`pbc --config`): the same
// calls give the same results in the same order, without what can no longer be chosen. Used by frontend/driver; what a
// configuration file says becomes FixedChoices in clgen/info.
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
