// SPDX-License-Identifier: MIT
// Reports the ends of device operations, in the order of the queue: on the management thread while it polls, else from
// a thread that waits for them one after the other. It serves drivers whose event callbacks are late: NVIDIA's come up
// to 20 ms after the end (measured on an H200, driver 580), while its clWaitForEvents returns within microseconds.
// Waking a thread there takes 10 to 300 microseconds, as long as many a kernel: hence the polling. Private to
// runtime/cl.
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

  /// Calls done.done(ok) once `event` has ended and poll() or watch() was called.
  ///
  /// Threads: any; `done` is called on the waiter's thread or within poll
  void add(Event event, gpu::Completion& done);
  /// Reports the operations that have ended; nothing while the thread watches.
  void poll();
  /// From now on the thread reports all operations, until it has caught up.
  void watch();

 private:
  struct Entry {
    Event event;
    gpu::Completion* done;
  };
  void run_thread();
  /// Takes the first entry. Pre: `lock` holds mutex_; there is one.
  [[nodiscard]] Entry take_first();

  const Api& api_;
  std::mutex mutex_;
  std::condition_variable wake_;  // signalled by watch and the destructor, under mutex_
  std::deque<Entry> entries_;
  bool is_watching_ = false;  // the thread reports; it ends this when nothing is left
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pbrt::cl
