// SPDX-License-Identifier: MIT
#include "runtime/embed/shared_runtime.h"

#include <pthread.h>

#include <atomic>

#include "runtime/config/errors.h"

namespace pbrt {

namespace {
// Written by a child before any other code of it runs, so that relaxed reads see it.
std::atomic<bool> is_child{false};
}  // namespace

SharedRuntime& SharedRuntime::get() {
  static SharedRuntime& the_runtime =
      *std::make_unique<SharedRuntime>().release();  // contexts may outlive static objects
  return the_runtime;
}

std::shared_ptr<SharedWorkers> SharedRuntime::workers(int num_workers) {
  const std::lock_guard<std::mutex> guard(lock_);
  std::weak_ptr<SharedWorkers>& known = workers_[num_workers];
  std::shared_ptr<SharedWorkers> found = known.lock();
  if (found == nullptr) known = found = std::make_shared<SharedWorkers>(num_workers);
  return found;
}

std::shared_ptr<SharedDevices> SharedRuntime::devices() {
  const std::lock_guard<std::mutex> guard(lock_);
  std::shared_ptr<SharedDevices> found = devices_.lock();
  if (found == nullptr) devices_ = found = std::make_shared<SharedDevices>();
  return found;
}

void watch_forks() {
  static const int failed = pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
  if (failed != 0) throw RuntimeError("the system cannot tell a child process that it was forked");
}

bool is_forked() noexcept { return is_child.load(std::memory_order_relaxed); }

}  // namespace pbrt
