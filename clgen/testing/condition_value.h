// SPDX-License-Identifier: MIT
// What a condition is in a call. Not part of the compiler.
#pragma once

#include <map>
#include <string>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/tree/condition.h"

namespace pb::testing {

/// A call, as far as conditions ask.
struct CallState {
  Values values;                      ///< of sizes, tunables and variables
  std::map<SiteId, int> choices;      ///< numbers among the flattened alternatives
  std::map<std::string, bool> flags;  ///< by their names
};

/// Pre:     `call` has all that the condition names
[[nodiscard]] bool holds(const Condition& condition, const CallState& call);

}  // namespace pb::testing
