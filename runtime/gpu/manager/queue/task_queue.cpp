// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/task_queue.h"

#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/gpu/device.h"
#include "runtime/sched/cpu_relax.h"

namespace pbrt::gpu {
namespace {

constexpr int kLooksPerYield = 16;

}  // namespace

void TaskQueue::has_changed() {
  epoch_.fetch_add(1, std::memory_order_relaxed);
  wake_.notify_one();
}

void TaskQueue::push(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  has_changed();
}

void TaskQueue::push_launch(std::vector<Task> tasks) {
  num_launches_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  tasks_.insert(tasks_.end(), std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
  has_changed();
}

void TaskQueue::signal_end(const EndedOperation& ended) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(ended);
  has_changed();
}

void TaskQueue::poke() {
  const std::lock_guard lock(mutex_);
  has_changed();
}

void TaskQueue::stop() {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  has_changed();
}

Turn TaskQueue::next() {
  const std::lock_guard lock(mutex_);
  if (const std::uint64_t now = epoch_.load(std::memory_order_relaxed); now != seen_) {
    seen_ = now;
    num_not_ready_ = 0;
  }
  if (!ended_.empty()) return std::exchange(ended_, {});
  if (num_not_ready_ >= tasks_.size()) return NothingReady{is_stopping_ && tasks_.empty()};
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void TaskQueue::put_back(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  ++num_not_ready_;
}

std::vector<EndedOperation> TaskQueue::take_ended() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

std::vector<EndedOperation> TaskQueue::wait_for_ended() {
  std::unique_lock lock(mutex_);
  while (ended_.empty()) wake_.wait(lock);
  return std::exchange(ended_, {});
}

bool TaskQueue::await_change(Device& device) {
  const auto end = std::chrono::steady_clock::now() + patience_;
  // Relaxed: the mutex is taken before a change is acted on.
  while (epoch_.load(std::memory_order_relaxed) == seen_ && std::chrono::steady_clock::now() < end) {
    device.poll();
    for (int i = 0; i < kLooksPerYield && epoch_.load(std::memory_order_relaxed) == seen_; ++i) cpu_relax();
    std::this_thread::yield();
  }
  const std::lock_guard lock(mutex_);
  return epoch_.load(std::memory_order_relaxed) != seen_;
}

void TaskQueue::sleep() {
  std::unique_lock lock(mutex_);
  while (epoch_.load(std::memory_order_relaxed) == seen_) wake_.wait(lock);
}

void poke_all(const Registries& registries) {
  for (const std::shared_ptr<Registry>& each : registries) {
    const std::lock_guard lock(each->mutex);
    if (each->queue != nullptr) each->queue->poke();
  }
}

}  // namespace pbrt::gpu

// Note [Wake-ups]
//
// The thread sleeps only when every task in the queue was tried and not ready since `epoch_` last changed. What makes a
// task ready: an operation ended (signal_end), a task was pushed (push), or another task of the queue was done, which
// resets the count (was_done). The first two change `epoch_` under `mutex_` and notify; the thread compares `epoch_`
// with what it saw at its last turn under the same mutex before it waits, so no change is missed. A task that was tried
// while an operation ended is tried again, because the change is seen at the next turn, before sleeping. Before it
// sleeps the thread flushes what it enqueued, so that the device works on what it waits for, and has the device watch
// for ends (ManagerImpl). For at most the patience it stays awake instead, asks the device for ends and looks at
// `epoch_` without the mutex; what it sees there it acts on after it has taken the mutex. Otherwise nothing is polled.
