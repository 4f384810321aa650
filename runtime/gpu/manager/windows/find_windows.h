// SPDX-License-Identifier: MIT
// Which windows a launch has. Private to runtime/gpu.
#pragma once

#include <vector>

#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/windows/launch_window.h"

namespace pbrt::gpu {

/// The windows of a launch: one per storage of which it touches a part. None if some matrix has versions.
[[nodiscard]] std::vector<LaunchWindow> windows_of(const LaunchPlan& plan, const Halo& halo);

}  // namespace pbrt::gpu
