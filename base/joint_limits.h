// SPDX-License-Identifier: MIT
// The limit of loops that run together. pbc joins only such steps, and the runtime is compiled for so many dimensions
// (runtime/sched/loops/parallel_for.h).
#pragma once

namespace pb {

/// Dimensions that each of several joined loops may have.
inline constexpr int kMaxJointDimensions = 3;

}  // namespace pb
