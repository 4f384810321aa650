// SPDX-License-Identifier: MIT
// C++ of the rounds of a fold that run in lanes (choicegraph/plan/lane_loops.h, runtime/matrix/simd_folds.h). The
// user's loop runs what is left, or all of it where no lanes run: it stands once, in a function that is inlined for
// each.
#pragma once

#include <optional>
#include <string>

#include "choicegraph/plan/lane_loops.h"
#include "clgen/cpp/rules/body_text.h"
#include "lang/program.h"

namespace pb {

/// Returns the text of the loop. `any_order` names the truth value that folds may be added up in any order. `limits`
/// stand for those of the source.
[[nodiscard]] LaneLoopText lane_loop_text(const Rule& rule, const Fold& fold, const LaneLoop& loop,
                                          const std::string& any_order,
                                          const std::optional<LoopLimits>& limits = std::nullopt);

}  // namespace pb
