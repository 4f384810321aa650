// SPDX-License-Identifier: MIT
// Recursion that cannot end (docs/architecture.md 6.9): a configuration may choose a rule that calls its own transform
// where another rule was to end the recursion. Generated code makes a RecursiveCall in each call of a transform that
// may reach itself; it finds out after one round, or after many without shrinking, not when the memory is gone.
//
// One round proves it only where sizes and numbers decide alone which calls a rule makes. Generated code says by
// RecursiveCall::may_repeat where the contents of matrices may do so.
//
// Calls are linked from the inside to the outside: each Frame knows the innermost one that holds it. A record lies on
// the stack of its call, which ends after all that it spawned, so the links are whole on every thread.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "runtime/sched/frame.h"

namespace pbrt {

/// So many nested calls may leave the size of their data as it is.
inline constexpr int kMaxCallsWithoutShrinking = 100'000;
/// So many may have the same sizes and numbers where the contents of matrices may end the recursion.
inline constexpr int kMaxRepeatedCalls = 10'000;

/// A call that a rule makes: the number of the rule's transform, and the records of both calls. Records lie on stacks.
struct CallPlace {
  int transform = 0;
  const void* call = nullptr;
  const void* outer = nullptr;
};

/// Sets the function that says which rule makes a call, where a recursion does not end; the place is null if it is not
/// known. The function returns static text, or null if the rule is not known. Called once, by `main`; `name` is called
/// by the thread that makes the call.
void on_endless_recursion(const char* (*name)(const CallPlace* place));

/// The message about a recursion that does not end at calls of `size`, their largest extent; below 0 the size is not
/// known. The text lives as long as the process.
[[nodiscard]] const char* endless_recursion_text(std::int64_t size, const CallPlace* place = nullptr);

class RecursiveCall {
 public:
  /// A call of transform number `transform`. `extents` are those of all its matrices. `numbers` are the values of its
  /// 0-D inputs, which may end a recursion that keeps the extents. Both must live as long as the call.
  ///
  /// Errors:  RunAborted, with the whole run, if the recursion does not end
  /// Cost:    some additions and comparisons where the data shrinks or no call around this one is of the transform; else a
  ///          look at each call between this one and the last of the same transform
  RecursiveCall(Frame& parent, int transform, const std::int64_t* extents, int num_extents, const double* numbers,
                int num_numbers)
      : outer_(parent.call_),
        transform_(transform),
        num_extents_(num_extents),
        num_numbers_(num_numbers),
        extents_(extents),
        numbers_(numbers) {
    for (int i = 0; i < num_extents; ++i) size_ += extents[i];
    const std::uint64_t mine = std::uint64_t{1} << (static_cast<unsigned>(transform) % 64);
    transforms_ = mine;
    if (outer_ == nullptr) return;
    transforms_ |= outer_->transforms_;
    if ((outer_->transforms_ & mine) == 0) {
      num_without_shrinking_ = outer_->num_without_shrinking_ + 1;
    } else if (!shrinks() && !goes_on()) {
      check(parent);
    }
  }
  RecursiveCall(const RecursiveCall&) = delete;
  RecursiveCall& operator=(const RecursiveCall&) = delete;

  /// Calls from `frame` count as calls inside of this one.
  void enter(Frame& frame) const { frame.call_ = this; }

  /// Says that the contents of matrices may decide which calls come from `frame`.
  static void may_repeat(const Frame& frame) {
    // Relaxed: calls from the frame see it, because they are made by this thread or by tasks that it spawns.
    if (frame.call_ != nullptr) frame.call_->may_repeat_.store(true, std::memory_order_relaxed);
  }

 private:
  /// Whether this call is smaller than the nearest call of the same transform, which is looked for in the call around
  /// it and the next one outside only. Then check() would find nothing.
  [[nodiscard]] bool shrinks() const {
    const RecursiveCall* call = outer_->transform_ == transform_ ? outer_ : outer_->outer_;
    return call != nullptr && call->transform_ == transform_ && size_ < call->size_;
  }
  /// Whether the call around this one is of the same transform and has another first number, and the limit of calls
  /// without shrinking is not reached. Then this call is counted, and check() would not stop the run.
  [[nodiscard]] bool goes_on() {
    if (outer_->transform_ != transform_ || num_numbers_ == 0 ||
        outer_->num_without_shrinking_ >= kMaxCallsWithoutShrinking)
      return false;
    const bool is_other =
        std::bit_cast<std::uint64_t>(numbers_[0]) != std::bit_cast<std::uint64_t>(outer_->numbers_[0]);
    if (is_other) num_without_shrinking_ = outer_->num_without_shrinking_ + 1;
    return is_other;
  }
  /// Counts this call and stops the run if the recursion does not end.
  void check(Frame& parent);
  /// The innermost call of the same transform among the nearest ones around this one; null if there is none.
  [[nodiscard]] const RecursiveCall* find_same() const;
  [[nodiscard]] bool has_same_arguments(const RecursiveCall& other) const;
  /// Whether the contents of matrices may decide about calls between `same`, a call around this one, and this one.
  [[nodiscard]] bool may_differ_from(const RecursiveCall& same) const;

  const RecursiveCall* outer_;
  int transform_;
  int num_extents_;
  int num_numbers_;
  int num_without_shrinking_ = 0;
  int num_repeated_ = 0;      ///< calls around this one, one in another, with the same sizes and numbers
  std::int64_t size_ = 0;     ///< sum of the extents
  std::uint64_t transforms_;  ///< of this call and those around it: bit `transform % 64`
  const std::int64_t* extents_;
  const double* numbers_;
  mutable std::atomic<bool> may_repeat_{false};  ///< set by rules that run in this call
};

}  // namespace pbrt
