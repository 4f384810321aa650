// SPDX-License-Identifier: MIT
// C++ of loops in strips (Strips in clgen/lower/tree/loop_tree.h), with prefetches of what the next rows of a strip
// need.
#pragma once

#include <functional>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the two innermost loops in strips. `emit_body` prints the body of the innermost one. If each instance stores
/// one value along the rows of a matrix that is larger than the caches, the stores go past them.
void emit_strips(Writer& out, const RuleCode& code, const Strips& strips, const std::function<void()>& emit_body);

}  // namespace pb
