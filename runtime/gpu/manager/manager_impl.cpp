// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/manager_impl.h"

#include <exception>
#include <mutex>
#include <utility>
#include <variant>

namespace pbrt::gpu {

ManagerImpl::ManagerImpl(std::unique_ptr<Device> managed, const ManagerOptions& options)
    : device(std::move(managed), options),
      check(options.verifies ? std::make_unique<DeviceCheck>(device, statistics) : nullptr),
      trace(options, statistics),
      queue(options.patience),
      operations(queue, trace.clock()),
      copies(device, queue, operations, statistics),
      memory(device, queue, operations, copies, statistics),
      launch_tasks_(parts()),
      host_tasks_(parts()),
      thread_([this] { run_thread(); }) {}

ManagerImpl::~ManagerImpl() {
  queue.stop();
  thread_.join();
  // The device goes before the operations, because a failed device may report their ends as long as it lives.
  device.close();
}

void ManagerImpl::run_thread() {
  while (take_turn()) continue;
  shut_down();
}

bool ManagerImpl::take_turn() {
  Turn turn = queue.next();
  if (auto* task = std::get_if<Task>(&turn)) {
    take(std::move(*task));
  } else if (auto* ended = std::get_if<std::vector<EndedOperation>>(&turn)) {
    take(*ended);
  } else if (std::get<NothingReady>(turn).is_over && operations.is_empty()) {
    return false;
  } else {
    idle();
  }
  return true;
}

void ManagerImpl::take(Task task) {
  const std::int64_t start = trace.clock().time_ns();
  if (attempt(task) == Progress::Done) {
    if (trace.is_on()) trace.record_task(task, start);
    queue.was_done();
  } else {
    statistics.count([](DeviceStatistics& s) { ++s.requeues; });
    queue.put_back(std::move(task));
  }
}

void ManagerImpl::take(const std::vector<EndedOperation>& ended) {
  for (const EndedOperation& each : ended) {
    if (each.operation->is_applied) continue;  // the device had failed before
    if (trace.is_on()) trace.record_end(*each.operation, each.time_ns);
    operations.end(*each.operation, each.ok);
    if (each.ok) continue;
    const std::string why = device->failure();
    fail_device(why.empty() ? "an operation did not succeed" : why);
  }
}

Progress ManagerImpl::attempt(Task& task) {
  const auto run_it = [this](auto& alternative) {
    if constexpr (requires { launch_tasks_.run(alternative); })
      return launch_tasks_.run(alternative);
    else
      return host_tasks_.run(alternative);
  };
  try {
    return std::visit(run_it, task);
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
  return std::visit(run_it, task);
}

void ManagerImpl::idle() {
  try {
    if (operations.flush(*device)) return;
  } catch (const std::exception& error) {
    return fail_device(error.what());
  }
  if (queue.is_patient() && queue.await_change(*device)) return;
  device->watch();
  statistics.count([](DeviceStatistics& s) { ++s.sleeps; });
  queue.sleep();
}

void ManagerImpl::fail_device(const std::string& why) {
  if (!device.fail(why)) return;
  device->finish();
  operations.abandon();
  memory.lose_all();
}

void ManagerImpl::shut_down() {
  try {
    if (device.is_alive()) bring_all_home();
  } catch (const std::exception& error) {
    fail_device(error.what());
  }
  launch_tasks_.forget_kernels();
  memory.close();
}

void ManagerImpl::bring_all_home() {
  // While other devices use the host's memory there, the copies wait, and a turn sleeps until something has happened.
  while (start_home() || !operations.is_empty())
    if (!take_turn() && start_home()) idle();
}

bool ManagerImpl::start_home() {
  bool is_left = false;
  for (const StorageRef& storage : memory.living_storages()) {
    StorageRecord& record = *StorageRecord::find(*storage.get());
    Residence* home = nullptr;
    {
      const std::lock_guard lock(record.mutex);
      home = record.at(*memory.registry());
    }
    static_cast<void>(copies.copy_out_all(*home, storage));  // the caller waits
    const std::lock_guard lock(record.mutex);
    is_left = is_left || !home->dirty.is_empty();
  }
  return is_left;
}

}  // namespace pbrt::gpu
