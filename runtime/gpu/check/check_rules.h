// SPDX-License-Identifier: MIT
// How results of a device are compared with the CPU's, and what a difference is.
#pragma once

#include "runtime/config/info.h"

namespace pbrt::gpu {

struct CheckRules {
  ToleranceInfo tolerance;  ///< of floating-point numbers; not given: the default of their type
  bool is_strict = false;   ///< a difference is an error
};

}  // namespace pbrt::gpu
