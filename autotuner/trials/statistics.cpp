// SPDX-License-Identifier: MIT
#include "autotuner/trials/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/config/runtime_check.h"

namespace pbtune {
namespace {

constexpr double kPriorSpread = 0.05;   // spread that a single time is given
constexpr double kClockSpread = 0.002;  // times are never known more exactly than this
constexpr double kOutlierFactor = 4.0;

/// Continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr int kMaxSteps = 300;
  constexpr double kTiny = 1e-300, kEnough = 1e-12;
  const auto safe = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / safe(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= kMaxSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    const double step = d * c;
    result *= step;
    if (std::fabs(step - 1) < kEnough) break;
  }
  return result;
}

double regularized_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  const bool is_direct = x < (a + 1) / (a + b + 2);
  return is_direct ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

struct Moments {
  double mean = 0, variance = 0, count = 0;
};

Moments log_moments(const Sample& sample) {
  const double middle = median(sample);
  const double limit = middle + kOutlierFactor * (middle - minimum(sample)) + kPriorSpread * middle;
  Moments out;
  out.count = static_cast<double>(sample.size());
  for (const double time : sample) out.mean += std::log(std::max(1.0, std::min(time, limit))) / out.count;
  for (const double time : sample) {
    const double off = std::log(std::max(1.0, std::min(time, limit))) - out.mean;
    out.variance += off * off;
  }
  out.variance = sample.size() > 1 ? out.variance / (out.count - 1) : kPriorSpread * kPriorSpread;
  out.variance = std::max(out.variance, kClockSpread * kClockSpread);
  return out;
}

/// P(W <= w) for w = 0, 1, …: W is the sum of those of 1 … n that a coin chooses.
std::vector<double> signed_rank_cdf(std::size_t n) {
  std::vector<double> chance{1.0};
  for (std::size_t rank = 1; rank <= n; ++rank) {
    std::vector<double> next(chance.size() + rank, 0.0);
    for (std::size_t sum = 0; sum < chance.size(); ++sum) {
      next[sum] += chance[sum] / 2;
      next[sum + rank] += chance[sum] / 2;
    }
    chance = std::move(next);
  }
  std::partial_sum(chance.begin(), chance.end(), chance.begin());
  return chance;
}

/// All averages of two of the values, or of one with itself, ascending.
std::vector<double> walsh_averages(const std::vector<double>& values) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = i; k < values.size(); ++k) out.push_back((values[i] + values[k]) / 2);
  std::sort(out.begin(), out.end());
  return out;
}

// Fewer rounds than kEnoughRounds have no interval at this confidence.
constexpr double kSure = 0.99;  // two-sided: one time in 200 a configuration that is no faster is called faster

/// The factor between all times of one and all times of the other that so few rounds prove. Without noise that differs
/// between the two, n times each are that far apart by luck once in C(2n, n), which is 20 at three rounds and 252 at
/// five, even if the factor is 1.
double factor_of_few(std::size_t rounds) {
  constexpr std::array kFactors = {HUGE_VAL, 2.25, 1.5, 1.25, 1.15, 1.1, 1.06, 1.06};
  static_assert(kFactors.size() == static_cast<std::size_t>(kEnoughRounds));
  return kFactors[rounds];
}

}  // namespace

double median(Sample sample) {
  PBRT_CHECK(!sample.empty(), "an empty sample has no median");
  std::sort(sample.begin(), sample.end());
  const std::size_t half = sample.size() / 2;
  return sample.size() % 2 == 1 ? sample[half] : (sample[half - 1] + sample[half]) / 2;
}

double minimum(const Sample& sample) {
  PBRT_CHECK(!sample.empty(), "an empty sample has no minimum");
  return *std::min_element(sample.begin(), sample.end());
}

double student_cdf(double t, double degrees) {
  const double tail = 0.5 * regularized_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t > 0 ? 1 - tail : tail;
}

double WelchResult::p_less_than(double shift) const {
  return student_cdf((difference - shift) / standard_error, degrees);
}

double WelchResult::p_greater_than(double shift) const {
  return student_cdf((shift - difference) / standard_error, degrees);
}

WelchResult welch(const Sample& a, const Sample& b) {
  const Moments x = log_moments(a), y = log_moments(b);
  const double part_x = x.variance / x.count, part_y = y.variance / y.count;
  const double weight = part_x * part_x / std::max(1.0, x.count - 1) + part_y * part_y / std::max(1.0, y.count - 1);
  WelchResult out;
  out.difference = x.mean - y.mean;
  out.standard_error = std::sqrt(part_x + part_y);
  out.degrees = std::max(1.0, (part_x + part_y) * (part_x + part_y) / weight);
  return out;
}

Verdict compare(const Sample& a, const Sample& b, double matters, double confidence) {
  const WelchResult result = welch(a, b);
  const double risk = 1 - confidence;
  const double shift = std::log1p(matters);
  if (result.difference <= -shift && result.p_less_than(0) < risk) return Verdict::Faster;
  if (result.difference >= shift && result.p_greater_than(0) < risk) return Verdict::Slower;
  if (result.p_less_than(shift) < risk && result.p_greater_than(-shift) < risk) return Verdict::Same;
  return Verdict::Undecided;
}

PairedRatio paired_ratio(const Sample& a, const Sample& b, double confidence) {
  PBRT_CHECK(!a.empty() && a.size() == b.size(), "times come in pairs");
  std::vector<double> logs;
  for (std::size_t i = 0; i < a.size(); ++i) logs.push_back(std::log(std::max(1.0, a[i]) / std::max(1.0, b[i])));
  const std::vector<double> averages = walsh_averages(logs);
  const std::vector<double> cdf = signed_rank_cdf(logs.size());
  std::size_t cut = 0;  // number of averages that lie outside on each side
  while (cut < cdf.size() && cdf[cut] <= (1 - confidence) / 2) ++cut;
  PairedRatio out;
  out.ratio = std::exp(median(averages));
  if (cut == 0) return out;
  out.lo = std::exp(averages[cut - 1]);
  out.hi = std::exp(averages[averages.size() - cut]);
  return out;
}

bool is_figure_known(const Sample& a, const Sample& b) {
  constexpr double kSpread = 1.06;  // the interval spans less than this factor
  if (std::ssize(a) < kEnoughRounds) return false;
  const PairedRatio found = paired_ratio(a, b, kFigureConfidence);
  return found.lo > 0 && found.hi <= kSpread * found.lo;
}

bool is_surely_faster(const Sample& a, const Sample& b, double matters) {
  const std::size_t rounds = std::min(a.size(), b.size());
  if (rounds >= static_cast<std::size_t>(kEnoughRounds)) {
    const PairedRatio found = paired_ratio({a.end() - static_cast<std::ptrdiff_t>(rounds), a.end()},
                                           {b.end() - static_cast<std::ptrdiff_t>(rounds), b.end()}, kSure);
    return found.hi < 1 && found.ratio <= 1 / (1 + matters);
  }
  if (rounds == 0) return false;
  // A hiccup among the times of the faster one hides a difference; that all times of the other one are hiccups is rare.
  constexpr double kDespiteHiccups = 1.5;
  constexpr std::size_t kLeastWithHiccup = 3;
  if (rounds >= kLeastWithHiccup && median(a) * std::max(1 + matters, kDespiteHiccups) < minimum(b)) return true;
  return *std::max_element(a.begin(), a.end()) * std::max(1 + matters, factor_of_few(rounds)) < minimum(b);
}

double growth_between(std::int64_t from_n, double from_time, std::int64_t to_n, double to_time) {
  constexpr double kLeastGrowth = 0.5;
  const double doublings = std::log2(static_cast<double>(to_n) / static_cast<double>(from_n));
  return std::max(kLeastGrowth, std::log2(to_time / from_time) / doublings);
}

bool is_surely_not_faster(const Sample& a, const Sample& b, double matters) {
  if (a.size() != b.size() || std::ssize(a) < kEnoughRounds) return false;
  return paired_ratio(a, b, kSure).lo > 1 / (1 + matters);
}

}  // namespace pbtune
