// SPDX-License-Identifier: MIT
// What a program of `pbc --checked-copies` finds. Beside errors.h, which everybody includes.
#pragma once

#include "runtime/config/errors.h"

namespace pbrt {

/// The host used an element that a device wrote, or wrote one that a device is to read, and nothing announced it
/// (runtime/gpu/launch.h).
class CopyError : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

}  // namespace pbrt
