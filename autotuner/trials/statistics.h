// SPDX-License-Identifier: MIT
// What the tuner knows about noise: samples of times, Welch's test between two of them, and the
// verdict that the search acts on. Pure functions.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace pbtune {

/// Times of one candidate at one size, nanoseconds.
using Sample = std::vector<double>;

/// The median and the least of a sample. Pre: it is not empty.
[[nodiscard]] double median(Sample sample);
[[nodiscard]] double minimum(const Sample& sample);

/// P(T <= t) of Student's distribution with `degrees` (real, > 0) degrees of freedom.
[[nodiscard]] double student_cdf(double t, double degrees);

/// Difference of the mean logarithms (a minus b: negative if a is faster), its standard error, degrees of freedom.
///
/// Other processes only ever add time, so a time far above its sample's median is pulled in first. One-element
/// samples are given the prior spread. Source: Welch, "The generalization of Student's problem", 1947.
struct WelchResult {
  double difference = 0;  ///< difference of logarithms: 0.02 is 2 %
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

/// How many times as long `a` takes as `b`. The times were taken in turns, so that a[i] and b[i] were measured under
/// the same conditions.
struct PairedRatio {
  double ratio = 1;              ///< Hodges-Lehmann estimate
  double lo = 0, hi = HUGE_VAL;  ///< distribution-free interval; without bounds if there are too few rounds
};
/// Pre:     as many times of both, at least one
/// Cost:    O(rounds^3)
/// Source:  Wilcoxon's signed-rank test on the logarithms and the interval that belongs to it (Hollander and Wolfe,
///          "Nonparametric Statistical Methods", 1973, chapter 3): no assumption about the shape of the noise but symmetry
[[nodiscard]] PairedRatio paired_ratio(const Sample& a, const Sample& b, double confidence);

/// The confidence of figures that people read.
inline constexpr double kFigureConfidence = 0.95;
/// Whether times measured in turns say so well how many times as long `a` takes as `b` that people may read it.
///
/// Pre:     as many times of both, at least one
[[nodiscard]] bool is_figure_known(const Sample& a, const Sample& b);

/// The power of the size with which times grow, as two sizes tell; at least a half, so that no noise makes large sizes
/// look cheap.
///
/// Pre:     sizes and times are positive, and the sizes differ
[[nodiscard]] double growth_between(std::int64_t from_n, double from_time, std::int64_t to_n, double to_time);

/// Fewer rounds prove large differences only.
inline constexpr int kEnoughRounds = 8;
/// Whether times measured in turns prove that `a` is faster than `b`, by more than what matters.
[[nodiscard]] bool is_surely_faster(const Sample& a, const Sample& b, double matters);
/// Whether times measured in turns prove that `a` is not faster than `b` by more than what matters.
[[nodiscard]] bool is_surely_not_faster(const Sample& a, const Sample& b, double matters);

}  // namespace pbtune
