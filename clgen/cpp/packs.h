// SPDX-License-Identifier: MIT
// The body of a data-parallel rule on packs of neighbouring instances (runtime/matrix/simd.h),
// printed from the typed tree; the user's text serves what is left over.
#pragma once

#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/pack_choice.h"

namespace pb {

/// The functions `packs_X` (the body) and `lanes_X` (the loops) of a step for which find_packs found `facts`.
///
/// Pre: the function `rule_` of the rule was emitted
void emit_packs(Writer& out, const RuleCode& code, const Step& step, const PackFacts& facts, const std::string& stem);

}  // namespace pb
