// SPDX-License-Identifier: MIT
// The error that a program of `pbc --checked-copies` reports. It is not in errors.h, which most files include.
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
