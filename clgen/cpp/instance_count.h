// SPDX-License-Identifier: MIT
// How many instances a piece of a step has, for traces and statistics: a function that counts where a box holds more
// than the step. Runs in traced runs only; of boxes the volume says it.
#pragma once

#include <string>
#include <vector>

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// `count_<stem>` for the loops of a step that is no box: the instances among those of a box.
void emit_instance_count(Writer& out, const RuleCode& code, const Step& step, const std::string& stem);

/// That function with `body` as its statements, which add to `pb_count`, and `box` as its last parameter.
void emit_count_function(Writer& out, const RuleCode& code, const std::string& stem, const Parameter& box,
                         const Writer& body);

[[nodiscard]] std::string count_call(const RuleCode& code, const std::string& stem, const std::string& box);

/// Records, where the run is traced, that the rule runs until the end of the block, on the sum of `counts`.
[[nodiscard]] std::string counted_scope(const std::string& frame, const std::string& rule,
                                        const std::vector<std::string>& counts);

}  // namespace pb
