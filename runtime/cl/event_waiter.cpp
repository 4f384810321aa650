// SPDX-License-Identifier: MIT
#include "runtime/cl/event_waiter.h"

#include <utility>

namespace pbrt::cl {

EventWaiter::EventWaiter(const Api& api) : api_(api), thread_([this] { run_thread(); }) {}

EventWaiter::~EventWaiter() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void EventWaiter::add(Event event, gpu::Completion& done) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(event), &done});
  wake_.notify_one();
}

void EventWaiter::run_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (entries_.empty() && !is_stopping_) wake_.wait(lock);
    if (entries_.empty()) return;
    Entry entry = std::move(entries_.front());
    entries_.pop_front();
    lock.unlock();
    const cl_event id = entry.event.get();
    const bool ok = api_.clWaitForEvents.status(1U, &id) == CL_SUCCESS;
    entry.done->done(ok);
    entry.event = Event();
    lock.lock();
  }
}

}  // namespace pbrt::cl
