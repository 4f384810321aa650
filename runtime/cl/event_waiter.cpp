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
  without_event_.push_back(&done);
  close(std::move(event), true);
}

std::size_t EventWaiter::add(gpu::Completion& done) {
  const std::lock_guard lock(mutex_);
  without_event_.push_back(&done);
  return without_event_.size();
}

void EventWaiter::add(Event event) {
  const std::lock_guard lock(mutex_);
  close(std::move(event), true);
}

bool EventWaiter::has_operations_without_event() {
  const std::lock_guard lock(mutex_);
  return !without_event_.empty();
}

void EventWaiter::end_all(bool ok) {
  const std::lock_guard lock(mutex_);
  if (!without_event_.empty()) close(Event(), ok);
}

void EventWaiter::close(Event event, bool is_good) {
  entries_.push_back({std::move(event), std::exchange(without_event_, {}), is_good});
}

// The driver is called without the mutex, since it may let a thread wait that adds operations meanwhile. Nobody else
// reports until this one's ends are told, so that they are told in the order of the queue.
void EventWaiter::poll() {
  std::unique_lock lock(mutex_);
  if (is_polling_ || is_watching_) return;
  is_polling_ = true;
  while (!is_watching_ && !entries_.empty()) {
    const Entry& first = entries_.front();
    bool ok = first.is_good;
    if (const cl_event event = first.event.get(); event != nullptr) {
      lock.unlock();
      cl_int state = CL_COMPLETE;
      const cl_int code = api_.clGetEventInfo.status(event, cl_event_info{CL_EVENT_COMMAND_EXECUTION_STATUS},
                                                     sizeof state, static_cast<void*>(&state), nullptr);
      lock.lock();
      if (is_watching_ || (code == CL_SUCCESS && state > CL_COMPLETE)) break;  // the thread reports it, or it goes on
      ok = code == CL_SUCCESS && state == CL_COMPLETE;
    }
    Entry entry = take_first();
    lock.unlock();
    for (gpu::Completion* done : entry.operations) done->done(ok);
    entry.event = Event();
    lock.lock();
  }
  is_polling_ = false;
  if (is_watching_ || is_stopping_) wake_.notify_one();
  quiet_.notify_all();
}

void EventWaiter::wait_for_all() {
  std::unique_lock lock(mutex_);
  if (!entries_.empty()) is_watching_ = true;
  wake_.notify_one();
  quiet_.wait(lock, [&] { return entries_.empty() && !is_polling_ && !is_watching_; });
}

void EventWaiter::watch() {
  const std::lock_guard lock(mutex_);
  if (is_watching_ || entries_.empty()) return;
  is_watching_ = true;
  wake_.notify_one();
}

EventWaiter::Entry EventWaiter::take_first() {
  Entry entry = std::move(entries_.front());
  entries_.pop_front();
  return entry;
}

void EventWaiter::run_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while ((!is_watching_ && !is_stopping_) || is_polling_) wake_.wait(lock);
    if (entries_.empty()) {
      is_watching_ = false;
      quiet_.notify_all();
      if (is_stopping_) return;
      continue;
    }
    Entry entry = take_first();
    lock.unlock();
    const cl_event id = entry.event.get();
    const bool ok = id == nullptr ? entry.is_good : api_.clWaitForEvents.status(1U, &id) == CL_SUCCESS;
    for (gpu::Completion* done : entry.operations) done->done(ok);
    entry.event = Event();
    lock.lock();
  }
}

}  // namespace pbrt::cl
