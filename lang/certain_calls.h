// SPDX-License-Identifier: MIT
// Finds the calls of transforms that every run of a body makes, whatever its data are.
#pragma once

#include <functional>
#include <vector>

#include "lang/program.h"

namespace pb {

/// Transforms that every run of the body calls, each once. Only calls for which `counts` holds are counted; without
/// `counts` all of them are. Calls that choose an instance at run time never count.
[[nodiscard]] std::vector<TransformId> certain_calls(const Rule& rule,
                                                     const std::function<bool(const TransformCall&)>& counts = {});

}  // namespace pb
