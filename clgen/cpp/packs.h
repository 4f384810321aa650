// SPDX-License-Identifier: MIT
// The body of a data-parallel rule on packs of neighbouring instances (runtime/matrix/simd.h),
// printed from the typed tree; the user's text serves what is left over.
#pragma once

#include <functional>
#include <string>

#include "clgen/cpp/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// The function `packs_STEM`: the body on one pack.
void emit_pack_body(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& stem);

/// The loops over packs; `emit_one` prints an instance by itself. Where packs may run instances again,
/// `pb_may_repeat` is in scope.
///
/// Pre: the function `packs_STEM` was emitted
void emit_pack_loops(Writer& out, const RuleCode& code, const Packs& packs, const std::string& stem,
                     const std::function<void()>& emit_one);

}  // namespace pb
