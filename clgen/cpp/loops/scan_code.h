// SPDX-License-Identifier: MIT
// Scans in chunks and packs (runtime/matrix/simd_scans.h), printed from the typed tree.
#pragma once

#include <string>

#include "clgen/cpp/rules/rule_code.h"
#include "clgen/lower/tree/loop_tree.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Prints the function `scans_STEM`, which runs the instances of a box as scans, and the body that it needs.
void emit_scans(Writer& out, const RuleCode& code, const Step& step, const Scans& scans, const std::string& stem);

/// Returns the condition under which a step calls that function, and the call.
[[nodiscard]] std::string scans_test(const RuleCode& code, const Scans& scans);
[[nodiscard]] std::string scans_call(const RuleCode& code, const Scans& scans, const std::string& stem);

}  // namespace pb
