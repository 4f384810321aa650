// SPDX-License-Identifier: MIT
#include "runtime/sched/trace/worker_clock.h"

#include <algorithm>

namespace pbrt {

void WorkerClock::enter(State state, std::int64_t time_ns) {
  const std::uint32_t sequence = sequence_.load(std::memory_order_relaxed);
  sequence_.store(sequence + 1, std::memory_order_relaxed);
  // Release: who sees one of the new values sees the odd sequence too; pairs with the acquire loads in now() and times().
  const auto before = static_cast<std::size_t>(state_.load(std::memory_order_relaxed));
  const std::int64_t spent = time_ns - since_ns_.load(std::memory_order_relaxed);
  spent_ns_[before].store(spent_ns_[before].load(std::memory_order_relaxed) + spent, std::memory_order_release);
  since_ns_.store(time_ns, std::memory_order_release);
  state_.store(state, std::memory_order_release);
  // Pairs with the acquire load of the sequence.
  sequence_.store(sequence + 2, std::memory_order_release);
}

WorkerClock::Now WorkerClock::now() const {
  for (;;) {
    const std::uint32_t sequence = sequence_.load(std::memory_order_acquire);
    const Now result{state_.load(std::memory_order_acquire), since_ns_.load(std::memory_order_acquire)};
    if (sequence % 2 == 0 && sequence == sequence_.load(std::memory_order_relaxed)) return result;
  }
}

WorkerTimes WorkerClock::times(std::int64_t time_ns) const {
  for (;;) {
    const std::uint32_t sequence = sequence_.load(std::memory_order_acquire);
    std::array<std::int64_t, kNumStates> sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = spent_ns_[i].load(std::memory_order_acquire);
    const State state = state_.load(std::memory_order_acquire);
    const std::int64_t since = since_ns_.load(std::memory_order_acquire);
    if (sequence % 2 != 0 || sequence != sequence_.load(std::memory_order_relaxed)) continue;
    sums[static_cast<std::size_t>(state)] += std::max<std::int64_t>(0, time_ns - since);
    return {sums[static_cast<std::size_t>(State::Busy)], sums[static_cast<std::size_t>(State::Searching)],
            sums[static_cast<std::size_t>(State::Parked)], num_steals_.load(std::memory_order_relaxed)};
  }
}

}  // namespace pbrt
