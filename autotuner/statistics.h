// SPDX-License-Identifier: MIT
// What the tuner knows about noise: samples of times, Welch's test between two of them, and the
// verdict that the search acts on. Pure functions.
#pragma once

#include <vector>

namespace pbtune {

/// Times of one candidate at one size, nanoseconds.
using Sample = std::vector<double>;

/// Pre: the sample is not empty.
[[nodiscard]] double median(Sample sample);
[[nodiscard]] double minimum(const Sample& sample);

/// P(T <= t) of Student's distribution with `degrees` (real, > 0) degrees of freedom.
[[nodiscard]] double student_cdf(double t, double degrees);

/// Difference of the mean logarithms (a minus b: negative if a is faster), its standard error, degrees of freedom.
///
/// Other processes only ever add time, so a time far above its sample's median is pulled in first. One-element
/// samples are given the prior spread. Source: Welch, "The generalization of Student's problem", 1947.
struct WelchResult {
  double difference = 0;  ///< of logarithms: 0.02 is 2 %
  double standard_error = 0;
  double degrees = 1;
  /// Probability of a difference as far from `shift` in this direction if the truth were `shift`.
  [[nodiscard]] double p_less_than(double shift) const;
  [[nodiscard]] double p_greater_than(double shift) const;
};
[[nodiscard]] WelchResult welch(const Sample& a, const Sample& b);

enum class Verdict { Faster, Slower, Same, Undecided };

/// Is `a` faster than `b`? `Same`: the difference is surely below what matters.
///
/// Units:   `matters` relative, e.g. 0.01; `confidence` e.g. 0.95
[[nodiscard]] Verdict compare(const Sample& a, const Sample& b, double matters, double confidence);

}  // namespace pbtune
