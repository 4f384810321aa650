// SPDX-License-Identifier: MIT
#include "runtime/gpu/manager/queue/task_queue.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "runtime/gpu/device.h"
#include "runtime/sched/cpu_relax.h"

namespace pbrt::gpu {
namespace {

constexpr int kLooksPerYield = 16;
// The thread stays awake so many times as long while nobody else wants its processor.
constexpr int kPatienceOfIdleProcessor = 10;

// So long after a launch of a worker the thread leaves ends to workers. They ask for them while they launch, and a
// driver and a manager let one thread in at a time.
constexpr std::chrono::microseconds kQuiet{50};
// How often the thread looks whether a worker has launched, which takes a line of memory from it.
constexpr std::chrono::microseconds kLooksForLaunches{10};

Task pop(std::deque<Task>& tasks) {
  Task task = std::move(tasks.front());
  tasks.pop_front();
  return task;
}

}  // namespace

void TaskQueue::has_changed() {
  changes_.epoch.fetch_add(1, std::memory_order_release);
  wake_.notify_one();
}

void TaskQueue::push(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  has_changed();
}

void TaskQueue::push(std::vector<Task> tasks) {
  if (tasks.empty()) return;
  const std::lock_guard lock(mutex_);
  tasks_.insert(tasks_.end(), std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
  has_changed();
}

void TaskQueue::signal_end(const EndedOperation& ended) {
  const std::lock_guard lock(mutex_);
  ended_.push_back(ended);
  changes_.num_ended.fetch_add(1, std::memory_order_relaxed);
  has_changed();
}

void TaskQueue::poke() {
  const std::lock_guard lock(mutex_);
  has_changed();
}

void TaskQueue::note_launch_here() {
  const std::lock_guard lock(mutex_);
  num_launched_here_.fetch_add(1, std::memory_order_relaxed);
  wake_.notify_one();
}

void TaskQueue::stop() {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
  has_changed();
}

void TaskQueue::look() {
  const std::uint64_t now = changes_.epoch.load(std::memory_order_relaxed);
  if (now == seen_) return;
  seen_ = now;
  seen_ended_ = changes_.num_ended.load(std::memory_order_relaxed);
  num_not_ready_ = 0;
}

bool TaskQueue::is_quiet() {
  const std::lock_guard lock(mutex_);
  look();
  return ended_.empty() && num_not_ready_ >= tasks_.size();
}

const Task* TaskQueue::first() {
  const std::lock_guard lock(mutex_);
  look();
  return ended_.empty() && num_not_ready_ < tasks_.size() ? &tasks_.front() : nullptr;  // pushes leave it where it is
}

std::vector<EndedOperation> TaskQueue::take_good_ends() {
  const std::lock_guard lock(mutex_);
  const auto first_bad =
      std::find_if(ended_.begin(), ended_.end(), [](const EndedOperation& each) { return !each.ok; });
  std::vector<EndedOperation> good(ended_.begin(), first_bad);
  ended_.erase(ended_.begin(), first_bad);
  return good;
}

Turn TaskQueue::next() {
  const std::lock_guard lock(mutex_);
  look();
  if (!ended_.empty()) return std::exchange(ended_, {});
  if (num_not_ready_ >= tasks_.size()) return NothingReady{is_stopping_ && tasks_.empty()};
  return pop(tasks_);
}

Task TaskQueue::take_first() {
  const std::lock_guard lock(mutex_);
  return pop(tasks_);
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

void TaskQueue::begin_idle(bool is_end_awaited) {
  const std::lock_guard lock(mutex_);
  idle_epoch_ = seen_;
  idle_ended_ = seen_ended_;
  idle_launched_ = num_launched_here_.load(std::memory_order_relaxed);
  is_end_awaited_ = is_end_awaited || !tasks_.empty();
}

bool TaskQueue::await_change(Device& device) {
  // What the loop reads all the time is kept out of the lines that workers write.
  std::chrono::nanoseconds patience = patience_ * kPatienceOfIdleProcessor;
  const std::uint64_t idle_epoch = idle_epoch_, idle_ended = idle_ended_;
  const bool is_end_awaited = is_end_awaited_;
  // Acquire: who sees a change sees the count of ends that was made before it. All else is acted on under the mutex.
  const auto num_changes = [&] { return changes_.epoch.load(std::memory_order_acquire) - idle_epoch; };
  const auto has_other_change = [&] {
    const std::uint64_t changes = num_changes();
    return changes > changes_.num_ended.load(std::memory_order_relaxed) - idle_ended;
  };
  is_watched_.store(true, std::memory_order_relaxed);
  auto now = std::chrono::steady_clock::now();
  auto awake_since = now, quiet_from = now + kQuiet, looked = now - kLooksForLaunches;
  for (; !has_other_change() && now - awake_since < patience; now = std::chrono::steady_clock::now()) {
    if (now - looked >= kLooksForLaunches) {
      looked = now;
      if (const std::uint64_t launched = num_launched_here_.load(std::memory_order_relaxed);
          launched != idle_launched_) {
        idle_launched_ = launched;
        awake_since = now;
        quiet_from = now + kQuiet;
      }
    }
    if (is_end_awaited || now >= quiet_from) {
      if (num_changes() != 0) break;
      device.poll();
    }
    for (int i = 0; i < kLooksPerYield && !has_other_change(); ++i) cpu_relax();
    if (yield_to_others()) {
      patience = patience_;
      is_watched_.store(false, std::memory_order_relaxed);
    }
  }
  is_watched_.store(false, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  return num_changes() != 0;
}

void TaskQueue::sleep() {
  std::unique_lock lock(mutex_);
  while (changes_.epoch.load(std::memory_order_relaxed) == idle_epoch_ &&
         num_launched_here_.load(std::memory_order_relaxed) == idle_launched_)
    wake_.wait(lock);
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
// The thread sleeps only when every task in the queue was tried and not ready since `epoch` last changed. What makes a
// task ready: an operation ended (signal_end), a task was pushed (push), or another task of the queue was done, which
// resets the count (was_done). The first two change `epoch` under `mutex_` and notify; the thread compares `epoch`
// with what it saw at its last turn (begin_idle) under the same mutex before it waits, so no change is missed. A task
// that was tried while an operation ended is tried again, because the change is seen at the next turn, before sleeping.
// Before it sleeps the thread flushes what it enqueued, so that the device works on what it waits for, and has the
// device watch for ends (ManagerImpl). For at most the patience it stays awake instead, ten times as long on an idle
// processor, asks the device for ends and looks at `epoch` without the mutex; what it sees there it acts on after it
// has taken the mutex. Otherwise nothing is polled.
//
// A worker that launches by itself sees changes in the place of the thread. It leaves nothing behind that could be
// ready: what it finds not ready it does not put back without a change of `epoch` (ManagerImpl::take). Its launch
// needs no task of the thread, but somebody must ask the device for its end. Every 16th launch of a worker does so
// (ManagerImpl::ask_for_ends); behind the last one it is the thread: it stays awake, or is woken, by a change of
// `num_launched_here_`, which is made after the launch. The thread looks at this number before it has the device watch
// (begin_idle, await_change) and once more under `mutex_` before it sleeps. So either the device watches for the end of
// the launch, or the thread does not sleep.
//
// While workers launch one after the other, and nobody waits for an end, the thread keeps away: it asks for no ends,
// and those that a worker has asked for do not wake it. On an H200's host, lines of memory and locks that go to and fro
// between two cores took more than half of the time of a launch.
