// SPDX-License-Identifier: MIT
// Which windows a launch has. Private to runtime/gpu.
#pragma once

#include <vector>

#include "runtime/gpu/manager/queue/launch_job.h"
#include "runtime/gpu/manager/windows/launch_window.h"

namespace pbrt::gpu {

/// Whether launches like this one may have a window of the storage: no matrix of versions lies in it. What they touch
/// of it lies in the memory of two versions, which no window has less of by much.
[[nodiscard]] bool may_have_window(const LaunchPlan& plan, const StorageRecord& record);

/// The windows of a launch: one per storage of which it touches a part, and of which it may have one.
[[nodiscard]] std::vector<LaunchWindow> windows_of(const LaunchPlan& plan, const Halo& halo);

}  // namespace pbrt::gpu
