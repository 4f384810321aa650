// SPDX-License-Identifier: MIT
// The inside of Manager: its thread, and the parts that the thread's tasks work on. Private to runtime/gpu.
//
// One thread at a time works on the parts: the one whose turn it is, which holds `turn_`. That is the management
// thread, or a worker that launches by itself while the management thread has nothing to do. What the headers of the
// parts say of the manager thread means the thread whose turn it is. See Note [Launches of workers] in
// manager_impl.cpp.
//
//   TaskQueue           what other threads tell this one, and how it sleeps
//   OperationsInFlight  what the device was given and has not ended
//   DeviceCopies        copies between storages and their buffers
//   DeviceMemory        buffers, their pool and eviction
//   LaunchTasks         the tasks of kernel executions
//   LaunchesUnderWay    kernel executions that have not ended
//   HostTasks           the tasks that fibers wait for
//   ManagedDevice       the device and whether it works
//   ManagerStatistics, ManagerTrace
//
// The header of each says which mutex guards it; manager_parts.h has their order.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gpu/check/device_check.h"
#include "runtime/gpu/manager/host_tasks.h"
#include "runtime/gpu/manager/launch_tasks.h"
#include "runtime/gpu/manager/manager_parts.h"
#include "runtime/gpu/manager/manager_trace.h"
#include "runtime/gpu/manager/queue/launches_under_way.h"
#include "runtime/gpu/manager_options.h"

namespace pbrt::gpu {

struct ManagerImpl {
  ManagerImpl(std::unique_ptr<Device> managed, const ManagerOptions& options);
  ~ManagerImpl();
  ManagerImpl(const ManagerImpl&) = delete;
  ManagerImpl& operator=(const ManagerImpl&) = delete;

  // Used by any thread as their headers allow; the device outlives what reports to the parts above it.
  ManagedDevice device;
  ManagerStatistics statistics;
  const std::unique_ptr<DeviceCheck> check;  ///< null: results are not compared
  ManagerTrace trace;
  TaskQueue queue;
  OperationsInFlight operations;
  DeviceCopies copies;
  DeviceMemory memory;
  /// Launches that were chosen for this device and are not in the queue yet (several/manager_set.h).
  std::atomic<std::int64_t> num_chosen{0};

  /// Hands the tasks of a launch to the manager: does them here as far as that takes no time, and leaves the others to
  /// the management thread. `begin` counts the launch as one of the queue's.
  ///
  /// Pre:     no mutex is held; PrepareTask comes first
  /// Threads: workers
  void submit(std::vector<Task> tasks, const std::function<void()>& begin);

 private:
  using Turns = std::unique_lock<std::mutex>;

  /// A worker's turn, if it can be had soon.
  class WorkerTurn {
   public:
    explicit WorkerTurn(ManagerImpl& manager);
    ~WorkerTurn();
    WorkerTurn(const WorkerTurn&) = delete;
    WorkerTurn& operator=(const WorkerTurn&) = delete;
    [[nodiscard]] bool is_had() const { return turn_.owns_lock(); }

   private:
    void set_worker(bool is_worker);

    ManagerImpl& manager_;
    Turns turn_;
  };

  /// Whether the management thread should make a launch whose first task this is: it is awake, and workers have made
  /// none for a while. Its processor's caches have what a driver needs, those of a worker that computed meanwhile do
  /// not.
  ///
  /// Pre: the task is a PrepareTask
  [[nodiscard]] bool is_thread_quicker(const Task& first);

  // In a worker's turn.

  /// Does the tasks of a launch, and pushes those that cannot be done here.
  void launch_here(std::vector<Task> tasks);
  /// Whether a task of a launch takes no time, if those before it were done in this turn.
  [[nodiscard]] bool is_brief_here(const Task& task) const;
  /// Asks the device for ends in place of the management thread.
  void ask_for_ends();
  /// Sends what was enqueued to the device, if that has ended what it was sent before.
  void send();
  /// Does what others left in the queue, as long as it takes no time. Returns whether nothing is left.
  [[nodiscard]] bool do_brief_work();

  // In anybody's turn.

  /// Tries a task; false if it is not ready. A completion that is not ready is kept until it is, and true.
  [[nodiscard]] bool do_here(Task& task);
  void take(const std::vector<EndedOperation>& ended);
  /// Runs a task. If the device fails in a worker's turn, it is not ready, and `failure_` says why.
  [[nodiscard]] Progress attempt(Task& task);

  // Management thread only.

  void run_thread();
  /// What the management thread does next.
  enum class Next : std::uint8_t { More, Idle, End };
  /// Does what is next. Idle: there is nothing. End: nor will there be, because stop() was called.
  [[nodiscard]] Next take_turn();
  /// Does a task, or puts it back into the queue.
  void take(Task task);
  /// Flushes, stays awake for a while, or sleeps, until something may have happened; others have turns meanwhile.
  void idle(Turns& turn);
  void fail_device(const std::string& why);
  void shut_down(Turns& turn);
  /// Copies to the host what is newer on the device, for storages that outlive the manager.
  void bring_all_home(Turns& turn);
  /// Starts the copies that can begin. Returns whether something still is newer on the device.
  [[nodiscard]] bool start_home();

  [[nodiscard]] ManagerParts parts() { return {device, queue, operations, statistics, copies, memory}; }

  /// The first of all locks: whoever has a turn locks records and queues in it, and no other manager's.
  std::mutex turn_;
  // Of the thread whose turn it is.
  LaunchTasks launch_tasks_;
  HostTasks host_tasks_;
  LaunchesUnderWay launches_;
  bool is_worker_ = false;                       ///< whether it is a worker's turn
  int num_launched_here_ = 0;                    ///< launches of workers since ask_for_ends()
  std::optional<std::string> failure_;           ///< of the device, noticed in a worker's turn and not acted on yet
  std::atomic<std::int64_t> last_submit_ns_{0};  ///< when workers came with the last launch
  std::thread thread_;
};

}  // namespace pbrt::gpu
