// SPDX-License-Identifier: MIT
// What all contexts that use one copy of the runtime share, whatever library they are of: workers, devices, and the
// mark of a forked process. Libraries that link libpbrt.so share a copy in each process; a library that holds the
// runtime itself has its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "runtime/embed/resident_memory.h"
#include "runtime/embed/shared_workers.h"
#include "runtime/embed/turn.h"
#include "runtime/main/machine/devices.h"

namespace pbrt {

/// The devices of the process, as contexts share them.
struct SharedDevices {
  Turn turn;        ///< of calls that may use a device
  std::mutex lock;  ///< held while `devices` is used
  Devices devices{make_opencl_provider()};
};

/// Threads: any
class SharedRuntime {
 public:
  /// The one of this copy of the runtime.
  [[nodiscard]] static SharedRuntime& get();

  /// The parts are made when the first context asks for them, and end with the last context that holds them.
  ///
  /// Errors:  RuntimeError if threads cannot be made
  [[nodiscard]] std::shared_ptr<SharedWorkers> workers(int num_workers);
  [[nodiscard]] std::shared_ptr<SharedDevices> devices();
  [[nodiscard]] ResidentMemory& resident_memory() { return resident_memory_; }

 private:
  ResidentMemory resident_memory_;
  std::mutex lock_;
  // Under lock_.
  std::map<int, std::weak_ptr<SharedWorkers>> workers_;
  std::weak_ptr<SharedDevices> devices_;
};

/// Asks the system to tell the children of forks that they are. Called when a context is made.
///
/// Errors:  RuntimeError
void watch_forks();
/// Whether this process was forked from one that had made a context: threads and locks of ours are not usable.
[[nodiscard]] bool is_forked() noexcept;

}  // namespace pbrt
