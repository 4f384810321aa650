// SPDX-License-Identifier: MIT
// C++ of loops in strips (clgen/lower/tree/loop_tree.h). What the next rows of a strip need is asked for ahead.
#pragma once

#include <functional>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The two innermost loops in strips, inside of all others; `emit_body` prints what the innermost one holds. Where one
/// value per instance goes along the rows of a matrix that is larger than caches, it is stored past them.
void emit_strips(Writer& out, const RuleCode& code, const Strips& strips, const std::function<void()>& emit_body);

}  // namespace pb
