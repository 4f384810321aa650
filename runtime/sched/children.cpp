// SPDX-License-Identifier: MIT
#include "runtime/sched/children.h"

#include "base/seeded_fault.h"
#include "runtime/config/errors.h"

namespace pbrt {

void Children::keep(Failure failure, std::exception_ptr error) {
  if (PB_FAULT(exception_is_lost)) return;
  Failure expected = Failure::None;
  // Relaxed: the claim only excludes other claimants; the join orders error_ with the owner's read.
  if (failure_.compare_exchange_strong(expected, failure, std::memory_order_relaxed)) error_ = std::move(error);
}

void Children::rethrow() {
  const Failure kept = failure();
  failure_.store(Failure::None, std::memory_order_relaxed);
  if (kept == Failure::Dropped) throw RunAborted();
  std::rethrow_exception(std::move(error_));
}

void Children::forget() {
  error_ = nullptr;
  failure_.store(Failure::None, std::memory_order_relaxed);
}

}  // namespace pbrt
