// SPDX-License-Identifier: MIT
// Copies between the host's memory and buffers of a device: straight, where they are short or the memory is
// page-locked; else by a crew of threads. Private to runtime/cl. See Note [Ways of a copy] at the end of the file
// host_copies.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/cl/copies/copy_crew.h"
#include "runtime/cl/copies/copy_ends.h"
#include "runtime/cl/copies/page_locks.h"
#include "runtime/cl/copies/small_copies.h"
#include "runtime/cl/device_options.h"
#include "runtime/cl/object.h"

namespace pbrt::cl {

class HostCopies {
 public:
  /// Keeps a reference to `api`.
  HostCopies(const Api& api, cl_context context, cl_device_id device, const CopyOptions& options);

  /// Enqueues writes of all shapes from the memory that begins at `host`, and returns the event of the last one. Throws
  /// ClError.
  ///
  /// Threads: any
  [[nodiscard]] Event write(cl_command_queue queue, cl_mem buffer, const std::byte* host,
                            std::span<const gpu::CopyShape> shapes) {
    return copy({queue, buffer, host, nullptr}, shapes);
  }
  /// Enqueues reads; as write.
  [[nodiscard]] Event read(cl_command_queue queue, cl_mem buffer, std::byte* host,
                           std::span<const gpu::CopyShape> shapes) {
    return copy({queue, buffer, nullptr, host}, shapes);
  }

  using Begun = SmallCopies::Begun;
  /// As write or read, as the ends say. Few bytes go through page-locked memory. Returns whom to tell of the end, too:
  /// `done`, or one that tells it.
  ///
  /// Threads: one at a time
  [[nodiscard]] Begun begin(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes, gpu::Completion& done);

  /// How many bytes the crew has copied.
  [[nodiscard]] std::int64_t bytes_of_crew() const { return bytes_of_crew_.load(std::memory_order_relaxed); }
  [[nodiscard]] const PageLocks& locks() const { return locks_; }

 private:
  [[nodiscard]] Event copy(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes);
  /// The crew, if it is to do this copy, and the pieces for it; else null.
  [[nodiscard]] CopyCrew* crew_for(const void* host, std::span<const gpu::CopyShape> shapes,
                                   std::vector<CopyPiece>& pieces);

  const Api& api_;
  cl_context context_;
  cl_device_id device_;
  CopyOptions options_;
  PageLocks locks_;
  SmallCopies small_;
  std::mutex mutex_;
  std::size_t long_bytes_ = 0;      // of long copies so far, under mutex_
  std::unique_ptr<CopyCrew> crew_;  // null: not used yet; under mutex_, never changes afterwards
  bool has_no_crew_ = false;        // it could not be made; under mutex_
  std::atomic<std::int64_t> bytes_of_crew_{0};
};

}  // namespace pbrt::cl
