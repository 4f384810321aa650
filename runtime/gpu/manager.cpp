// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

#include "runtime/config/check.h"
#include "runtime/gpu/manager_impl.h"
#include "runtime/sched/cpu_relax.h"

namespace pbrt::gpu {
namespace {

constexpr int kLooksPerYield = 16;

}  // namespace

const char* to_string(DeviceType type) {
  switch (type) {
    case DeviceType::Cpu:
      return "CPU";
    case DeviceType::Gpu:
      return "GPU";
    case DeviceType::Accelerator:
      return "accelerator";
    case DeviceType::Other:
      return "other";
  }
  return "";
}

void Operation::done(bool ok) noexcept { manager_->signal_end(*this, ok); }

Manager::Impl::Impl(std::unique_ptr<Device> managed, ManagerOptions manager_options)
    : device(std::move(managed)),
      info(device->info()),
      options(manager_options),
      registry(std::make_shared<Registry>()) {
  memory_limit = options.memory_limit_bytes;
  if (memory_limit == 0) memory_limit = info.shares_host_memory ? UINT64_MAX : info.memory_bytes / 4 * 3;
  if (options.trace != nullptr) {
    on_device.lane = &options.trace->lane(options.trace_name);
    managing = &options.trace->lane(options.trace_name + ", management");
  }
  registry->manager = this;
  registry->shares_host_memory = info.shares_host_memory;
  thread = std::thread([this] { run_thread(); });
}

Manager::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex);
    is_stopping = true;
    epoch.fetch_add(1, std::memory_order_relaxed);
    wake.notify_one();
  }
  thread.join();
  // Before the operations: a failed device may report their ends until it is gone.
  device.reset();
}

void Manager::Impl::push(Task task) {
  const std::lock_guard lock(mutex);
  queue.push_back(std::move(task));
  epoch.fetch_add(1, std::memory_order_relaxed);
  wake.notify_one();
}

void Manager::Impl::push_all(std::vector<Task> tasks) {
  const std::lock_guard lock(mutex);
  for (Task& task : tasks) queue.push_back(std::move(task));
  epoch.fetch_add(1, std::memory_order_relaxed);
  wake.notify_one();
}

/// Any thread, also the manager's own from within an enqueuing call. The operation may be gone once the lock is
/// released.
void Manager::Impl::signal_end(Operation& operation, bool ok) {
  const std::int64_t time = traced_time();
  const std::lock_guard lock(mutex);
  ended.push_back({&operation, ok, time});
  epoch.fetch_add(1, std::memory_order_relaxed);
  wake.notify_one();
}

void Manager::Impl::poke() {
  const std::lock_guard lock(mutex);
  epoch.fetch_add(1, std::memory_order_relaxed);
  wake.notify_one();
}

std::string Manager::Impl::failure_message() {
  const std::lock_guard lock(mutex);
  return "the device failed: " + failure;
}

// See Note [Wake-ups].
void Manager::Impl::run_thread() {
  std::unique_lock lock(mutex);
  std::uint64_t seen = 0;
  std::size_t num_not_ready = 0;  // tasks that were tried since something happened
  for (;;) {
    if (epoch.load(std::memory_order_relaxed) != seen) {
      seen = epoch.load(std::memory_order_relaxed);
      num_not_ready = 0;
      apply_ended(lock);
      continue;
    }
    if (num_not_ready >= queue.size()) {
      if (is_finished()) break;
      if (needs_flush) {
        lock.unlock();
        flush_if_needed();
        lock.lock();
        continue;
      }
      if (is_patient()) {
        lock.unlock();
        await_change(seen);
        lock.lock();
        if (epoch.load(std::memory_order_relaxed) != seen) continue;
      }
      lock.unlock();
      device->watch();
      lock.lock();
      count([](DeviceStatistics& s) { ++s.sleeps; });
      while (epoch.load(std::memory_order_relaxed) == seen) wake.wait(lock);
      continue;
    }
    Task task = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    const std::int64_t start = traced_time();
    const Progress progress = attempt(task);
    if (progress == Progress::Done) {
      if (managing != nullptr) record_task(task, start);
      task = EvictionTask{};  // what it held is released without the lock
      lock.lock();
      num_not_ready = 0;
    } else {
      count([](DeviceStatistics& s) { ++s.requeues; });
      lock.lock();
      queue.push_back(std::move(task));
      ++num_not_ready;
    }
  }
  lock.unlock();
  shut_down();
}

void Manager::Impl::await_change(std::uint64_t seen) {
  const auto end = std::chrono::steady_clock::now() + options.patience;
  // Relaxed: whoever sees a change takes the mutex before acting on it.
  while (epoch.load(std::memory_order_relaxed) == seen && std::chrono::steady_clock::now() < end) {
    device->poll();
    for (int i = 0; i < kLooksPerYield && epoch.load(std::memory_order_relaxed) == seen; ++i) cpu_relax();
    std::this_thread::yield();
  }
}

bool Manager::Impl::is_finished() const { return is_stopping && queue.empty() && operations.empty(); }

void Manager::Impl::flush_if_needed() {
  needs_flush = false;
  try {
    device->flush();
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
}

Progress Manager::Impl::attempt(Task& task) {
  const auto run_it = [this](auto& alternative) { return run(alternative); };
  try {
    return std::visit(run_it, task);
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
  return std::visit(run_it, task);
}

void Manager::Impl::apply_ended(std::unique_lock<std::mutex>& lock) {
  while (!ended.empty()) {
    std::vector<Ended> batch;
    batch.swap(ended);
    lock.unlock();
    for (const Ended& each : batch) {
      if (each.operation->is_applied) continue;  // the device had failed before
      if (managing != nullptr) record_end(*each.operation, each.time_ns);
      apply(*each.operation, each.ok);
      if (!each.ok) fail_device("an operation did not succeed");
    }
    lock.lock();
  }
}

void Manager::Impl::apply(Operation& operation, bool ok) {
  operation.is_applied = true;
  operation.is_ok = ok;
  if (operation.label.kind == TraceKind::Kernel) --num_kernels;
  if (operation.order == CopyOrder::Beside) --num_beside;
  const auto place = std::find_if(operations.begin(), operations.end(),
                                  [&](const std::shared_ptr<Operation>& each) { return each.get() == &operation; });
  PBRT_CHECK(place != operations.end(), "an operation ends once");
  const std::shared_ptr<Operation> kept = std::move(*place);
  operations.erase(place);
  for (const auto& part : kept->parts) {
    const std::lock_guard lock(part->record->mutex);
    part->record->end(*part, ok);
  }
  // Release the storages here, without a lock.
  kept->parts.clear();
}

std::shared_ptr<Operation> Manager::Impl::new_operation(const Operation::Label& label, CopyOrder order) {
  operations.push_back(std::make_shared<Operation>(*this, label, order));
  operations.back()->enqueued_ns = traced_time();
  if (label.kind == TraceKind::Kernel) ++num_kernels;
  if (order == CopyOrder::Beside) ++num_beside;
  needs_flush = true;
  return operations.back();
}

void Manager::Impl::discard(Operation& operation) { apply(operation, false); }

void Manager::Impl::warn(const std::string& line) {
  if (options.warn != nullptr) {
    options.warn(options.warn_context, line.c_str());
  } else {
    std::fprintf(stderr, "warning: %s\n", line.c_str());
  }
}

void Manager::Impl::fail_device(const std::string& why) {
  // Relaxed: written by this thread only; who acts on it goes through the queue.
  if (!is_alive.exchange(false, std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(mutex);
    failure = why;
  }
  warn("device `" + info.name + "` failed and is not used any more, the CPU does its work: " + why);
  device->finish();
  abandon_operations();
  const std::lock_guard registry_lock(registry->mutex);
  for (StorageRecord* record : registry->records) {
    const std::lock_guard lock(record->mutex);
    record->lose_device();
  }
}

/// After Device::finish: what was still under way has failed, whatever the device reported since. An operation behind
/// the failed one in the queue may end well and yet have copied what the failed one never wrote.
void Manager::Impl::abandon_operations() {
  std::vector<Ended> reported;
  {
    const std::lock_guard lock(mutex);
    reported.swap(ended);
  }
  for (const Ended& each : reported)
    if (!each.operation->is_applied) apply(*each.operation, false);
  while (!operations.empty()) {
    abandoned.push_back(operations.back());
    apply(*abandoned.back(), false);
  }
}

void Manager::Impl::shut_down() {
  try {
    if (is_alive.load(std::memory_order_relaxed)) bring_all_home();
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
  kernels.clear();
  const std::lock_guard registry_lock(registry->mutex);
  for (StorageRecord* record : registry->records) {
    const std::lock_guard lock(record->mutex);
    record->lose_device();
    release_buffer(*record);
  }
  registry->pool.clear();
  registry->manager = nullptr;
}

/// Copies out what is newer on the device, for storages that outlive the manager.
void Manager::Impl::bring_all_home() {
  std::vector<StorageRef> living;
  {
    const std::lock_guard registry_lock(registry->mutex);
    for (StorageRecord* record : registry->records)
      if (record->storage().try_retain()) living.push_back(StorageRef::adopt(&record->storage()));
  }
  for (const StorageRef& storage : living) {
    StorageRecord& record = *StorageRecord::find(*storage.get());
    static_cast<void>(copy_out_all(record, storage));  // waited for below
  }
  device->flush();
  device->watch();
  std::unique_lock lock(mutex);
  while (!operations.empty()) {
    while (ended.empty() && is_alive.load(std::memory_order_relaxed)) wake.wait(lock);
    apply_ended(lock);
  }
}

Manager::Manager(std::unique_ptr<Device> device, ManagerOptions options)
    : impl_(std::make_unique<Impl>(std::move(device), options)) {}

Manager::~Manager() = default;

const DeviceInfo& Manager::info() const { return impl_->info; }

bool Manager::is_alive() const { return impl_->is_alive.load(std::memory_order_relaxed); }

DeviceStatistics Manager::statistics() const {
  const std::lock_guard lock(impl_->statistics_mutex);
  DeviceStatistics result = impl_->statistics;
  const Device::Counters now = impl_->device->counters();
  result.kernels_built = now.kernels_built - impl_->counters_at_reset.kernels_built;
  result.kernels_from_disk = now.kernels_from_disk - impl_->counters_at_reset.kernels_from_disk;
  result.build_ms = now.build_ms - impl_->counters_at_reset.build_ms;
  result.kernel_ns = now.kernel_ns - impl_->counters_at_reset.kernel_ns;
  return result;
}

void Manager::reset_statistics() {
  const std::lock_guard lock(impl_->statistics_mutex);
  impl_->statistics = {};
  impl_->counters_at_reset = impl_->device->counters();
}

std::vector<RejectedKernel> Manager::rejected_kernels() const {
  const std::lock_guard lock(impl_->statistics_mutex);
  return impl_->rejected;
}

}  // namespace pbrt::gpu

// Note [Wake-ups]
//
// The thread sleeps only when every task in the queue was tried and not ready since `epoch` last changed. What makes a
// task ready: an operation ended (signal_end), a task was pushed (push), or another task of the queue was done, which
// resets the count. The first two change `epoch` under `mutex` and notify; the thread compares `epoch` with what it saw
// under the same mutex before it waits, so no change is missed. A task that was tried while an operation ended is tried
// again, because the change is seen before sleeping. Before it sleeps the thread flushes what it enqueued, so that the
// device works on what it waits for, and has the device watch for ends. For at most options.patience it stays awake
// instead, asks the device for ends and looks at `epoch` without the mutex; what it sees there it acts on after it has
// taken the mutex. Otherwise nothing is polled.
