// SPDX-License-Identifier: MIT
// Tridiagonal systems by the Thomas algorithm (Conte and de Boor, Elementary Numerical Analysis, 4.3), without
// pivoting. Threads share the systems; each system is solved in sequence.
#include <omp.h>

#include "benchmarks/harness/baseline.h"

namespace {

/// Solves one system. `ratios` is scratch for n numbers.
void thomas(std::size_t n, const double* a, const double* b, const double* c, const double* d, double* x,
            double* ratios) {
  double ratio = 0, value = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double inverse = 1 / (b[i] - a[i] * ratio);
    ratios[i] = ratio = c[i] * inverse;
    x[i] = value = (d[i] - a[i] * value) * inverse;
  }
  for (std::size_t i = n; i-- > 1;) x[i - 1] -= ratios[i - 1] * x[i];
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1), c = run.input<double>(2), d = run.input<double>(3);
  const std::size_t systems = d.shape.at(0), n = d.shape.at(1);
  const baseline::Array<double> x(d.shape), ratios({static_cast<std::size_t>(run.threads()), n});
  omp_set_num_threads(run.threads());
  run.measure(
      [&] {
#pragma omp parallel for schedule(static)
        for (std::size_t s = 0; s < systems; ++s) {
          const std::size_t at = s * n;
          thomas(n, a.data() + at, b.data() + at, c.data() + at, d.data() + at, x.data() + at,
                 ratios.data() + static_cast<std::size_t>(omp_get_thread_num()) * n);
        }
      },
      [&] { run.write(0, x); });
}
