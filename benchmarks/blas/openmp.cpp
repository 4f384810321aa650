// SPDX-License-Identifier: MIT
// Routines of BLAS with OpenMP, one loop each: --routine dot, asum, copy, scal or gemv. The order of the additions of a
// sum is open, so they go into vectors.
#include <cmath>

#include "benchmarks/blas/routine.h"

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
  const baseline::Routine blas(run);
  run.measure(
      [&] {
        if (blas.name == "dot") blas.result[0] = dot(blas.first.data(), blas.second.data(), blas.n, run.threads());
        if (blas.name == "asum") blas.result[0] = asum(blas.first.data(), blas.n, run.threads());
        if (blas.name == "copy") copy(blas.first.data(), blas.result.data(), blas.n, run.threads());
        if (blas.name == "scal") scal(blas.first.data(), blas.second[0], blas.result.data(), blas.n, run.threads());
        if (blas.name == "gemv")
          gemv(blas.first.data(), blas.second.data(), blas.result.data(), blas.m, blas.n, run.threads());
      },
      [&] { run.write(0, blas.result); });
}
