// SPDX-License-Identifier: MIT
#include "runtime/main/modes/run_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pbrt {

RunWatch::RunWatch(double seconds, std::function<void()> expire) {
  if (seconds <= 0) return;
  constexpr double kMaxSeconds = 1e9;  // a clock can still add this
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(std::min(seconds, kMaxSeconds)));
  thread_ = std::thread([this, end, expire = std::move(expire)] {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_until(lock, end, [this] { return has_ended_; })) expire();
  });
}

RunWatch::~RunWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace pbrt
