// SPDX-License-Identifier: MIT
// Prefix sums with OpenMP: each thread sums its share up, then makes its prefix sums, beginning with what the threads
// before it found (G. Blelloch, Prefix Sums and Their Applications, 1990). With --way library it is
// std::inclusive_scan on one thread.
#include <omp.h>

#include <numeric>

#include "benchmarks/harness/baseline.h"

namespace {

void by_shares(const double* a, double* s, std::ptrdiff_t count, int threads) {
  std::vector<double> before(static_cast<std::size_t>(threads) + 1);
#pragma omp parallel num_threads(threads)
  {
    const std::ptrdiff_t number = omp_get_thread_num(), all = omp_get_num_threads();
    const std::ptrdiff_t first = count * number / all, end = count * (number + 1) / all;
    double total = 0;
    // The order of the additions is open, so they go into vectors.
#pragma omp simd reduction(+ : total)
    for (std::ptrdiff_t i = first; i < end; ++i) total += a[i];
    before[static_cast<std::size_t>(number) + 1] = total;
#pragma omp barrier
#pragma omp single
    std::partial_sum(before.begin(), before.end(), before.begin());
    double sum = before[static_cast<std::size_t>(number)];
    for (std::ptrdiff_t i = first; i < end; ++i) s[i] = sum += a[i];
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0);
  const baseline::Array<double> s(a.shape);
  const bool is_library = run.text("way", "") == "library";
  run.measure(
      [&] {
        if (is_library)
          std::inclusive_scan(a.data(), a.data() + a.size(), s.data());
        else
          by_shares(a.data(), s.data(), static_cast<std::ptrdiff_t>(a.size()), run.threads());
      },
      [&] { run.write(0, s); });
}
