// SPDX-License-Identifier: MIT
// A histogram of bytes with OpenMP: each thread counts its share in four tables in turn, since neighbours are often
// equal and would wait for one another in one table.
#include "benchmarks/harness/baseline.h"

namespace {

void count_bytes(const std::uint8_t* a, std::ptrdiff_t n, std::int32_t* count, int threads) {
  std::fill_n(count, 256, 0);
#pragma omp parallel num_threads(threads)
  {
    std::int32_t tables[4][256] = {};
#pragma omp for schedule(static) nowait
    for (std::ptrdiff_t i = 0; i < n / 4; ++i)
      for (int k = 0; k < 4; ++k) ++tables[k][a[4 * i + k]];
#pragma omp critical
    for (int v = 0; v < 256; ++v) count[v] += tables[0][v] + tables[1][v] + tables[2][v] + tables[3][v];
  }
  for (std::ptrdiff_t i = n / 4 * 4; i < n; ++i) ++count[a[i]];
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<std::uint8_t>(0);
  const baseline::Array<std::int32_t> count({256});
  run.measure([&] { count_bytes(a.data(), static_cast<std::ptrdiff_t>(a.size()), count.data(), run.threads()); },
              [&] { run.write(0, count); });
}
