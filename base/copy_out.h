// SPDX-License-Identifier: MIT
// What follows after a device wrote a region. pbc derives it from the steps of a transform, generated code says it in
// each launch, and the runtime copies accordingly.
#pragma once

#include <cstdint>

namespace pb {

/// run() is that of the launch (runtime/gpu/launch.h).
enum class CopyOut : std::uint8_t {
  Must,    ///< a CPU step reads it next: read back at once; run() returns when it is on the host
  Eager,   ///< the CPU does the rest of the step: read back at once; run() returns when the kernel is enqueued
  Result,  ///< of the run, needed at its end: read back beside later kernels if long, else pending; run() returns
           ///< likewise
  Reused,  ///< a device step reads it next: stays; run() returns when the kernel is enqueued
  May,     ///< unknown: stays pending until need_on_host; run() returns when the kernel is enqueued
};

}  // namespace pb
