// SPDX-License-Identifier: MIT
// The accumulator of sums to which measured outputs are held: about twice as precise as `double`, and with what bounds
// the rounding of the sum in any order. Generated code puts it in place of accumulators of `float` and `double`
// (choicegraph/plan/checked_sums.h). It offers only what these do.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

namespace pbrt {

/// A sum, and what bounds the error of adding it up in any order.
struct SumOfTerms {
  double value = 0;
  double magnitude = 0;        ///< the sum of the terms' magnitudes
  std::int64_t num_terms = 0;  ///< no chain of additions is longer
};

template <class T>
concept TermNumber = std::integral<T> || std::floating_point<T>;

/// A sum as the unevaluated sum of two doubles.
class WideSum {
 public:
  template <TermNumber T>
  WideSum(T first) {  // NOLINT(google-explicit-constructor): accumulators are declared as `T s = 0`
    *this += first;
  }

  template <TermNumber T>
  WideSum& operator+=(T term) {
    add(static_cast<double>(term));
    magnitude_ += std::fabs(static_cast<double>(term));
    ++num_terms_;
    return *this;
  }
  template <TermNumber T>
  WideSum& operator-=(T term) {
    return *this += -static_cast<double>(term);
  }
  template <TermNumber T>
  WideSum& operator*=(T factor) {
    return *this = *this * factor;
  }
  template <TermNumber T>
  WideSum& operator/=(T divisor) {
    return *this = *this / divisor;
  }

  friend WideSum operator+(WideSum a, const WideSum& b) {
    a.add(b.high_);
    a.low_ += b.low_;
    a.magnitude_ += b.magnitude_;
    a.num_terms_ += b.num_terms_;
    return a;
  }
  friend WideSum operator-(WideSum a) {
    return a.scaled([](double x) { return -x; });
  }
  friend WideSum operator-(const WideSum& a, const WideSum& b) { return a + -b; }
  template <TermNumber T>
  friend WideSum operator*(WideSum a, T factor) {
    return a.scaled([&](double x) { return x * static_cast<double>(factor); });
  }
  template <TermNumber T>
  friend WideSum operator*(T factor, const WideSum& a) {
    return a * factor;
  }
  template <TermNumber T>
  friend WideSum operator/(WideSum a, T divisor) {
    return a.scaled([&](double x) { return x / static_cast<double>(divisor); });
  }

  [[nodiscard]] SumOfTerms terms() const { return {high_ + low_, magnitude_, num_terms_}; }

 private:
  /// Adds `x` and keeps what is rounded off (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B).
  void add(double x) {
    const double sum = high_ + x;
    const double of_x = sum - high_;
    low_ += (high_ - (sum - of_x)) + (x - of_x);
    high_ = sum;
  }

  template <class Scale>
  WideSum scaled(const Scale& scale) const {
    WideSum out = *this;
    out.high_ = scale(high_);
    out.low_ = scale(low_);
    out.magnitude_ = std::fabs(scale(magnitude_));
    return out;
  }

  double high_ = 0, low_ = 0;
  double magnitude_ = 0;
  std::int64_t num_terms_ = 0;
};

}  // namespace pbrt
