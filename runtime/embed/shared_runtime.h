// SPDX-License-Identifier: MIT
// What all contexts that use one copy of the runtime share, whatever library they are of: workers, devices, and the
// mark of a forked process. Libraries that link libpbrt.so share a copy in each process; a library that holds the
// runtime itself has its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/embed/resident_memory.h"
#include "runtime/embed/shared_workers.h"
#include "runtime/embed/turn.h"
#include "runtime/main/machine/devices.h"

namespace pbrt {

class SharedRuntime;

/// Tells the runtime, when it ends, that devices have ended.
struct DevicesEnd {
  DevicesEnd() = default;
  ~DevicesEnd();
  DevicesEnd(const DevicesEnd&) = delete;
  DevicesEnd& operator=(const DevicesEnd&) = delete;
  SharedRuntime* of = nullptr;  ///< null: nobody is told
};

/// What contexts say of how devices are used; as it is made: nothing.
struct DeviceSettings {
  std::uint64_t memory_bytes = 0;     ///< the most that is used of each device; 0: what the manager chooses
  std::chrono::nanoseconds limit{0};  ///< of each operation; 0: none
  bool verifies = false;              ///< results are compared with the CPU's
  bool operator==(const DeviceSettings&) const = default;
};

/// The devices of the process, as contexts share them.
class SharedDevices {
 public:
  /// Says how devices are used, before the first one is opened. Later it only asks whether they are used so; a context
  /// that says nothing takes them as they are.
  ///
  /// Pre:     `lock` is held
  /// Errors:  DeviceError if they are used in another way
  void settle(const DeviceSettings& wanted);

  DevicesEnd at_end;  ///< the first member, so that it ends last
  Turn turn;          ///< of calls that may use a device
  std::mutex lock;    ///< held while `devices` is used
  Devices devices{make_opencl_provider()};

 private:
  // Under `lock`.
  DeviceSettings settings_;
  bool is_settled_ = false;
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
  /// The devices if there are any; else null, and what they had is in the host's memory.
  [[nodiscard]] std::shared_ptr<SharedDevices> known_devices();
  void note_devices_ended() noexcept;
  [[nodiscard]] ResidentMemory& resident_memory() { return resident_memory_; }

 private:
  /// Waits while devices end.
  [[nodiscard]] std::shared_ptr<SharedDevices> find_devices(std::unique_lock<std::mutex>& guard);

  ResidentMemory resident_memory_;
  std::mutex lock_;
  // Under lock_.
  std::map<int, std::weak_ptr<SharedWorkers>> workers_;
  std::weak_ptr<SharedDevices> devices_;
  bool has_devices_ = false;               ///< until they have ended, which takes time
  std::condition_variable devices_ended_;  ///< has_devices_ became false
};

/// Asks the system to tell the children of forks that they are. Called when a context is made.
///
/// Errors:  RuntimeError
void watch_forks();
/// Whether this process was forked from one that had made a context: threads and locks of ours are not usable.
[[nodiscard]] bool is_forked() noexcept;

}  // namespace pbrt
