// SPDX-License-Identifier: MIT
// Routines of BLAS with OpenMP, one loop each: --routine dot, asum, copy, scal or gemv. The order of the additions of a
// sum is open, so they go into vectors.
#include <cmath>

#include "benchmarks/harness/baseline.h"

namespace {

double dot(const double* x, const double* y, std::ptrdiff_t n, int threads) {
  double sum = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

double asum(const double* x, std::ptrdiff_t n, int threads) {
  double sum = 0;
#pragma omp parallel for simd num_threads(threads) schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i) sum += std::fabs(x[i]);
  return sum;
}

void copy(const double* x, double* y, std::ptrdiff_t n, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = x[i];
}

void scal(const double* x, double alpha, double* y, std::ptrdiff_t n, int threads) {
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = alpha * x[i];
}

void gemv(const double* a, const double* x, double* y, std::ptrdiff_t m, std::ptrdiff_t n, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::ptrdiff_t r = 0; r < m; ++r) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::ptrdiff_t i = 0; i < n; ++i) sum += a[r * n + i] * x[i];
    y[r] = sum;
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const std::string routine = run.text("routine", "dot");
  const auto first = run.input<double>(0);
  const auto n = static_cast<std::ptrdiff_t>(first.shape.back());
  const bool is_vector = routine == "copy" || routine == "scal";
  const bool has_second = routine != "asum" && routine != "copy";
  const auto second = has_second ? run.input<double>(1) : baseline::Array<double>({});
  const baseline::Array<double> result(routine == "gemv" ? std::vector{first.shape[0]}
                                       : is_vector       ? first.shape
                                                         : std::vector<std::size_t>());
  run.measure(
      [&] {
        if (routine == "dot") result[0] = dot(first.data(), second.data(), n, run.threads());
        if (routine == "asum") result[0] = asum(first.data(), n, run.threads());
        if (routine == "copy") copy(first.data(), result.data(), n, run.threads());
        if (routine == "scal") scal(first.data(), second[0], result.data(), n, run.threads());
        if (routine == "gemv")
          gemv(first.data(), second.data(), result.data(), static_cast<std::ptrdiff_t>(first.shape[0]), n,
               run.threads());
      },
      [&] { run.write(0, result); });
}
