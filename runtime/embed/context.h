// SPDX-License-Identifier: MIT
// Contexts of a library's callers: settings for calls, and the calls that are in progress. The functions that callers
// reach are in context_functions.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/config/active_config.h"
#include "runtime/embed/library.h"
#include "runtime/embed/shared_runtime.h"
#include "runtime/gpu/several/manager_set.h"
#include "runtime/sched/frame.h"

namespace pbrt {

/// A call in progress, as cancel_context sees it.
struct CallInProgress {
  RunState state;
  bool is_cancelled = false;  ///< under LibraryContext::lock
};

struct LibraryContext : pb_context {
  /// Errors:  RuntimeError
  explicit LibraryContext(Library& of) : pb_context{&of}, owner(of), engine(of.engine()) {}

  Library& owner;
  const Engine& engine;
  ActiveConfig config;
  std::uint64_t seed = 0;
  bool is_strict = false;
  std::shared_ptr<SharedDevices> devices;  ///< null: no device is used
  gpu::ManagerSet managers;                ///< of the devices of the context; without one it runs on the CPU
  std::shared_ptr<SharedWorkers> workers;

  std::mutex lock;
  std::vector<CallInProgress*> calls;  ///< under lock
};

/// Why a context cannot be used: null, or in the child of a fork; PB_OK if it can.
[[nodiscard]] pb_status check_context(const pb_context* context) noexcept;
/// The same for functions that ask for workers, which a body may not do.
[[nodiscard]] pb_status check_caller(const pb_context* context) noexcept;

}  // namespace pbrt
