// SPDX-License-Identifier: MIT
// Loops over instances whose cells move across the rows, such as transpositions: the innermost loop runs in strips, so that
// every cache line is used as a whole, and what the next rows of a strip need is asked for ahead. Used by rule_code and
// step_code.
#pragma once

#include "choicegraph/plan.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Whether the innermost loop of the step runs in strips.
[[nodiscard]] bool has_strips(const RuleCode& code, const Step& step);

/// Opens the loop over strips, outside of the second loop from the inside.
void open_strips(Writer& out, const RuleCode& code, const Step& step);

/// First statement of that second loop: asks for cache lines that come later, where matrices are larger than near caches.
void emit_strip_prefetch(Writer& out, const RuleCode& code, const Step& step);

/// Head of the innermost loop, over one strip.
[[nodiscard]] std::string strip_loop_head(const Step& step);

}  // namespace pb
