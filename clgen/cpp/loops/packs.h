// SPDX-License-Identifier: MIT
// The body of a data-parallel rule on packs of neighbouring instances (runtime/matrix/simd.h), printed from the typed
// tree. Instances that do not fill a pack run the user's own text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the function `packs_STEM`, the body on one pack.
void emit_pack_body(Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& stem);

/// A function of a rule's body on packs or tiles.
struct PackFunction {
  std::string name;                   ///< `packs_STEM`
  std::string shape = "PbShape";      ///< the template parameter that is the shape
  std::vector<Parameter> first = {};  ///< parameters before those of the body
};
/// Prints the head of the function, opens it, and declares the constants and the coordinates that the body uses.
void open_pack_function(Writer& out, const RuleCode& code, const PackFacts& facts, const PackFunction& function);

/// Returns the arguments of such a function. `inputs` has the texts of those inputs that are no views of matrices, and
/// is empty where all are.
[[nodiscard]] std::vector<std::string> pack_args(const RuleCode& code, const PackFacts& facts,
                                                 const std::vector<std::string>& inputs = {});

/// Prints how the values of a pack or tile at the loops' variables are computed and stored: `call` calls the function,
/// and `store` returns the statement that stores `value` in an output.
void emit_pack_results(
    Writer& out, const RuleCode& code, const PackFacts& facts, const std::string& call,
    const std::function<std::string(const std::string& cells, const std::string& value, const std::string& at)>& store);

/// Prints the loops over packs. `emit_one` prints an instance by itself.
///
/// Pre: the function `packs_STEM` was emitted; `pb_may_repeat` is in scope, unless `packs.facts.writes_regions`
void emit_pack_loops(Writer& out, const RuleCode& code, const Packs& packs, const std::string& stem,
                     const std::function<void()>& emit_one);

}  // namespace pb
