// SPDX-License-Identifier: MIT
// Conditions in plain words, for people and golden tests.
#pragma once

#include <string>

#include "clgen/lower/tree/condition.h"
#include "lang/program.h"

namespace pb {

/// Returns `choice 0 is 1 and n-3 >= 0`. Matrices have their names in the transform.
[[nodiscard]] std::string to_text(const Transform& transform, const Condition& condition);

/// Returns ` where n >= 3`, to stand behind something that has the condition; empty for one that always holds.
[[nodiscard]] std::string where_text(const Transform& transform, const Condition& condition);

}  // namespace pb
