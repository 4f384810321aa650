// SPDX-License-Identifier: MIT
// The children of a frame: the tasks that it waits for. How many of them are unfinished, and what the first that failed
// left behind. Nothing here knows workers or fibers: who runs a task tells it, and who waits asks it. Included by every
// generated program (frame.h).
//
// Proof: join. outstanding_ (o, owner only) counts children created by the frame's own fiber
//   minus those finished on it. joined_ (j, atomic) is changed by -1 for each child that finishes
//   elsewhere, and by +1 for each that one of them (of a TaskGroup, or by Helpers::spawn_on) creates elsewhere
//   while itself unfinished. So o + j is the number of unfinished children, always >= 0.
//   (1) No suspension: if the fiber reads o + j = 0, all are finished; its acquire load pairs with the
//       finishers' acq_rel fetch_sub, so it sees what they wrote. A finisher does not touch the
//       frame after its fetch_sub, unless (2).
//   (2) Suspension: the fiber switches to the loop of its worker, which adds o + kWaiting to j in one step. Then
//       j = kWaiting + unfinished. If that is kWaiting, the loop resumes the fiber itself. Else
//       exactly one finisher's fetch_sub goes from kWaiting + 1 to kWaiting, and that one resumes the
//       fiber. Before the loop's step j is far below kWaiting, so no finisher can think itself
//       the last; after it, the fiber is off its stack (fiber.h), so it can be resumed by anyone.
//   (3) No new child appears after the last one finished: only unfinished children and the fiber create them.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

namespace pbrt {

/// "The owner" is the fiber that runs the frame's body.
class Children {
 public:
  enum class Failure : std::uint8_t { None, Threw, Dropped };

  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Counts a child that the owner creates. Threads: the owner.
  void add_here() { ++outstanding_; }
  /// Counts a child that another fiber creates. Pre: that fiber runs a child that is unfinished.
  void add_elsewhere() {
    // Relaxed: a child that creates one is unfinished itself, so nobody waits for this number alone.
    joined_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Counts a child that the owner has run to its end. Threads: the owner.
  void finish_here() { --outstanding_; }
  /// Counts a child that has ended elsewhere. True if the owner waited for this one only: the caller resumes it then,
  /// and nobody else does. Otherwise the caller no longer touches the frame.
  [[nodiscard]] bool finish_elsewhere() {
    // Proof: join (1), (2). Acquire: the last finisher runs the owner and passes on what the others wrote.
    return joined_.fetch_sub(1, std::memory_order_acq_rel) == kWaiting + 1;
  }

  /// Whether there may be children to join: some were created and no join has ended since. Threads: the owner.
  [[nodiscard]] bool need_join() const { return outstanding_ != 0; }
  /// Whether all are finished; what they wrote is visible then. Threads: the owner.
  [[nodiscard]] bool are_finished() const {
    // Pairs with finish_elsewhere.
    return outstanding_ + joined_.load(std::memory_order_acquire) == 0;
  }
  /// Begins to wait for the unfinished children. Returns false if all have finished meanwhile: the caller resumes the
  /// owner then.
  ///
  /// Pre: the owner is off its stack
  [[nodiscard]] bool begin_wait() {
    // Proof: join (2). Pairs with finish_elsewhere.
    const std::int64_t added = kWaiting + outstanding_;
    return joined_.fetch_add(added, std::memory_order_acq_rel) + added != kWaiting;
  }
  /// Ends a join. Pre: all are finished. Threads: the owner.
  void end_join() {
    outstanding_ = 0;
    joined_.store(0, std::memory_order_relaxed);
  }

  /// Returns how the first child that failed did so; None if none has. While children are unfinished, the answer is a
  /// hint.
  [[nodiscard]] Failure failure() const { return failure_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool have_failed() const { return failure() != Failure::None; }
  /// Keeps how a child failed, if it is the first; `error` is what it threw. Called before the child is counted as
  /// finished.
  void keep(Failure failure, std::exception_ptr error);
  /// Hands the failure on to the children of `parent`, of which the owner runs one. Pre: have_failed(), and all are
  /// finished.
  void hand_on(Children& parent) { parent.keep(failure(), std::move(error_)); }
  /// Throws what was kept; then it is forgotten. Pre: have_failed(), and all are finished.
  ///
  /// Errors: what the child threw; RunAborted if it was dropped
  [[noreturn]] void rethrow();
  /// Forgets what was kept. Pre: all are finished.
  void forget();

 private:
  /// Added to joined_ while the owner is suspended.
  static constexpr std::int64_t kWaiting = std::int64_t{1} << 48;

  std::int64_t outstanding_ = 0;
  std::atomic<std::int64_t> joined_{0};
  std::exception_ptr error_;  // written by the child that claimed failure_, before it is finished
  std::atomic<Failure> failure_{Failure::None};
};

}  // namespace pbrt
