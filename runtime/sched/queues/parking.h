// SPDX-License-Identifier: MIT
// Two-phase parking of workers: a worker without work searches for a bounded time, then sleeps in
// the kernel until it is woken. An idle scheduler uses no CPU. Used by task_search.cpp.
//
// State: one word with the numbers of searching and of parked workers, a list of the parked ones
// under lock_, and per worker a futex word. Changes of the numbers of parked workers happen under lock_.
//
// A pusher publishes a task (deque or mailbox), then looks at the state: if someone is parked and
// nobody is searching, it wakes one. A worker parks in this order: list and state change
// (searching -> parked), heavy_barrier(), re-check of all deques and mailboxes, sleep.
//
// Proof: every task that is published finds a worker that will look for it.
//   Let P publish a task and then load the state, and W park.
//   (1) With membarrier (Linux): P executes store(task); compiler barrier; load(state). W's
//       membarrier makes every running thread of the process execute a full barrier B between
//       its call and return. If B comes before P's load in P's program order, the load reads
//       W's state change or a later one. Otherwise B comes after P's store, which is then
//       visible to W's re-check. So P sees W parked, or W sees the task.
//       (If P does not run, its switch out was a full barrier: same two cases.)
//   (2) Without membarrier P's load is a read-modify-write. In the modification order of the
//       state it comes after W's change, and sees it, or before, and then W's change reads from
//       its release sequence, so that P's publication happens before W's re-check.
//   (3) If P sees W parked but another worker S searching, P wakes nobody. S either parks too,
//       and its own re-check is later than P's publication by (1) or (2); or S finds work. S leaves the
//       searching state by one read-modify-write, and if it was the last searcher and someone
//       is parked, it wakes one, who searches in turn. So as long as tasks and parked
//       workers remain, somebody searches.
//   (4) Pushers that are workers look through their own deque before they search, so (1)-(3)
//       only matter for parallelism; for wakers outside the scheduler they are what
//       guarantees progress. Their publication (Mailbox::push) is a seq_cst store, which
//       together with the seq_cst load here, W's change and W's re-check leaves no third case.
//   Proof that no wake is lost: the waker takes W off the list under lock_ before it stores to W's
//   word, and W sleeps only while the word says kParked, which W stored before it got on the
//   list. futex compares and sleeps atomically.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace pbrt {

/// What a worker sleeps on.
struct alignas(64) ParkingSpot {
  static constexpr std::uint32_t kAwake = 0, kParked = 1;
  std::atomic<std::uint32_t> word{kAwake};
  ParkingSpot* next = nullptr;  // list of parked workers, newest first; under lock_
  bool is_listed = false;       // under lock_
  std::int64_t to_wake = 0;     // by the worker when it is awake; the waker writes it before `word`
  /// Whether the worker sleeps, or is about to. The answer is a hint.
  [[nodiscard]] bool is_parked() const { return word.load(std::memory_order_relaxed) == kParked; }
};

class Parking {
 public:
  Parking();

  /// Wakes a worker if one is parked and nobody is searching. Called after each publication of a task.
  ///
  /// Cost: one load where nobody is parked
  void notify() {
    // Proof (1): keeps the compiler from moving the load before the publication.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint64_t state =
        needs_fence_ ? state_.fetch_add(0, std::memory_order_seq_cst) : state_.load(std::memory_order_seq_cst);
    if (wants_wake(state)) [[unlikely]]
      wake_one();
  }

  void begin_search() { state_.fetch_add(kOneSearching, std::memory_order_seq_cst); }
  /// Ends a search that found work.
  void end_search();

  /// Parks the calling worker, which is searching. Returns searching again, when it was woken or `has_work()`.
  template <class HasWork>
  void park(ParkingSpot& spot, HasWork has_work) {
    enlist(spot);
    heavy_barrier();
    if (has_work()) {
      cancel(spot);
    } else {
      sleep(spot);
    }
  }

  /// Wakes up to `count` parked workers, for many tasks that come together. The first one wakes half of them in its
  /// turn, and so on: neither the caller nor a chain, as notify makes it, takes as many times the time of a wake-up.
  ///
  /// Cost: one load where nobody is parked
  void wake_several(std::int64_t count);
  /// Wakes the worker of `spot` if it is parked.
  void wake(ParkingSpot& spot);
  void wake_all();

  [[nodiscard]] int num_searching() const {
    return static_cast<int>(state_.load(std::memory_order_relaxed) / kOneSearching);
  }
  [[nodiscard]] int num_parked() const {
    return static_cast<int>(state_.load(std::memory_order_relaxed) & (kOneSearching - 1));
  }
  /// Workers that neither search nor are parked, out of `num_workers`.
  [[nodiscard]] int num_busy(int num_workers) const {
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    return num_workers - static_cast<int>(state / kOneSearching) - static_cast<int>(state & (kOneSearching - 1));
  }
  /// Workers whose threads sleep, or are about to, or have been woken and do not run yet.
  [[nodiscard]] int num_asleep() const { return num_asleep_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kOneParked = 1;
  static constexpr std::uint64_t kOneSearching = std::uint64_t{1} << 32;
  static constexpr std::uint32_t kAwake = ParkingSpot::kAwake, kParked = ParkingSpot::kParked;

  [[nodiscard]] static bool wants_wake(std::uint64_t state) { return state != 0 && state < kOneSearching; }

  void enlist(ParkingSpot& spot);
  void cancel(ParkingSpot& spot);
  void sleep(ParkingSpot& spot);
  void wake_one();
  void heavy_barrier();
  /// Takes `spot` off the list and counts it as searching. Pre: caller holds lock_; it is listed.
  void unlist(ParkingSpot& spot);

  alignas(64) std::atomic<std::uint64_t> state_{0};
  bool needs_fence_;
  /// Relaxed accesses suffice: this number is a hint, and nothing depends on it.
  alignas(64) std::atomic<int> num_asleep_{0};
  alignas(64) std::mutex lock_;
  ParkingSpot* parked_ = nullptr;
};

}  // namespace pbrt
