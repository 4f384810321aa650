// SPDX-License-Identifier: MIT
// What the other devices that a storage is on mean for the operations of one of them. Used by manager threads.
#pragma once

#include "runtime/gpu/box_set.h"
#include "runtime/gpu/residency/residence.h"

namespace pbrt::gpu {

// All are called with the mutex of the record held.

/// The part of `boxes` that is newer on another device.
[[nodiscard]] BoxSet newer_elsewhere(const Residence& home, const BoxSet& boxes);
/// Whether an operation of another device must end before one of this device that uses the host's memory: reads it, or
/// `writes` it.
[[nodiscard]] bool others_in_way(const Residence& home, const BoxSet& boxes, bool writes);
/// The part of `boxes` whose memory on the host no operation of another device uses.
[[nodiscard]] BoxSet free_of_others(const Residence& home, BoxSet boxes);

}  // namespace pbrt::gpu
