// SPDX-License-Identifier: MIT
// A queue of its own for long copies in one direction, with a thread that enqueues them and waits for their ends. The
// thread is there because drivers copy memory that is not page-locked within the call that enqueues (NVIDIA's does); so
// only this thread waits for that. Private to runtime/cl.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "runtime/cl/object.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class CopyLane {
 public:
  /// Enqueues copies and returns the event of the last one; may throw ClError.
  using Copy = std::function<Event(cl_command_queue)>;

  /// Keeps a reference to `api`.
  CopyLane(const Api& api, Queue queue);
  /// Does the remaining copies, then ends the thread.
  ~CopyLane();
  CopyLane(const CopyLane&) = delete;
  CopyLane& operator=(const CopyLane&) = delete;

  /// Adds a copy. `done` is told on the lane's thread, once the copy has ended or could not be enqueued.
  ///
  /// Threads: any
  void add(Copy copy, gpu::Completion& done);
  /// Waits until all that was added has ended and been told.
  void finish() noexcept;

 private:
  struct Entry {
    Copy copy;
    gpu::Completion* done;
  };
  void run_thread();
  [[nodiscard]] bool run(const Copy& copy) noexcept;

  const Api& api_;
  Queue queue_;
  std::mutex mutex_;
  std::condition_variable changed_;  // entries_, is_busy_ or is_stopping_, under mutex_
  std::deque<Entry> entries_;
  bool is_busy_ = false;
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pbrt::cl
