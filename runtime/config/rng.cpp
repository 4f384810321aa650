// SPDX-License-Identifier: MIT
#include "runtime/config/rng.h"

#include <cmath>

#include "runtime/config/runtime_check.h"

namespace pbrt {

/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 (SplitMix64).
std::uint64_t Rng::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Rng::uniform_int(std::int64_t lo, std::int64_t hi) {
  PBRT_CHECK(lo <= hi, "an empty range has no element to draw");
  const std::uint64_t span = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  if (span == 0) return static_cast<std::int64_t>(next());
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % span;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + value % span);
}

double Rng::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Rng::normal() {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(kTwoPi * uniform());
}

double Rng::log_uniform(double lo, double hi) { return lo * std::exp(uniform() * std::log(hi / lo)); }

}  // namespace pbrt
