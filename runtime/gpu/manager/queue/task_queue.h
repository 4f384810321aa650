// SPDX-License-Identifier: MIT
// Brings messages of other threads to a management thread, and lets it sleep: tasks, ends of operations, and that
// something may have become ready. The queue does not know what the tasks do. Private to runtime/gpu.
//
// `mutex_` guards the queue, the reported ends, and each change of `epoch` and `num_launched_here_`; nothing is called
// while it is held, so it comes last in every lock order. See Note [Wake-ups] in task_queue.cpp. "Manager thread" means
// the thread whose turn it is (manager/manager_impl.h), but for idling, which only the management thread does.
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

/// Counts launches. Relaxed: the queue's mutex orders them.
class LaunchCount {
 public:
  void begin() { number_.fetch_add(1, std::memory_order_relaxed); }
  void end() { number_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t number() const { return number_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> number_{0};
};

class TaskQueue {
 public:
  /// patience: how long await_change stays awake at least (ManagerOptions).
  explicit TaskQueue(std::chrono::nanoseconds patience) : patience_(patience) {}

  // Any thread.

  void push(Task task);
  /// Pushes tasks, with no others between them; none changes nothing.
  void push(std::vector<Task> tasks);
  /// Launches that have begun and not ended. Workers begin them, the manager thread ends them.
  [[nodiscard]] LaunchCount& launches() { return launches_; }
  [[nodiscard]] const LaunchCount& launches() const { return launches_; }
  /// Threads: any, also the manager's own from within an enqueuing call
  /// Post:    the operation may be gone
  void signal_end(const EndedOperation& ended);
  /// Lets tasks that are not ready be tried again.
  void poke();
  /// Notes that a worker has launched by itself: the thread stays awake, or wakes, to ask the device for ends.
  void note_launch_here();
  /// Asks the thread to end once it has done all tasks.
  void stop();
  /// Whether the thread looks at the queue all the time, on a processor that no other thread wants. May be over at
  /// once.
  [[nodiscard]] bool is_watched() const { return is_watched_.load(std::memory_order_relaxed); }
  /// Whether the thread stays awake for a while before it sleeps.
  [[nodiscard]] bool is_patient() const { return patience_.count() != 0; }

  // Manager thread only.

  /// Returns what to do next. Ends of operations come before tasks, because they may make tasks ready.
  [[nodiscard]] Turn next();
  /// Notes that the task of the last turn is done, so that others may be ready now.
  void was_done() { num_not_ready_ = 0; }
  /// Puts the task of the last turn, which was not ready, to the end of the queue.
  void put_back(Task task);
  /// Whether no end was reported and no task is left to be tried since something happened.
  [[nodiscard]] bool is_quiet();
  /// The task of the next turn, if it is one; null if there is none to try, or an end was reported.
  [[nodiscard]] const Task* first();
  /// Takes the task of first(), also if an end was reported since. Pre: it was not null
  [[nodiscard]] Task take_first();
  /// Takes the ends up to the first one without success.
  [[nodiscard]] std::vector<EndedOperation> take_good_ends();
  /// Takes the ends that were reported since the last turn; none if there were none.
  [[nodiscard]] std::vector<EndedOperation> take_ended();
  /// Sleeps until an end was reported.
  [[nodiscard]] std::vector<EndedOperation> wait_for_ended();
  /// Called before await_change() and sleep(), which then may run in another thread's turn. `is_end_awaited`: somebody
  /// waits for ends, also if no task does.
  void begin_idle(bool is_end_awaited);

  // Management thread only, in anybody's turn.

  /// Stays awake until something has happened since the last turn before begin_idle(), or for the patience after that,
  /// ten times as long while no other thread wants the processor, and after the last launch of a worker; asks the
  /// device for ends meanwhile. While workers launch and nobody waits for ends, these are the workers' business.
  ///
  /// Post: true if something has happened
  [[nodiscard]] bool await_change(Device& device);
  /// Sleeps until something has happened since then, or a worker has launched since await_change() or begin_idle().
  void sleep();

 private:
  /// Pre: `mutex_` is held
  void has_changed();
  /// Notes at which change the turn begins.
  void look();

  const std::chrono::nanoseconds patience_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  std::vector<EndedOperation> ended_;
  bool is_stopping_ = false;
  LaunchCount launches_;
  /// Counts note_launch_here(). Written and read as `epoch`.
  std::atomic<std::uint64_t> num_launched_here_{0};
  std::atomic<bool> is_watched_{false};
  /// Written under `mutex_`; read without it by await_change only. In lines of its own, since the thread looks at it
  /// all the time and launches of workers seldom change it.
  struct alignas(64) Changes {
    std::atomic<std::uint64_t> epoch{0};      ///< counts pushes, ended operations and pokes
    std::atomic<std::uint64_t> num_ended{0};  ///< how many of them are ended operations
  };
  Changes changes_;

  // Manager thread only.
  std::uint64_t seen_ = 0;         ///< `epoch` at the last turn
  std::uint64_t seen_ended_ = 0;   ///< `num_ended` then
  std::size_t num_not_ready_ = 0;  ///< tasks at the queue's end that were tried since something happened

  // Management thread only, as begin_idle() found them.
  std::uint64_t idle_epoch_ = 0;
  std::uint64_t idle_ended_ = 0;
  std::uint64_t idle_launched_ = 0;
  bool is_end_awaited_ = false;
};

/// Lets tasks of the managers of these devices that are not ready be tried again. Those that have ended need nothing.
/// Pre: no mutex of a registry or a record is held
void poke_all(const Registries& registries);

}  // namespace pbrt::gpu
