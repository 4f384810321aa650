// SPDX-License-Identifier: MIT
// THE-protocol deque of one worker (Cilk-5, PLDI 1998, section 5) on C++ atomics. The owner
// pushes and pops at the top without a lock; thieves take from the bottom under the
// deque's lock; who gets the last task is settled under the lock. Used by task_queues.h only.
//
// Bounded: push() refuses when the ring is full and the caller runs the task at once
// (spawn) or puts it into the mailbox (graph tasks). Pushes at the bottom by other threads
// go to the worker's mailbox (mailbox.h), so this file has the two parties of the paper only.
//
// State
//   top_     (T of the paper): index after the newest task. Written by the owner only.
//   bottom_  (H): index of the oldest task. Written under lock_ only.
//   slots_   ring; task i lies in slots_[i mod kCapacity]. Written by the owner only.
//   Both indices only matter by their difference and are 64 bits wide: they never wrap.
//
// Proof: no task is taken twice, none is lost.
//   A pop of index t stores top_ = t and then loads bottom_ = h; it takes t without the lock
//   iff h <= t. A steal of index b stores bottom_ = b+1 and then loads top_ = u; it takes b
//   iff b+1 <= u. These four operations are seq_cst, so they lie in one total order S.
//   (1) Pop and steal of the same index i. In S, either the pop's store of top_ precedes the
//       steal's load of top_, which then reads i (or a later value; see 2) and i+1 <= i
//       fails; or the steal's store of bottom_ precedes the pop's load of bottom_, which
//       reads >= i+1 > i, so the pop goes to the lock. Under the lock no steal is in progress:
//       bottom_ is i+1 if the steal took i (the pop gives up and restores top_), or i if the
//       steal backed out (the pop takes i). So exactly one of the two takes i.
//   (2) "a later value": while a steal of b holds the lock, the owner may pop and push above
//       b freely, but a pop of b itself ends at the lock as in (1), so slot b is neither
//       taken nor rewritten before the steal is over.
//   (3) Two steals exclude each other by the lock; two pops are the same thread.
//   (4) The thief reads a slot that is written: its load of top_ (acquire) reads a value that
//       the owner stored (release or stronger) after it wrote slot b and the task behind it,
//       since top_ > b only after push(b). Pairs: steal's load of top_ with push's store, pop's
//       exchange, or the store in pop_locked.
//   (5) The owner never overwrites a slot that a thief still reads. The index that shares slot b
//       is b + kCapacity, and push(b + kCapacity) needs to have read bottom_ >= b + 2. That was
//       stored by a later steal, after the steal of b unlocked; push's acquire load pairs with
//       it. If a steal backs out, bottom_ drops by one below what a push may have read: at most
//       kCapacity tasks are inside then, the spare slot covers it. A push that reads a stale,
//       smaller bottom_ only refuses early.
//   (6) What a thief did with the task is none of this file's concern (join: children.h).
//
// Deviation from the paper: H++ and H-- become stores of computed values, as only the lock
// holder writes; thieves look before they lock, and give up if the lock is taken.
// The pop's store-load ordering is an exchange, not membarrier in the thief: see Note [Ordering of pop].
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/sched/frame.h"

namespace pbrt {

class Deque {
 public:
  static constexpr std::int64_t kCapacity = 8192;

  Deque() : slots_(new Slot[kCapacity]) {}

  /// Adds a task at the top; false if the ring is full.
  ///
  /// Threads: owner only
  [[nodiscard]] bool push(detail::Task& task) {
    const std::int64_t t = top_.load(std::memory_order_relaxed);
    // Pairs with the stores of bottom_ in steal: the thief's read of the slot happened before (proof 5).
    if (t - bottom_.load(std::memory_order_acquire) >= kCapacity - 1) return false;
    slot(t).store(&task, std::memory_order_relaxed);
    // Pairs with steal's load of top_ (proof 4).
    top_.store(t + 1, std::memory_order_release);
    return true;
  }

  /// Takes the newest task; null if there is none.
  ///
  /// Threads: owner only
  /// Cost:    one store-load ordering (xchg), no lock unless at most one task is left
  [[nodiscard]] detail::Task* pop() {
    const std::int64_t t = top_.load(std::memory_order_relaxed) - 1;
    // Looks empty: that is settled under the lock too, since a steal that is about to back out raises bottom_.
    if (bottom_.load(std::memory_order_relaxed) > t) return pop_locked(t);
    // seq_cst, with the load below, against steal's store of bottom_ and load of top_ (proof 1).
    (void)top_.exchange(t, std::memory_order_seq_cst);
    if (bottom_.load(std::memory_order_seq_cst) > t) [[unlikely]]
      return pop_locked(t);
    return slot(t).load(std::memory_order_relaxed);
  }

  /// Takes the oldest task; null if there is none or another thread is at the bottom.
  ///
  /// Threads: any but the owner
  [[nodiscard]] detail::Task* steal() {
    if (is_empty()) return nullptr;
    const std::unique_lock<std::mutex> guard(lock_, std::try_to_lock);
    if (!guard.owns_lock()) return nullptr;
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_seq_cst);
    if (b + 1 > top_.load(std::memory_order_seq_cst)) {
      bottom_.store(b, std::memory_order_release);
      return nullptr;
    }
    return slot(b).load(std::memory_order_relaxed);
  }

  /// A look from outside, exact only where the caller's ordering makes it so (parking.h).
  [[nodiscard]] bool is_empty() const {
    return bottom_.load(std::memory_order_seq_cst) >= top_.load(std::memory_order_seq_cst);
  }

 private:
  using Slot = std::atomic<detail::Task*>;

  [[nodiscard]] Slot& slot(std::int64_t i) { return slots_[static_cast<std::size_t>(i & (kCapacity - 1))]; }

  /// Pops index t while no steal is in progress; null, and top_ as before the pop, if t was stolen.
  [[nodiscard]] detail::Task* pop_locked(std::int64_t t) {
    const std::lock_guard<std::mutex> guard(lock_);
    const bool is_there = bottom_.load(std::memory_order_relaxed) <= t;
    top_.store(is_there ? t : t + 1, std::memory_order_release);
    return is_there ? slot(t).load(std::memory_order_relaxed) : nullptr;
  }

  // Grouped by writer.
  alignas(64) std::atomic<std::int64_t> top_{0};
  std::unique_ptr<Slot[]> slots_;
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  std::mutex lock_;
};

}  // namespace pbrt

// Note [Ordering of pop]
//
// The store of top_ and the load of bottom_ in pop must not be reordered by the processor. Two ways were measured
// (x86-64, two virtual CPUs, minima of many rounds): the exchange that stands there, and a plain store with a compiler
// barrier while the thief calls membarrier between its store and its load.
//
//                                                   exchange      membarrier in the thief
//   pop, alone                                         8 ns          1 ns
//   fib(24), one worker, per task                     20 ns         19 ns
//   steal, the other CPU idle                         20 ns        120 ns
//   steal, the other CPU running the program          20 ns     15,000 ns   (it is interrupted)
//
// A task costs far more than its pop, so membarrier gains 7 % where tasks are empty and nothing elsewhere; a steal
// interrupts every running worker. A loop of 20 microseconds that W workers share has W steals: it would be lost.
// parking.h uses membarrier, since a worker that parks has time.
