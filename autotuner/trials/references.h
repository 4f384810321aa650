// SPDX-License-Identifier: MIT
// What makes the reference outputs of each size: the default, as long as it is fast enough there, else a configuration
// that agreed with it at a smaller size. See Note [References at large sizes].
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "autotuner/space/search_space.h"
#include "autotuner/trials/evaluator.h"

namespace pbtune {

class References {
 public:
  /// How to ask for inputs of size `n` if `left_s` are left. It points to what is trusted, until the next call of
  /// another member function.
  [[nodiscard]] PrepareSpec spec(std::int64_t n, double left_s) const;
  /// Notes what became of the inputs of a size.
  void note(std::int64_t n, const Prepared& prepared);
  /// Notes that a configuration agreed with the reference of the current size. It may stand in for the default at
  /// larger sizes, if it was the default that made this reference, and nothing that is known to be fast enough does.
  void trust(const Configuration& configuration);
  /// From now on nothing else stands in for the default than what does at this size, if anything does.
  void keep_trusted() { is_kept_ = verification_.maker == ReferenceMaker::Trusted; }
  /// Notes that the default made the reference of the current size anew, because what stood in for it disagrees with
  /// it.
  void distrust();

  /// What the outputs of the current size are verified against.
  [[nodiscard]] const Verification& verification() const { return verification_; }
  /// The configuration that made the reference of the current size, if it was not the default.
  [[nodiscard]] const std::optional<Configuration>& stand_in() const { return stand_in_; }
  /// What the default takes at size `n` on one thread by the growth seen so far, in seconds; 0: not known.
  [[nodiscard]] double default_s(std::int64_t n) const;
  /// Whether inputs of a size that is not larger, or their reference, took too long.
  [[nodiscard]] bool is_hopeless(std::int64_t n) const { return too_slow_n_ && n >= *too_slow_n_; }
  /// What is to be said about the reference of the current size; empty: nothing.
  [[nodiscard]] std::string words() const;

 private:
  std::map<std::int64_t, double> default_times_s_;  ///< by size, on one thread
  std::optional<std::int64_t> default_too_slow_n_;  ///< the least size at which the default was not the reference
  std::optional<std::int64_t> too_slow_n_;          ///< the least size at which nothing was
  std::optional<Configuration> trusted_, stand_in_;
  std::int64_t trusted_n_ = 0, n_ = 0;
  bool is_kept_ = false;
  Verification verification_;
};

}  // namespace pbtune
