// SPDX-License-Identifier: MIT
// A turn that one of many threads has at a time. A thread may stop waiting for it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace pbrt {

/// Threads: any
class Turn {
 public:
  /// Waits until the caller has the turn; false if it was given up before.
  [[nodiscard]] bool wait(const std::atomic<bool>& is_given_up) {
    std::unique_lock<std::mutex> guard(lock_);
    // Relaxed: look_again takes the lock after the flag was set.
    changed_.wait(guard, [&] { return !is_taken_ || is_given_up.load(std::memory_order_relaxed); });
    if (is_given_up.load(std::memory_order_relaxed)) return false;
    is_taken_ = true;
    return true;
  }
  /// Pre:     the caller has the turn
  void end() {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      is_taken_ = false;
    }
    // All, because one that is woken may have given up.
    changed_.notify_all();
  }
  /// Called after a thread that may be waiting was told to give up.
  void look_again() {
    { const std::lock_guard<std::mutex> guard(lock_); }
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool is_taken_ = false;  // under lock_
};

/// Has the turn while it lives, unless it was given up. A null turn is everybody's.
class TurnScope {
 public:
  TurnScope(Turn* turn, const std::atomic<bool>& is_given_up)
      : turn_(turn), has_turn_(turn == nullptr || turn->wait(is_given_up)) {}
  ~TurnScope() {
    if (turn_ != nullptr && has_turn_) turn_->end();
  }
  TurnScope(const TurnScope&) = delete;
  TurnScope& operator=(const TurnScope&) = delete;
  [[nodiscard]] bool has_turn() const { return has_turn_; }

 private:
  Turn* turn_;
  bool has_turn_;
};

}  // namespace pbrt
