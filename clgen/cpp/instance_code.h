// SPDX-License-Identifier: MIT
// C++ of one instance of a rule, inside the loops over instances: tests of coordinates that
// only the instance can make, the call of the rule function, the assignment of its value.
#pragma once

#include "clgen/cpp/border_code.h"
#include "clgen/cpp/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// What is known where an instance runs.
struct InstancePlace {
  /// None of its optional cells is missing, and no coordinate outside of `rows` needs its border.
  bool all_exist = false;
  bool has_handles = false;              ///< matrices that the rule takes as views are handles, as outside of loops
  std::vector<RowCoordinate> rows = {};  ///< mapped coordinates that stand as constants before the innermost loop
};

/// Statements that run one instance.
void emit_instance(Writer& out, const RuleCode& code, const InstancePlace& place = {});

/// The value that one instance of a rule in return form computes, where no input may lie outside of its matrix.
[[nodiscard]] std::string value_text(const RuleCode& code);

}  // namespace pb
