// SPDX-License-Identifier: MIT
// Mailbox of one worker: the bottom end of its deque for threads that do not own it. The GPU
// manager's wakers push here (docs/architecture.md 8.2), other workers what this one is to run (Helpers::spawn_on),
// and the owner when its ring is full. It is taken from by the owner when its deque is empty, and by
// thieves: at once where the owner sleeps, else after some rounds of their search, so a task in it starts
// soon after any worker is out of work. Used by task_queues.h.
//
// Protocol: a FIFO under a lock. num_tasks_ is written under the lock and read without it,
// as a hint that saves the lock: reading too small a number is repaired by parking.h's
// re-check (push's store is seq_cst and precedes the pusher's look at the parking state).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "runtime/sched/frame.h"

namespace pbrt {

class Mailbox {
 public:
  /// Threads: any
  void push(detail::Task& task) {
    const std::lock_guard<std::mutex> guard(lock_);
    task.next = nullptr;
    (newest_ != nullptr ? newest_->next : oldest_) = &task;
    newest_ = &task;
    // Pairs with is_empty in the re-check of a parking worker.
    num_tasks_.store(num_tasks_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  }

  /// Takes the oldest task; null if there is none.
  ///
  /// Threads: any
  [[nodiscard]] detail::Task* take() {
    if (is_empty()) return nullptr;
    const std::lock_guard<std::mutex> guard(lock_);
    detail::Task* task = oldest_;
    if (task == nullptr) return nullptr;
    oldest_ = task->next;
    if (oldest_ == nullptr) newest_ = nullptr;
    num_tasks_.store(num_tasks_.load(std::memory_order_relaxed) - 1, std::memory_order_seq_cst);
    return task;
  }

  [[nodiscard]] bool is_empty() const { return num_tasks_.load(std::memory_order_seq_cst) == 0; }

 private:
  alignas(64) std::atomic<std::int64_t> num_tasks_{0};
  std::mutex lock_;
  detail::Task* oldest_ = nullptr;
  detail::Task* newest_ = nullptr;
};

}  // namespace pbrt
