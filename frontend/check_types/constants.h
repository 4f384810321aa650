// SPDX-License-Identifier: MIT
// Values that are known when the program is compiled: template parameters and what is computed from them. Private to
// this folder.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/check_types/body_context.h"

namespace pb::checking {

/// The value of an expression that is known when the program is compiled.
struct KnownValue {
  std::int64_t value = 0;
  bool names_constant = false;  ///< it depends on a template parameter or a `duplicate` variable
};
/// The value of an expression; nothing if it is known at run time only.
///
/// Pre: the expression was checked
[[nodiscard]] std::optional<KnownValue> known_value(const BodyContext& context, ExprId id);

/// Puts the values of the rule's constants into its tree, where no local hides them.
///
/// Pre: `rule.body_types` says which names are constants
void put_constants(Rule& rule);

}  // namespace pb::checking
