// SPDX-License-Identifier: MIT
// Evaluates conditions in a call. Not part of the compiler.
#pragma once

#include <map>
#include <set>
#include <string>

#include "choicegraph/testing/oracle.h"
#include "clgen/lower/tree/condition.h"

namespace pb::testing {

/// The state of a call, as far as conditions depend on it.
struct CallState {
  Values values;                      ///< values of sizes, tunables and variables
  std::map<SiteId, int> choices;      ///< numbers among the flattened alternatives
  std::map<std::string, bool> named;  ///< values of named conditions
  std::set<Condition::Kind> facts;    ///< kinds of facts that hold, whatever matrices they are about
};

/// Pre:     `call` has all that the condition names
[[nodiscard]] bool holds(const Condition& condition, const CallState& call);

}  // namespace pb::testing
