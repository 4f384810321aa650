// SPDX-License-Identifier: MIT
// What a loop does between two looks at a variable that another thread will change. Used by searching workers and by
// the management threads of devices.
#pragma once

namespace pbrt {

/// Lets the other thread of the core run, for some tens of cycles.
inline void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace pbrt
