// SPDX-License-Identifier: MIT
// The tasks that lie at one worker: its deque, and its mailbox for what comes from elsewhere. Each task that is put
// there wakes a worker where one is needed. Which worker takes a task, and when, is decided in worker.cpp and
// task_search.cpp.
#pragma once

#include "runtime/sched/queues/deque.h"
#include "runtime/sched/queues/mailbox.h"
#include "runtime/sched/queues/parking.h"

namespace pbrt {

class TaskQueues {
 public:
  /// `parking` is that of all workers.
  explicit TaskQueues(Parking& parking) : parking_(parking) {}

  /// Puts a task at the top, or into the mailbox where the deque is full. Threads: the worker's own.
  void push(detail::Task& task) {
    if (!deque_.push(task)) mailbox_.push(task);
    parking_.notify();
  }
  /// Puts a task at the top; false where the deque is full. Threads: the worker's own.
  [[nodiscard]] bool push_child(detail::Task& task) {
    if (!deque_.push(task)) [[unlikely]]
      return false;
    parking_.notify();
    return true;
  }
  /// Takes the newest task of the deque; null if there is none. Threads: the worker's own.
  [[nodiscard]] detail::Task* pop() { return deque_.pop(); }

  /// Puts a task into the mailbox. Threads: any.
  void push_mail(detail::Task& task) {
    mailbox_.push(task);
    parking_.notify();
  }
  /// Takes the oldest task of the mailbox; null if there is none. Threads: any.
  [[nodiscard]] detail::Task* take_mail() { return mailbox_.take(); }
  /// Takes the oldest task of the deque; null if there is none. Threads: any but the worker's own.
  [[nodiscard]] detail::Task* steal() { return deque_.steal(); }

  // Looks from outside: hints, but for a worker that parks (parking.h).
  [[nodiscard]] bool has_one_to_steal() const { return !deque_.is_empty(); }
  [[nodiscard]] bool has_mail() const { return !mailbox_.is_empty(); }
  [[nodiscard]] bool is_empty() const { return deque_.is_empty() && mailbox_.is_empty(); }

 private:
  Deque deque_;
  Mailbox mailbox_;
  // On a line of its own: the owner reads it at each push, while others write to the mailbox.
  alignas(64) Parking& parking_;
};

}  // namespace pbrt
