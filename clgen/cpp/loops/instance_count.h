// SPDX-License-Identifier: MIT
// Counts the instances of a piece of a step, for traces and statistics. If the step has an instance at every point of
// its box, the volume of the piece is their number. Other steps get a function that counts, which only traced runs
// call.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints `count_<stem>`, which counts the instances of a step inside of a box. It is for steps that do not have an
/// instance at every point of their box.
void emit_instance_count(Writer& out, const RuleCode& code, const Step& step, const std::string& stem);

/// Prints `count_<stem>` with the statements `body`, which add to `pb_count`. `box` is its last parameter.
void emit_count_function(Writer& out, const RuleCode& code, const std::string& stem, const Parameter& box,
                         const Writer& body);

/// Returns a call of `count_<stem>` for the box of that name.
[[nodiscard]] std::string count_call(const RuleCode& code, const std::string& stem, const std::string& box);

/// Returns a statement that records, in a traced run, that the rule runs until the end of the block. `counts` add up to
/// the number of instances.
[[nodiscard]] std::string counted_scope(const std::string& frame, const std::string& rule,
                                        const std::vector<std::string>& counts);

}  // namespace pb
