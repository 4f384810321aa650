// SPDX-License-Identifier: MIT
// Red-black over-relaxation by hand for bench.py: the half sweeps of sor.pbcc over rows with OpenMP, and the bandwidth
// of a triad with as many threads.
#include <omp.h>

#include <cmath>

#include "../timing.h"

namespace {

constexpr double kOmega = 1.9;

struct Plane {
  baseline::Buffer<double> memory;
  int stride;
  Plane(int w, int h) : memory(static_cast<std::size_t>(w) * h), stride(w) {}
  [[nodiscard]] double* row(int y) const { return memory.data() + static_cast<std::ptrdiff_t>(y) * stride; }
};

void half_sweep(const Plane& mine, const Plane& other, const Plane& f, int w, int h, int colour) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; ++y) {
    double* __restrict m = mine.row(y + 1) + 1;
    const double *up = other.row(y) + 1, *here = other.row(y + 1) + 1, *down = other.row(y + 2) + 1, *g = f.row(y);
    const double* beside = here + ((y + colour) % 2 == 0 ? -1 : 1);
    for (int i = 0; i < w; ++i) m[i] += kOmega * (0.25 * (up[i] + here[i] + beside[i] + down[i] + g[i]) - m[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const baseline::Options options(argc, argv);
  const int n = options.number("n", 2048), iterations = options.number("iterations", 100),
            trials = options.number("trials", 3);
  const int w = n / 2, h = n;
  omp_set_num_threads(options.number("threads", 2));
  const Plane red(w + 2, h + 2), black(w + 2, h + 2), fred(w, h), fblack(w, h);
  std::vector<double> f(static_cast<std::size_t>(n) * n), u(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = static_cast<double>(i * 7919 % 1000) / 1000;

  baseline::Report report;
  report.add("sweeps_ns", baseline::median_ns(
                              trials, [] {},
                              [&] {
  // The two colours are taken from planes and put back, as in the program.
#pragma omp parallel for schedule(static)
                                for (int y = 0; y < h + 2; ++y) {
                                  std::fill_n(red.row(y), w + 2, 0.0);
                                  std::fill_n(black.row(y), w + 2, 0.0);
                                  if (y >= h) continue;
                                  for (int i = 0; i < w; ++i) {
                                    fred.row(y)[i] = f[static_cast<std::size_t>(y) * n + 2 * i + y % 2];
                                    fblack.row(y)[i] = f[static_cast<std::size_t>(y) * n + 2 * i + 1 - y % 2];
                                  }
                                }
                                for (int k = 0; k < iterations; ++k) {
                                  half_sweep(red, black, fred, w, h, 0);
                                  half_sweep(black, red, fblack, w, h, 1);
                                }
#pragma omp parallel for schedule(static)
                                for (int y = 0; y < h; ++y)
                                  for (int i = 0; i < w; ++i) {
                                    u[static_cast<std::size_t>(y) * n + 2 * i + y % 2] = red.row(y + 1)[i + 1];
                                    u[static_cast<std::size_t>(y) * n + 2 * i + 1 - y % 2] = black.row(y + 1)[i + 1];
                                  }
                              }));
  double sum = 0;
  for (const double v : u) sum += v;
  report.add("mean", sum / static_cast<double>(u.size()));
  report.add("triad_bytes_per_ns", baseline::triad_rate(options.number("triad", 1 << 24)));
  report.print();
}
