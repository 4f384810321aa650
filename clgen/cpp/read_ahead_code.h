// SPDX-License-Identifier: MIT
// Loops of bodies that read at computed places, as in `v.cell(e) * x.cell(c.cell(e))`: what they read in order is asked
// for ahead (runtime/matrix/read_ahead.h). Used by body_text.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "clgen/rule_facts.h"
#include "lang/program.h"

namespace pb {

/// Operands of the comma operator to put before tokens of the body, by the token: before the steps of such loops.
[[nodiscard]] std::map<std::uint32_t, std::string> find_reads_ahead(const Rule& rule, const RuleFacts& facts);

}  // namespace pb
