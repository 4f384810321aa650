// SPDX-License-Identifier: MIT
// Loops over instances whose cells move across the rows, such as transpositions: the innermost loop runs in strips, so
// that every cache line is used as a whole, and what the next rows of a strip need is asked for ahead. Used by
// loop_code and step_code.
#pragma once

#include <functional>

#include "choicegraph/plan/plan.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Whether the innermost loop of the step runs in strips.
[[nodiscard]] bool has_strips(const RuleCode& code, const Step& step);

/// The two innermost loops in strips, inside of all others; `emit_body` prints what the innermost one holds. Where one
/// value per instance goes along the rows of a matrix that is larger than caches, it is stored past them.
void emit_strips(Writer& out, const RuleCode& code, const Step& step, const std::function<void()>& emit_body,
                 bool has_vectors);

}  // namespace pb
