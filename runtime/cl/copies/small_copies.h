// SPDX-License-Identifier: MIT
// Copies of few bytes through page-locked memory: results that are one number, cells that the host writes before a
// launch. A driver copies such bytes from and to other memory with a thread of its own. On an H200 a number that is
// read back behind a kernel takes 55 to 180 us that way, and 6 to 14 us from page-locked memory. Private to runtime/cl.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/cl/copies/copy_ends.h"
#include "runtime/cl/copies/locked_memory.h"
#include "runtime/cl/object.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class SmallCopies {
 public:
  /// Keeps a reference to `api`. `max_bytes`: of a copy; 0: there are none.
  SmallCopies(const Api& api, cl_context context, std::size_t max_bytes);
  /// Pre: the ends of all copies were reported
  ~SmallCopies();
  SmallCopies(const SmallCopies&) = delete;
  SmallCopies& operator=(const SmallCopies&) = delete;

  /// A copy that was enqueued: its event, and whom to tell that it has ended; nobody if there was none.
  struct Begun {
    Event event;
    gpu::Completion* end = nullptr;
  };
  /// Enqueues a copy, if it is small, its bytes follow one another, and there is memory for it now. The host may write
  /// the source of a write at once; what is read is there once `done` is told, which `end` does.
  ///
  /// Threads: one at a time
  /// Errors:  ClError
  [[nodiscard]] Begun copy(const CopyEnds& ends, std::span<const gpu::CopyShape> shapes, gpu::Completion& done);

 private:
  class Slot;

  /// A slot that no copy uses; null if there is none.
  [[nodiscard]] Slot* take();
  void give(Slot& slot);
  /// Gets the page-locked memory, at the first small copy.
  void make_slots(cl_command_queue queue);

  const Api& api_;
  cl_context context_;
  const std::size_t max_bytes_;
  LockedMemory memory_;    // of all slots
  bool has_none_ = false;  // the memory could not be had
  std::vector<std::unique_ptr<Slot>> slots_;
  std::mutex mutex_;
  std::vector<Slot*> free_;  // under mutex_
};

}  // namespace pbrt::cl
