// SPDX-License-Identifier: MIT
// The body of a data-parallel rule on packs of neighbouring instances (runtime/matrix/simd.h),
// printed from the typed tree; the user's text serves what is left over.
#pragma once

#include <optional>
#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/cpp/uniformity.h"

namespace pb {

/// How the step runs on packs; none if its body is not one for packs: its control flow differs between instances, or it
/// does what packs cannot.
///
/// Pre: `step` has loops
[[nodiscard]] std::optional<PackFacts> find_packs(const RuleCode& code, const Step& step);

/// The functions `packs_X` (the body) and `lanes_X` (the loops) of a step for which find_packs found `facts`.
///
/// Pre: the function `rule_` of the rule was emitted
void emit_packs(Writer& out, const RuleCode& code, const Step& step, const PackFacts& facts, const std::string& stem);

/// Whether compilers make better vectors of such a body than packs are: of straight-line code, and where elements are
/// narrow. Then lanes of a pack are as wide as the widest value; compilers compute in as few bytes as values need.
[[nodiscard]] bool is_left_to_compilers(const RuleCode& code, const PackFacts& facts);

}  // namespace pb
