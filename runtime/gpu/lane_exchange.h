// SPDX-License-Identifier: MIT
// How the work-items of a device that run an instance together exchange their parts of a fold. All ways combine the
// parts in the same tree and give the same bits.
#pragma once

#include <optional>

#include "runtime/gpu/device.h"

namespace pbrt::gpu {

/// Whether kernels of the device may exchange parts in this way: the device says that it has what the way needs, builds
/// a small kernel with it, and this kernel gives the right values. Memory is always there.
///
/// Errors: throws what the device throws but for refusals and failed builds
[[nodiscard]] bool can_exchange(Device& device, LaneExchange way);

/// The way of the device: what its info says; else shuffles or sub-groups where a GPU has them, else memory. On CPUs,
/// sub-groups are loops through memory.
///
/// Errors: as for can_exchange
[[nodiscard]] LaneExchange find_exchange(Device& device);

/// The options with which kernels are built that exchange parts in this way; each begins with a blank.
[[nodiscard]] const char* build_options_of(LaneExchange way);

/// The way that POLYBRICKS_LANE_EXCHANGE asks for: `memory`, `ptx`, `sub-groups`; none if it is not set. For tests.
///
/// Errors: UserError if it is something else
[[nodiscard]] std::optional<LaneExchange> exchange_of_environment();

}  // namespace pbrt::gpu
