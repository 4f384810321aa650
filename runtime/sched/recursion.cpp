// SPDX-License-Identifier: MIT
#include "runtime/sched/recursion.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <set>
#include <string>

namespace pbrt {
namespace {

/// At most so many calls around a call are searched for one of the same transform. Mutual recursion of more transforms
/// ends by depth alone.
constexpr int kMaxSteps = 64;

// A global, because the code that finds an endless recursion has no program in hand. It is written before the first
// run.
const char* (*name_of_caller)(const CallPlace* place) = nullptr;

/// A copy of `text` that stays for ever, because reasons of aborted runs are static text. There are few of them.
const char* keep(std::string text) {
  static std::mutex lock;
  static std::set<std::string> texts;
  const std::lock_guard<std::mutex> guard(lock);
  return texts.insert(std::move(text)).first->c_str();
}

/// Whether the numbers have equal bits, so that NaN equals itself.
bool is_same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

void on_endless_recursion(const char* (*name)(const CallPlace* place)) { name_of_caller = name; }

const char* endless_recursion_text(std::int64_t size, const CallPlace* place) {
  const char* caller = name_of_caller != nullptr ? name_of_caller(place) : nullptr;
  std::string text = "recursion does not end under this configuration";
  if (caller == nullptr && size < 0) return keep(text);
  text += std::string(": ") + (caller != nullptr ? caller : "a rule") + " makes ";
  text += size < 0 ? "calls that lie too deep within each other"
                   : "a call of size " + std::to_string(size) + ", which is no smaller than the calls around it";
  return keep(text + "; choose another rule for small sizes, or call only under a condition");
}

void RecursiveCall::check(Frame& parent) {
  const RecursiveCall* same = find_same();
  const RecursiveCall& before = same != nullptr ? *same : *outer_;
  if (same == nullptr || size_ >= same->size_) num_without_shrinking_ = before.num_without_shrinking_ + 1;
  const bool is_repeated = same != nullptr && num_extents_ > 0 && has_same_arguments(*same);
  if (is_repeated) num_repeated_ = same->num_repeated_ + 1;
  const bool is_endless = is_repeated && (num_repeated_ > kMaxRepeatedCalls || !may_differ_from(*same));
  if (!is_endless && num_without_shrinking_ <= kMaxCallsWithoutShrinking) [[likely]]
    return;
  const CallPlace place{outer_->transform_, this, outer_};
  parent.abort_run(
      endless_recursion_text(num_extents_ > 0 ? *std::max_element(extents_, extents_ + num_extents_) : -1, &place));
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

bool RecursiveCall::may_differ_from(const RecursiveCall& same) const {
  const RecursiveCall* call = outer_;
  while (call != &same && !call->may_repeat_.load(std::memory_order_relaxed)) call = call->outer_;
  return call->may_repeat_.load(std::memory_order_relaxed);
}

}  // namespace pbrt
