// SPDX-License-Identifier: MIT
// pbc from its options to its exit status: the passes in order.
#pragma once

#include "frontend/driver/pbc_options.h"

namespace pb {

/// Compiles, checks or prints as `options` says. Messages go to standard error.
///
/// Returns the exit status: 0, or 1 after an error of the program or of the environment
[[nodiscard]] int run_driver(const Options& options);

}  // namespace pb
