// SPDX-License-Identifier: MIT
// What the choice of a launch's kernel and shape may depend on. Private to runtime/gpu.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/gpu/manager/queue/launch_job.h"

namespace pbrt::gpu {

/// Numbers that say all that matters of a plan to the choice of its kernel and shape, but the kernel's description.
/// Plans of one kernel with equal facts have the same choices.
using LaunchFacts = std::vector<std::int64_t>;

/// Replaces `facts` by those of the plan. Of numbers that are arguments, only those matter that decide a build or count
/// rounds; of places in memory, whether they are aligned and need 64 bits.
void find_facts(const LaunchPlan& plan, LaunchFacts& facts);

}  // namespace pbrt::gpu
