// SPDX-License-Identifier: MIT
#include "runtime/matrix/random.h"

#include <atomic>
#include <cmath>
#include <numbers>

namespace pbrt {

namespace {

std::uint64_t next_thread_key() {
  // Relaxed: only uniqueness matters.
  static std::atomic<std::uint64_t> num_threads{0};
  return RandomStream::mix(num_threads.fetch_add(1, std::memory_order_relaxed));
}

struct ThreadStreams {
  RandomStream own{.key = next_thread_key()};
  RandomStream* current = &own;
};

// Only this function finds the thread's variable, and it is never inlined. So a caller that has moved to another thread
// since its last call gets that thread's variable.
[[gnu::noinline]] ThreadStreams& thread_streams() {
  static thread_local ThreadStreams streams;
  asm volatile("" ::: "memory");
  return streams;
}

}  // namespace

RandomStream& current_random() { return *thread_streams().current; }

RandomStream* set_current_random(RandomStream* stream) {
  ThreadStreams& streams = thread_streams();
  RandomStream* previous = streams.current == &streams.own ? nullptr : streams.current;
  streams.current = stream == nullptr ? &streams.own : stream;
  return previous;
}

double random_double(double lo, double hi) {
  const double value = lo + (hi - lo) * current_random().next01();
  return value < hi || hi <= lo ? value : lo;
}

std::int64_t random_int(std::int64_t lo, std::int64_t hi) {
  const std::uint64_t bits = current_random().next();
  if (hi <= lo) return lo;
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  // Multiply and shift: the bias is below range / 2^64.
  __extension__ using Wide = unsigned __int128;
  const auto scaled = static_cast<std::uint64_t>((static_cast<Wide>(bits) * range) >> 64);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + scaled);
}

double random_normal(double mean, double sigma) {
  RandomStream& stream = current_random();
  const double u = 1.0 - stream.next01();
  const double v = stream.next01();
  return mean + sigma * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

}  // namespace pbrt
