// SPDX-License-Identifier: MIT
#include "runtime/sched/task_search.h"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "runtime/sched/cpu_relax.h"
#include "runtime/sched/trace/trace_lane.h"
#include "runtime/sched/worker_pool.h"

namespace pbrt {
namespace {

// Bounds of the search before a worker parks: rounds with a pause after each, then rounds that offer the CPU to others.
// Together they take about 50 microseconds on the machines measured.
constexpr int kSpinRounds = 300;
constexpr int kYieldRounds = 4;
constexpr int kPausesPerRound = 8;
// How long a searching worker stays awake: for a wake that is announced as brief, since waking a thread costs about as
// much as a small kernel, and 1 % of what takes ten times as long; and while another worker is busy, which may spawn
// after a sequential part. Waking costs 50 to 100 microseconds on virtual machines. Where another thread wants the
// processor, only small kernels count.
constexpr std::chrono::microseconds kPatienceForWakes{10000};
constexpr std::chrono::microseconds kPatienceOnBusyProcessor{1000};
constexpr std::chrono::microseconds kPatienceForSpawns{300};
constexpr int kRoundsPerYield = 32;

// A thief that finds only tiny tasks costs the victim more than it saves it: each steal moves the lines of the deque to
// another core and back. After kFewTinySteals of them in a row the thief pauses before the next, twice as long each
// time, some microseconds at most.
constexpr std::chrono::nanoseconds kTinyTask{700};
constexpr int kFewTinySteals = 2;
constexpr int kMaxTinySteals = 5;
// Several thieves of tiny tasks pause longer, up to this many times: by the number of thieves, so that together they
// steal about as often as one does.
constexpr int kMaxThievesSparing = 4;

// A round of a search looks at this many other workers. Each look takes a cache line from the worker that pushes and
// pops there, which would wait for it at each task if every thief looked everywhere in each round. Only the first round
// looks everywhere, for work that is there already.
constexpr std::size_t kVictimsPerRound = 1;

// How often a search passes by tasks in the mailbox of the only other worker, which looks there in each round of its
// own. With several workers each mailbox is looked at less often, so that the time is about the same.
constexpr int kPassesForOwner = 4;

}  // namespace

TaskSearch::TaskSearch(WorkerPool& pool, WorkerSlot& self, TraceLane* lane, int index)
    : pool_(pool),
      self_(self),
      lane_(lane),
      random_state_(0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(index + 1)) {}

void TaskSearch::note_finish() {
  if (!has_stolen_) return;
  has_stolen_ = false;
  const bool was_tiny = std::chrono::steady_clock::now() - steal_time_ < kTinyTask;
  num_tiny_steals_ = was_tiny ? std::min(num_tiny_steals_ + 1, kMaxTinySteals) : 0;
}

void TaskSearch::spare_victims() {
  if (num_tiny_steals_ <= kFewTinySteals) return;
  const int num_sparing = std::clamp(pool_.parking.num_searching(), 1, kMaxThievesSparing);
  for (int i = 0; i < num_sparing << num_tiny_steals_; ++i) pause_for_mail();
}

void TaskSearch::pause_for_mail() const {
  for (int i = 0; i < kPausesPerRound && !self_.tasks.has_mail(); ++i) cpu_relax();
}

detail::Task* TaskSearch::find(const std::atomic<bool>& done, WorkerCounts& counts) {
  pool_.parking.begin_search();
  if (lane_ != nullptr) lane_->begin_search();
  spare_victims();
  for (;;) {
    for (int round = 0; round < kSpinRounds + kYieldRounds; ++round) {
      detail::Task* task = steal_once(round == 0, counts);
      if (task != nullptr || done.load(std::memory_order_acquire)) {
        pool_.parking.end_search();
        if (lane_ != nullptr) lane_->end_search(task != nullptr, last_victim_);
        return task;
      }
      if (round < kSpinRounds) {
        pause_for_mail();
      } else {
        sched_yield();
      }
    }
    if (detail::Task* task = search_patiently(done, counts)) {
      pool_.parking.end_search();
      if (lane_ != nullptr) lane_->end_search(true, last_victim_);
      return task;
    }
    ++counts.num_parks;
    if (lane_ != nullptr) lane_->begin_park();
    pool_.parking.park(self_.spot, [&] { return done.load(std::memory_order_seq_cst) || pool_.has_work(); });
    if (lane_ != nullptr) lane_->end_park();
  }
}

detail::Task* TaskSearch::search_patiently(const std::atomic<bool>& done, WorkerCounts& counts) {
  using Clock = std::chrono::steady_clock;
  std::chrono::microseconds for_wakes = kPatienceForWakes;
  // The numbers read here are hints. A worker that parks in spite of them is woken.
  const auto patience = [&]() -> std::chrono::microseconds {
    if (pool_.num_brief_waits.load(std::memory_order_relaxed) != 0 && pool_.parking.num_searching() == 1)
      return for_wakes;
    const bool may_get_work = pool_.has_cpu_per_worker && pool_.parking.num_busy(pool_.num_workers()) > 0;
    return may_get_work ? kPatienceForSpawns : std::chrono::microseconds(0);
  };
  for (const Clock::time_point start = Clock::now(); Clock::now() - start < patience();) {
    if (done.load(std::memory_order_acquire)) return nullptr;
    for (int round = 0; round < kRoundsPerYield; ++round) {
      if (detail::Task* task = steal_once(false, counts)) return task;
      pause_for_mail();
    }
    if (yield_to_others()) for_wakes = kPatienceOnBusyProcessor;
  }
  return nullptr;
}

detail::Task* TaskSearch::steal_once(bool looks_everywhere, WorkerCounts& counts) {
  if (detail::Task* task = self_.tasks.take_mail()) {
    ++counts.num_mails;
    last_victim_ = -1;
    return task;
  }
  const auto& workers = pool_.workers;
  const std::size_t num_workers = workers.size();
  std::size_t num_left = looks_everywhere ? num_workers - 1 : std::min(kVictimsPerRound, num_workers - 1);
  // While fibers wait for a device, a task may soon come into any mailbox.
  const bool reads_all_mail = pool_.num_brief_waits.load(std::memory_order_relaxed) != 0;
  std::size_t i = random() % num_workers;
  for (std::size_t n = 0; n < num_workers && (num_left > 0 || reads_all_mail);
       ++n, i = i + 1 == num_workers ? 0 : i + 1) {
    WorkerSlot& victim = *workers[i];
    if (&victim == &self_) continue;
    if (detail::Task* task = take_mail_of(i)) {
      ++counts.num_mails;
      last_victim_ = -1;
      return task;
    }
    if (num_left == 0) continue;
    --num_left;
    if (detail::Task* task = victim.tasks.steal()) {
      ++counts.num_steals;
      last_victim_ = static_cast<int>(i);
      has_stolen_ = true;
      steal_time_ = std::chrono::steady_clock::now();
      return task;
    }
  }
  return nullptr;
}

detail::Task* TaskSearch::take_mail_of(std::size_t index) {
  WorkerSlot& victim = *pool_.workers[index];
  if (!victim.tasks.has_mail()) return nullptr;
  if (!victim.spot.is_parked()) {
    const int number = static_cast<int>(index);
    if (passed_mailbox_ != number) {
      const bool is_other_full =
          passed_mailbox_ >= 0 && pool_.workers[static_cast<std::size_t>(passed_mailbox_)]->tasks.has_mail();
      if (is_other_full) return nullptr;
      passed_mailbox_ = number;
      num_passes_ = 0;
    }
    if (++num_passes_ <= std::max(1, kPassesForOwner / (pool_.num_workers() - 1))) return nullptr;
  }
  passed_mailbox_ = -1;
  return victim.tasks.take_mail();
}

std::uint32_t TaskSearch::random() {
  // xorshift64*: cheap, and different on each worker.
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  return static_cast<std::uint32_t>((random_state_ * 0x2545f4914f6cdd1dU) >> 32);
}

}  // namespace pbrt
