// SPDX-License-Identifier: MIT
// Reports the ends of device operations from a thread that waits for them one after the other, in
// the order of the queue. For drivers whose event callbacks are late: NVIDIA's come up to 20 ms after
// the end (measured on an H200, driver 580), its clWaitForEvents returns within microseconds.
// Private to runtime/cl.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/cl/object.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class EventWaiter {
 public:
  /// Keeps a reference to `api`.
  explicit EventWaiter(const Api& api);
  /// Reports what is still queued, then ends the thread.
  ~EventWaiter();
  EventWaiter(const EventWaiter&) = delete;
  EventWaiter& operator=(const EventWaiter&) = delete;

  /// Calls done.done(ok) once `event` has ended.
  ///
  /// Threads: any; `done` is called on the waiter's thread
  void add(Event event, gpu::Completion& done);

 private:
  struct Entry {
    Event event;
    gpu::Completion* done;
  };
  void run_thread();

  const Api& api_;
  std::mutex mutex_;
  std::condition_variable wake_;  // signalled by add and the destructor, under mutex_
  std::deque<Entry> entries_;
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pbrt::cl
