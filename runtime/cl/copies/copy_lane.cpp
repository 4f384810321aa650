// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/copy_lane.h"

#include <exception>
#include <utility>

namespace pbrt::cl {

CopyLane::CopyLane(const Api& api, Queue queue)
    : api_(api), queue_(std::move(queue)), thread_([this] { run_thread(); }) {}

CopyLane::~CopyLane() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void CopyLane::add(Copy copy, gpu::Completion& done) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(copy), &done});
  changed_.notify_all();
}

void CopyLane::finish() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return entries_.empty() && !is_busy_; });
}

void CopyLane::run_thread() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_stopping_ || !entries_.empty(); });
    if (entries_.empty()) return;
    const Entry entry = std::move(entries_.front());
    entries_.pop_front();
    is_busy_ = true;
    lock.unlock();
    entry.done->done(run(entry.copy));
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

bool CopyLane::run(const Copy& copy) noexcept {
  try {
    const Event last = copy(queue_.get());
    const cl_event id = last.get();
    return api_.clWaitForEvents.status(1U, &id) == CL_SUCCESS;
  } catch (const std::exception&) {
    static_cast<void>(api_.clFinish.status(queue_.get()));  // what was enqueued before still uses the memory
    return false;                                           // the manager reports the failure of the device
  }
}

}  // namespace pbrt::cl
