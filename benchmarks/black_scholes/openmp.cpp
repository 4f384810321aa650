// SPDX-License-Identifier: MIT
// Prices of European options with OpenMP: one loop, whose instances the compiler may put into vectors. The formulas are
// those of F. Black and M. Scholes, The Pricing of Options and Corporate Liabilities, 1973; --normal says which normal
// distribution is taken: erfc of the C library, or polynomial 26.2.17 of Abramowitz and Stegun, as in NVIDIA's sample
// BlackScholes.
//
// With -ffast-math, GCC takes the vector functions of glibc (libmvec). Without it the functions run one option at a
// time.
#include <cmath>

#include "benchmarks/harness/baseline.h"

namespace {

struct Options {
  const double *spot, *strike, *years;
  double rate, volatility;
  double *call, *put;
  int count;
};

inline double by_erfc(double x) { return 0.5 * std::erfc(x * -0.70710678118654752440); }

inline double by_polynomial(double x) {
  const double t = 1 / (1 + 0.2316419 * std::fabs(x));
  const double sum = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double tail = 0.39894228040143267794 * std::exp(-0.5 * x * x) * sum;
  return x > 0 ? 1 - tail : tail;
}

template <double (*normal)(double)>
void solve(const Options& o, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (int i = 0; i < o.count; ++i) {
    const double s = o.spot[i], k = o.strike[i], t = o.years[i];
    const double deviation = o.volatility * std::sqrt(t);
    const double d1 = (std::log(s / k) + (o.rate + o.volatility * o.volatility / 2) * t) / deviation;
    const double n1 = normal(d1), n2 = normal(d1 - deviation), discounted = k * std::exp(-o.rate * t);
    o.call[i] = s * n1 - discounted * n2;
    o.put[i] = discounted * (1 - n2) - s * (1 - n1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto spot = run.input<double>(0), strike = run.input<double>(1), years = run.input<double>(2);
  const auto rate = run.input<double>(3), volatility = run.input<double>(4);
  const baseline::Array<double> call(spot.shape), put(spot.shape);
  const Options options{spot.data(),   strike.data(), years.data(), rate[0],
                        volatility[0], call.data(),   put.data(),   static_cast<int>(spot.size())};
  const bool is_exact = run.text("normal", "erfc") == "erfc";
  run.measure([&] { (is_exact ? solve<by_erfc> : solve<by_polynomial>)(options, run.threads()); },
              [&] {
                run.write(0, call);
                run.write(1, put);
              });
}
