// SPDX-License-Identifier: MIT
// Brings messages of other threads to a management thread, and lets it sleep: tasks, ends of operations, and that
// something may have become ready. The queue does not know what the tasks do. Private to runtime/gpu.
//
// `mutex_` guards the queue, the reported ends, and each change of `epoch_`; nothing is called while it is held, so it
// comes last in every lock order. See Note [Wake-ups] in task_queue.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <variant>
#include <vector>

#include "runtime/gpu/manager/queue/device_task.h"
#include "runtime/gpu/residency/residence.h"

namespace pbrt::gpu {

/// An operation whose end the device has reported.
struct EndedOperation {
  Operation* operation = nullptr;
  bool ok = false;
  std::int64_t time_ns = 0;  ///< if the manager is traced
};

/// A turn in which every task was tried and none was ready since something happened last.
struct NothingReady {
  bool is_over = false;  ///< there is no task, and stop() was called
};

/// What the management thread does next.
using Turn = std::variant<std::vector<EndedOperation>, Task, NothingReady>;

class TaskQueue {
 public:
  /// patience: how long await_change stays awake.
  explicit TaskQueue(std::chrono::nanoseconds patience) : patience_(patience) {}

  // Any thread.

  void push(Task task);
  /// Pushes the tasks of one launch, which counts as active until launch_ended().
  void push_launch(std::vector<Task> tasks);
  /// Threads: any, also the manager's own from within an enqueuing call
  /// Post:    the operation may be gone
  void signal_end(const EndedOperation& ended);
  /// Lets tasks that are not ready be tried again.
  void poke();
  /// Asks the thread to end once it has done all tasks.
  void stop();
  /// Whether the thread stays awake for a while before it sleeps.
  [[nodiscard]] bool is_patient() const { return patience_.count() != 0; }

  // Manager thread only.

  /// Returns what to do next. Ends of operations come before tasks, because they may make tasks ready.
  [[nodiscard]] Turn next();
  /// Notes that the task of the last turn is done, so that others may be ready now.
  void was_done() { num_not_ready_ = 0; }
  /// Puts the task of the last turn, which was not ready, to the end of the queue.
  void put_back(Task task);
  /// Takes the ends that were reported since the last turn; none if there were none.
  [[nodiscard]] std::vector<EndedOperation> take_ended();
  /// Sleeps until an end was reported.
  [[nodiscard]] std::vector<EndedOperation> wait_for_ended();
  /// Stays awake until something has happened since next(), or for the patience; asks the device for ends meanwhile.
  ///
  /// Post: true if something has
  [[nodiscard]] bool await_change(Device& device);
  /// Sleeps until something has happened since next().
  void sleep();
  void launch_ended() { num_launches_.fetch_sub(1, std::memory_order_relaxed); }
  /// Launches that were pushed and have not ended.
  [[nodiscard]] std::int64_t num_launches() const { return num_launches_.load(std::memory_order_relaxed); }

 private:
  /// Pre: `mutex_` is held
  void has_changed();

  const std::chrono::nanoseconds patience_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  std::vector<EndedOperation> ended_;
  bool is_stopping_ = false;
  /// Counts pushes, ended operations and pokes. Written under `mutex_`; read without it by await_change only.
  std::atomic<std::uint64_t> epoch_{0};
  /// Relaxed: the queue's mutex orders it.
  std::atomic<std::int64_t> num_launches_{0};

  // Manager thread only.
  std::uint64_t seen_ = 0;         ///< `epoch_` at the last turn
  std::size_t num_not_ready_ = 0;  ///< tasks at the queue's end that were tried since something happened
};

/// Lets tasks of the managers of these devices that are not ready be tried again. Those that have ended need nothing.
/// Pre: no mutex of a registry or a record is held
void poke_all(const Registries& registries);

}  // namespace pbrt::gpu
