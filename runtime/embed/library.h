// SPDX-License-Identifier: MIT
// A library: its tables, and what its contexts share. There is one per copy of the runtime, since the C interface hands
// over no state of ours where a context is made.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/embed/library_desc.h"
#include "runtime/embed/shared_workers.h"
#include "runtime/main/engine/engine.h"
#include "runtime/main/machine/devices.h"

namespace pbrt {

/// The devices of the process, as contexts share them.
struct SharedDevices {
  std::mutex turn;  ///< held by calls that may use a device
  std::mutex lock;  ///< held while `devices` is used
  Devices devices{make_opencl_provider()};
};

/// Threads: any
class Library {
 public:
  explicit Library(const LibraryDesc& desc);
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  [[nodiscard]] const pb_library* tables() const { return &tables_; }
  [[nodiscard]] const LibraryDesc& desc() const { return desc_; }
  /// The parts below are made when the first context asks for them. Workers and devices end with the last context.
  ///
  /// Errors:  RuntimeError
  [[nodiscard]] const Engine& engine();
  [[nodiscard]] std::shared_ptr<SharedWorkers> workers(int num_workers);
  [[nodiscard]] std::shared_ptr<SharedDevices> devices();

  /// Asks the system to tell the children of forks that they are. Called when a context is made.
  static void watch_forks();
  /// Whether this process was forked from one that had made a context: threads and locks of ours are not usable.
  [[nodiscard]] static bool is_forked() { return is_forked_.load(std::memory_order_relaxed); }

 private:
  // Written by a child before any other code of it runs, so that relaxed reads see it.
  static std::atomic<bool> is_forked_;

  const LibraryDesc& desc_;
  std::vector<pb_transform> transforms_;
  std::vector<std::vector<pb_argument>> arguments_;
  pb_library tables_;
  std::mutex lock_;
  // Under lock_.
  std::unique_ptr<Engine> engine_;
  std::map<int, std::weak_ptr<SharedWorkers>> workers_;
  std::weak_ptr<SharedDevices> devices_;
};

/// The one library of this copy of the runtime; the first call makes it.
///
/// Errors:  std::bad_alloc
[[nodiscard]] Library& library_of(const LibraryDesc& desc);
/// The same; null if no caller has asked for its tables yet.
[[nodiscard]] Library* known_library() noexcept;

}  // namespace pbrt
