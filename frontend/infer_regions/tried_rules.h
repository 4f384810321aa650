// SPDX-License-Identifier: MIT
// Rules whose `where` only an instance can test (docs/reference/language.md 5.8): finds the rules whose instances try
// them before they run themselves. Part of infer_regions, once the rules' domains are known.
#pragma once

#include "lang/diagnostics.h"
#include "lang/program.h"

namespace pb {

/// Fills Rule::tried, and appends the inputs of the rules tried as guests: they count as dependences.
///
/// Errors:  DynamicInstances on `diags`
[[nodiscard]] bool find_tried_rules(Transform& transform, Diagnostics& diags);

}  // namespace pb
