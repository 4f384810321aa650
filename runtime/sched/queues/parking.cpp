// SPDX-License-Identifier: MIT
#include "runtime/sched/queues/parking.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace pbrt {
namespace {

bool register_membarrier() { return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0; }

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  // Errors are EAGAIN (the word changed) and EINTR: the caller looks at the word again.
  (void)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  (void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

Parking::Parking() : needs_fence_(!register_membarrier()) {}

void Parking::heavy_barrier() {
  // Without membarrier the seq_cst operations around this call suffice (proof 2).
  if (!needs_fence_) (void)syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void Parking::end_search() {
  const std::uint64_t now = state_.fetch_sub(kOneSearching, std::memory_order_seq_cst) - kOneSearching;
  if (wants_wake(now)) wake_one();  // proof (3)
}

void Parking::enlist(ParkingSpot& spot) {
  const std::lock_guard<std::mutex> guard(lock_);
  // Pairs with the acquire load in sleep, through the waker's store.
  spot.word.store(kParked, std::memory_order_relaxed);
  spot.is_listed = true;
  spot.next = parked_;
  parked_ = &spot;
  state_.fetch_add(kOneParked - kOneSearching, std::memory_order_seq_cst);
}

void Parking::unlist(ParkingSpot& spot) {
  ParkingSpot** link = &parked_;
  while (*link != &spot) link = &(*link)->next;
  *link = spot.next;
  spot.is_listed = false;
  state_.fetch_add(kOneSearching - kOneParked, std::memory_order_seq_cst);
}

void Parking::cancel(ParkingSpot& spot) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    // A waker may have been first; then the worker counts as searching already, and nobody else will sleep on its word.
    if (spot.is_listed) unlist(spot);
  }
  wake_several(std::exchange(spot.to_wake, 0));
}

void Parking::sleep(ParkingSpot& spot) {
  num_asleep_.fetch_add(1, std::memory_order_relaxed);
  while (spot.word.load(std::memory_order_acquire) == kParked) futex_wait(spot.word, kParked);
  num_asleep_.fetch_sub(1, std::memory_order_relaxed);
  wake_several(std::exchange(spot.to_wake, 0));
}

void Parking::wake_one() {
  ParkingSpot* spot = nullptr;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    // Looked at again under the lock, so that several pushers wake one worker and not one each.
    if (!wants_wake(state_.load(std::memory_order_seq_cst))) return;
    spot = parked_;
    unlist(*spot);
    spot->word.store(kAwake, std::memory_order_release);
  }
  futex_wake(spot->word);
}

void Parking::wake_several(std::int64_t count) {
  // Relaxed: tasks published later see to their own wake-ups; this only makes them unnecessary.
  count = std::min<std::int64_t>(count, num_parked());
  while (count > 0) {
    ParkingSpot* spot = nullptr;
    const std::int64_t passed_on = (count - 1) / 2;
    {
      const std::lock_guard<std::mutex> guard(lock_);
      if (parked_ == nullptr) return;
      spot = parked_;
      unlist(*spot);
      spot->to_wake = passed_on;
      spot->word.store(kAwake, std::memory_order_release);
    }
    count -= 1 + passed_on;
    futex_wake(spot->word);
  }
}

void Parking::wake(ParkingSpot& spot) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!spot.is_listed) return;
    unlist(spot);
    spot.word.store(kAwake, std::memory_order_release);
  }
  futex_wake(spot.word);
}

void Parking::wake_all() {
  const std::lock_guard<std::mutex> guard(lock_);
  while (parked_ != nullptr) {
    ParkingSpot& spot = *parked_;
    unlist(spot);
    spot.word.store(kAwake, std::memory_order_release);
    futex_wake(spot.word);
  }
}

}  // namespace pbrt
