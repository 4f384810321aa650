// SPDX-License-Identifier: MIT
// C++ of one instance of a rule, inside the loops over instances: tests of coordinates that only the instance can make,
// the call of the rule function, and the assignment of its value.
#pragma once

#include "clgen/cpp/rules/border_code.h"
#include "clgen/cpp/rules/rule_code.h"
#include "clgen/writer/writer.h"

namespace pb {

/// What is known where an instance runs.
struct InstancePlace {
  /// No optional cell is missing, and no coordinate needs its border, apart from those in `rows`.
  bool all_exist = false;
  bool has_handles = false;  ///< matrices are in scope as handles even where the rule takes views, as outside of loops
  std::vector<RowCoordinate> rows = {};  ///< mapped coordinates that stand as constants before the innermost loop
};

/// Statements that run one instance.
void emit_instance(Writer& out, const RuleCode& code, const InstancePlace& place = {});

/// The cell of an optional input, or what stands for it where it is missing.
[[nodiscard]] std::string optional_cell_text(const RuleCode& code, const RegionAccess& input);

/// The name of what a rule that adds up a sum in wider numbers assigns to.
inline constexpr const char* kWideCell = "pb_cell_sum";

/// Returns the call of one instance: the value of a rule in return form.
///
/// Pre: no input of the rule may lie outside of its matrix, unless the place says that all exist
[[nodiscard]] std::string value_text(const RuleCode& code, const InstancePlace& place = {});

}  // namespace pb
