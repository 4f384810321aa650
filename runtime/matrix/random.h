// SPDX-License-Identifier: MIT
// Random numbers of running programs (docs/reference/language.md 8.8): one stream per task, derived from the
// run's seed and the task's place in the tree of spawns, so that numbers do not depend on
// which thread runs what. The scheduler makes a task's stream current while the task runs.
//
// How runtime/sched keeps it so:
//   at a spawn       child.key = current_random().child_key();          (in program order of the parent)
//   at a task start  RandomStream s{child.key}; previous = set_current_random(&s);   … at its end
//   set_current_random(previous) at a suspension  saved = set_current_random(nullptr) before the switch,
//   set_current_random(saved) after it
#pragma once

#include <cstdint>

namespace pbrt {

/// Counter-based generator (splitmix64 over a key): cheap to make, 24 bytes.
struct RandomStream {
  std::uint64_t key = 0;
  std::uint64_t drawn = 0;
  std::uint64_t children = 0;

  [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 64 random bits.
  std::uint64_t next() { return mix(key ^ mix(drawn++)); }
  /// Uniform in [0, 1), 53 bits.
  double next01() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Key of the next child's stream.
  std::uint64_t child_key() { return mix(~key + mix(++children ^ 0xa0761d6478bd642fU)); }
};

/// The running task's stream; outside of tasks a stream of the thread's own.
///
/// Threads: valid until the caller suspends; never keep the reference
[[nodiscard]] RandomStream& current_random();

/// Makes `stream` (null: the thread's own) current and returns the one before.
RandomStream* set_current_random(RandomStream* stream);

/// Uniform in [lo, hi); `lo` if they are equal.
[[nodiscard]] double random_double(double lo, double hi);
/// Uniform integer in [lo, hi), upper bound excluded; `lo` if hi <= lo.
[[nodiscard]] std::int64_t random_int(std::int64_t lo, std::int64_t hi);
[[nodiscard]] double random_normal(double mean, double sigma);

}  // namespace pbrt
