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

DevicesEnd::~DevicesEnd() {
  if (of != nullptr) of->note_devices_ended();
}

void SharedDevices::settle(const DeviceSettings& wanted) {
  if (wanted != settings_ && is_settled_) {
    if (wanted == DeviceSettings{}) return;
    throw DeviceError(
        "the devices of this process are in use with another memory, limit or verification; contexts that use devices "
        "at the same time name the same ones, or none");
  }
  if (wanted != settings_) {
    // What a device that shares the host's memory uses of it has no limit, since it allocates nothing.
    devices = Devices(make_opencl_provider({wanted.memory_bytes == 0, false, wanted.limit}),
                      {false, nullptr, wanted.memory_bytes, wanted.verifies});
    settings_ = wanted;
  }
  is_settled_ = true;
}

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

std::shared_ptr<SharedDevices> SharedRuntime::find_devices(std::unique_lock<std::mutex>& guard) {
  std::shared_ptr<SharedDevices> found;
  devices_ended_.wait(guard, [&] {
    found = devices_.lock();
    return found != nullptr || !has_devices_;
  });
  return found;
}

void SharedRuntime::note_devices_ended() noexcept {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    has_devices_ = false;
  }
  devices_ended_.notify_all();
}

std::shared_ptr<SharedDevices> SharedRuntime::devices() {
  std::unique_lock<std::mutex> guard(lock_);
  std::shared_ptr<SharedDevices> found = find_devices(guard);
  if (found != nullptr) return found;
  found = std::make_shared<SharedDevices>();
  found->at_end.of = this;
  devices_ = found;
  has_devices_ = true;
  return found;
}

std::shared_ptr<SharedDevices> SharedRuntime::known_devices() {
  std::unique_lock<std::mutex> guard(lock_);
  return find_devices(guard);
}

void watch_forks() {
  static const int failed = pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });
  if (failed != 0) throw RuntimeError("the system cannot tell a child process that it was forked");
}

bool is_forked() noexcept { return is_child.load(std::memory_order_relaxed); }

}  // namespace pbrt
