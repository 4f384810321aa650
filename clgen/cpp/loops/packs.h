// SPDX-License-Identifier: MIT
// The body of a data-parallel rule on packs of neighbouring instances (runtime/matrix/simd.h), printed from the typed
// tree. Instances that do not fill a pack run the user's own text.
#pragma once

#include <functional>
#include <string>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the function `packs_STEM`, the body on one pack.
void emit_pack_body(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& stem);

/// Prints the loops over packs. `emit_one` prints an instance by itself.
///
/// Pre: the function `packs_STEM` was emitted; `pb_may_repeat` is in scope, unless `packs.facts.writes_regions`
void emit_pack_loops(Writer& out, const RuleCode& code, const Packs& packs, const std::string& stem,
                     const std::function<void()>& emit_one);

}  // namespace pb
