// SPDX-License-Identifier: MIT
// What kernels of a step have computed, until it is compared. Private to runtime/gpu/check.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "runtime/gpu/check/check_rules.h"
#include "runtime/gpu/check/checked_part.h"
#include "runtime/gpu/check/device_check.h"

namespace pbrt::gpu {

/// What one launch has computed.
struct LaunchResults {
  const KernelDesc* kernel = nullptr;
  DeviceCheck* device = nullptr;
  CheckRules rules;
  std::vector<CheckedPart> parts;
  std::vector<std::vector<std::byte>> cells;  ///< by part
};

struct StepResults {
  std::mutex mutex;
  std::vector<LaunchResults> launches;
};

}  // namespace pbrt::gpu
