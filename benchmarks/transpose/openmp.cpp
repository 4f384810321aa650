// SPDX-License-Identifier: MIT
// The transposed matrix with OpenMP: blocks of --block x --block cells, whose rows and columns both stay in the cache.
// One large block is the two loops that come to mind first.
#include "benchmarks/harness/baseline.h"

namespace {

/// A has `height` rows. Rows of the result are those columns.
void transpose(const double* a, double* b, std::ptrdiff_t width, std::ptrdiff_t height, std::ptrdiff_t block,
               int threads) {
  if (block >= width && block >= height) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::ptrdiff_t y = 0; y < width; ++y)
      for (std::ptrdiff_t x = 0; x < height; ++x) b[y * height + x] = a[x * width + y];
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static) collapse(2)
  for (std::ptrdiff_t y0 = 0; y0 < width; y0 += block)
    for (std::ptrdiff_t x0 = 0; x0 < height; x0 += block)
      for (std::ptrdiff_t y = y0; y < std::min(y0 + block, width); ++y)
        for (std::ptrdiff_t x = x0; x < std::min(x0 + block, height); ++x) b[y * height + x] = a[x * width + y];
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0);
  const baseline::Array<double> b({a.shape[1], a.shape[0]});
  run.measure(
      [&] {
        transpose(a.data(), b.data(), static_cast<std::ptrdiff_t>(a.shape[1]), static_cast<std::ptrdiff_t>(a.shape[0]),
                  run.number("block", 32), run.threads());
      },
      [&] { run.write(0, b); });
}
