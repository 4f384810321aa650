// SPDX-License-Identifier: MIT
// C++ of one instance of a rule, inside the loops over instances: tests of coordinates that
// only the instance can make, the call of the rule function, the assignment of its value.
#pragma once

#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// Statements that run one instance. `all_exist`: none of its optional cells is missing.
void emit_instance(Writer& out, const RuleCode& code, bool all_exist = false);

}  // namespace pb
