// SPDX-License-Identifier: MIT
// What the CPUs can do at most, with as many threads as asked: main memory and arithmetic. Prints bytes and
// floating-point operations per ns as one JSON object.
//
// A triad counts the line that a store first reads, which STREAM does not: its figure would be a quarter smaller. Copy
// and triad store past no cache, as plain loops do.
#include <omp.h>

#include <cmath>

#include "benchmarks/harness/baseline.h"

namespace {

using baseline::Buffer;

template <class F>
double best_ns(int trials, F f) {
  double best = HUGE_VAL;
  for (int t = 0; t <= trials; ++t) {
    const auto start = baseline::Clock::now();
    f();
    const double ns = std::chrono::duration<double, std::nano>(baseline::Clock::now() - start).count();
    if (t > 0) best = std::min(best, ns);
  }
  return best;
}

#ifdef __AVX512F__
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
typedef double Lanes __attribute__((vector_size(8 * kLanes), aligned(8)));

double sum_of(const Lanes& lanes) {
  double sum = 0;
  for (int i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

/// Fused multiply-adds on independent packs, which stay in the registers of each thread.
double fma_rate(int threads, int trials, double& sink) {
  constexpr int kPacks = 10;
  constexpr long kRounds = 2000000;
  const double ns = best_ns(trials, [&] {
    double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    {
      Lanes packs[kPacks];
      for (int p = 0; p < kPacks; ++p) packs[p] = Lanes{} + (1.0 + p);
      Lanes factor = Lanes{} + 0.999999, summand = Lanes{} + 1e-9;
      asm volatile("" : "+m"(factor), "+m"(summand));  // compilers must not compute the result beforehand
      for (long i = 0; i < kRounds; ++i) {
#pragma GCC unroll 16
        for (int p = 0; p < kPacks; ++p) packs[p] = packs[p] * factor + summand;
      }
      for (int p = 0; p < kPacks; ++p) total += sum_of(packs[p]);
    }
    sink += total;
  });
  return 2.0 * kLanes * kPacks * kRounds * threads / ns;
}

}  // namespace

int main(int argc, char** argv) {
  const baseline::Run run(argc, argv);
  const int threads = run.threads(), trials = run.number("trials", 3);
  const long count = run.number("elements", 1 << 24);
  omp_set_num_threads(threads);
  const Buffer<double> a(count), b(count), c(count);
  double* x = a.data();
  double* y = b.data();
  double* z = c.data();
#pragma omp parallel for schedule(static)
  for (long i = 0; i < count; ++i) x[i] = 0, y[i] = 1, z[i] = 2;
  double sink = 0;
  const double triad = best_ns(trials, [&] {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; ++i) x[i] = y[i] + 3 * z[i];
  });
  const double copy = best_ns(trials, [&] {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; ++i) x[i] = y[i];
  });
  const double read = best_ns(trials, [&] {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (long i = 0; i < count / 64; ++i) {
      Lanes lanes = {};
      for (long k = 64 * i; k < 64 * (i + 1); k += kLanes) lanes += *reinterpret_cast<const Lanes*>(y + k);
      sum += sum_of(lanes);
    }
    sink += sum;
  });
  const double bytes = 8.0 * count;
  const double flops = fma_rate(threads, trials, sink);
  if (std::isnan(sink)) return 1;  // compilers leave out sums that nobody reads
  std::printf("{\"cpu triad\": %.6g, \"cpu copy\": %.6g, \"cpu read\": %.6g, \"cpu fma\": %.6g}\n", 4 * bytes / triad,
              3 * bytes / copy, bytes / read, flops);
}
