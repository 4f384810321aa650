// SPDX-License-Identifier: MIT
#include "runtime/sched/recursion.h"

#include <algorithm>
#include <bit>

namespace pbrt {
namespace {

/// Calls between two of one transform that are looked through; mutual recursion of more transforms ends by depth alone.
constexpr int kMaxSteps = 64;

/// Equal bits: a number that is none equals itself.
bool is_same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

void RecursiveCall::check(Frame& parent) {
  const RecursiveCall* same = find_same();
  const RecursiveCall& before = same != nullptr ? *same : *outer_;
  if (same == nullptr || size_ >= same->size_) num_without_shrinking_ = before.num_without_shrinking_ + 1;
  const bool is_round = same != nullptr && num_extents_ > 0 && has_same_arguments(*same);
  if (is_round || num_without_shrinking_ > kMaxCallsWithoutShrinking) [[unlikely]]
    parent.abort_run("recursion does not end under this configuration");
}

const RecursiveCall* RecursiveCall::find_same() const {
  const RecursiveCall* call = outer_;
  for (int step = 0; step < kMaxSteps && call != nullptr; ++step, call = call->outer_)
    if (call->transform_ == transform_) return call;
  return nullptr;
}

bool RecursiveCall::has_same_arguments(const RecursiveCall& other) const {
  return std::equal(extents_, extents_ + num_extents_, other.extents_) &&
         std::equal(numbers_, numbers_ + num_numbers_, other.numbers_, is_same);
}

}  // namespace pbrt
