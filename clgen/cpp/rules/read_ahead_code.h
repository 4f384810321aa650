// SPDX-License-Identifier: MIT
// Finds loops of bodies that read at computed places, as in `v.cell(e) * x.cell(c.cell(e))`. Such a loop gets requests
// for the elements that it reads in order, ahead of their use (runtime/matrix/read_ahead.h). Used by body_text.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

/// Returns the text to insert before tokens of the body, by the number of the token. Each token is the first one of a
/// loop's step, and the text is a list of requests as operands of the comma operator.
[[nodiscard]] std::map<std::uint32_t, std::string> find_reads_ahead(const Rule& rule, const RuleFacts& facts);

}  // namespace pb
