// SPDX-License-Identifier: MIT
// What one worker is doing, and how long it has been doing what. The worker's thread writes it; any thread reads it at
// any time, without a lock. Single events are not kept here but in event_log.h.
//
// Proof: a reader sees one moment. A sequence lock (Boehm, MSPC 2012): `sequence_` is odd while the writer changes the
// fields. They are atomics, so that a reader that comes in between reads old or new values. It then finds the sequence
// odd or changed, and tries again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace pbrt {

/// What a worker was doing, in nanoseconds.
struct WorkerTimes {
  std::int64_t busy_ns = 0;
  std::int64_t search_ns = 0;
  std::int64_t idle_ns = 0;
  std::int64_t num_steals = 0;
};

class WorkerClock {
 public:
  enum class State : std::uint8_t { Outside, Busy, Searching, Parked };

  /// Ends the state so far and begins `state`. Threads: the writer.
  void enter(State state, std::int64_t time_ns);
  /// Counts a steal. Threads: the writer.
  void count_steal() { num_steals_.fetch_add(1, std::memory_order_relaxed); }
  /// The state that was entered last. Threads: the writer.
  [[nodiscard]] State state() const { return state_.load(std::memory_order_relaxed); }

  /// What the worker is doing, and since when.
  struct Now {
    State state;
    std::int64_t since_ns;
  };
  /// Threads: any
  [[nodiscard]] Now now() const;
  /// What the worker did up to `time_ns`. Threads: any.
  [[nodiscard]] WorkerTimes times(std::int64_t time_ns) const;

 private:
  static constexpr std::size_t kNumStates = 4;

  std::atomic<std::uint32_t> sequence_{0};
  std::atomic<State> state_{State::Outside};
  std::atomic<std::int64_t> since_ns_{0};
  std::array<std::atomic<std::int64_t>, kNumStates> spent_ns_{};  // in each state, but for the last stay
  std::atomic<std::int64_t> num_steals_{0};
};

}  // namespace pbrt
