// SPDX-License-Identifier: MIT
// The seeded random generator of configurations, tuner and tests: same seed, same numbers, with every
// compiler and library (the standard's distributions differ between libraries).
#pragma once

#include <cstdint>

namespace pbrt {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  /// Uniform in [lo, hi], both included. Pre: lo <= hi.
  std::int64_t uniform_int(std::int64_t lo, std::int64_t hi);
  /// Uniform in [0, 1).
  double uniform();
  /// Standard normal.
  double normal();
  /// Log-uniform in [lo, hi]. Pre: 0 < lo <= hi.
  double log_uniform(double lo, double hi);
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace pbrt
