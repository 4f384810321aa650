// SPDX-License-Identifier: MIT
// Reports the ends of device operations, in the order of the queue: on the threads that poll, one at a time, else from
// a thread that waits for them one after the other. It serves drivers whose event callbacks are late: NVIDIA's come up
// to 20 ms after the end (measured on an H200, driver 580), while its clWaitForEvents returns within microseconds.
// Waking a thread there takes 10 to 300 microseconds, as long as many a kernel: hence the polling. An event may tell of
// several operations, since events cost as much as launches (docs/decisions/0055). Private to runtime/cl.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

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

  /// Calls done.done(ok) once `event` has ended and poll() or watch() was called. The event tells of the operations
  /// before it, too.
  ///
  /// Threads: any; `done` is called on the waiter's thread or within poll
  void add(Event event, gpu::Completion& done);
  /// Adds an operation that the next event tells of, its failure, too: drivers of GPUs do not go on after one. Returns
  /// how many operations there are for it now.
  std::size_t add(gpu::Completion& done);
  /// Gives the operations that no event tells of this one.
  void add(Event event);
  [[nodiscard]] bool has_operations_without_event();
  /// The queue is empty: the operations that no event tells of have ended like this.
  void end_all(bool ok);
  /// Reports the operations that have ended; nothing while the thread watches or another one polls.
  void poll();
  /// From now on the thread reports all operations, until it has caught up.
  void watch();
  /// Returns when all operations that have an event were reported, and nobody tells of an end. Pre: they have ended, or
  /// will by themselves
  void wait_for_all();

 private:
  using Operations = std::vector<gpu::Completion*>;
  struct Entry {
    Event event;  ///< no object: they have ended
    Operations operations;
    bool is_good = true;  ///< if there is no event
  };
  void run_thread();
  /// Adds an entry for the operations without an event. Pre: mutex_ is held
  void close(Event event, bool is_good);
  /// Takes the first entry. Pre: mutex_ is held; there is one
  [[nodiscard]] Entry take_first();

  const Api& api_;
  std::mutex mutex_;
  std::condition_variable wake_;   // for the thread; signalled by watch, poll and the destructor, under mutex_
  std::condition_variable quiet_;  // for wait_for_all
  std::deque<Entry> entries_;
  Operations without_event_;  // behind the entries
  bool is_watching_ = false;  // the thread reports; it ends this when nothing is left
  bool is_polling_ = false;   // poll looks at the first entry, or tells of its end, without the mutex
  bool is_stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace pbrt::cl
