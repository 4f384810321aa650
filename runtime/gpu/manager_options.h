// SPDX-License-Identifier: MIT
// How a manager of a device works: what the program or a test sets when it makes one.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace pbrt {
class Trace;
}

namespace pbrt::gpu {

struct ManagerOptions {
  /// Called with each one-line warning (a device dropped, a kernel rejected or wrong), by any thread. Null: warnings go
  /// to standard error.
  void (*warn)(void* context, const char* line) = nullptr;
  void* warn_context = nullptr;
  /// Limit on the buffers' total size; 0: three quarters of the device's memory.
  std::uint64_t memory_limit_bytes = 0;
  /// How long the thread stays awake for the next event before it sleeps. Waking it costs tens of microseconds, as much
  /// as a small kernel. So staying awake pays for a device that does not compute on the host's own cores. It stays
  /// awake ten times as long while no other thread wants its processor.
  std::chrono::nanoseconds patience{0};
  /// Whether steps run on the CPU as well, and the results are compared (check/step_check.h).
  bool verifies = false;
  /// Whether copies and kernels are timed for the statistics, also without a trace.
  bool is_timed = false;
  /// The trace that gets lanes called `name` and `name, management`; null: none. It outlives the manager.
  Trace* trace = nullptr;
  std::string trace_name;
};

}  // namespace pbrt::gpu
