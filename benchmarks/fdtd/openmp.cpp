// SPDX-License-Identifier: MIT
// Electromagnetic waves in a plane with OpenMP (K. Yee, 1966): one loop for H and one for E in each step. All fields
// have a row and a column of zeros around what is computed.
#include "benchmarks/harness/baseline.h"

namespace {

constexpr double kCourant = 0.5;

/// Fields with `width` columns of which the first and the last one are zeros, and rows likewise.
struct Plane {
  std::ptrdiff_t width, height;
  double *e, *hx, *hy;
  const double* permittivity;
};

void advance(const Plane& p, int steps, int threads) {
  const std::ptrdiff_t w = p.width;
#pragma omp parallel num_threads(threads)
  for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = 1; y < p.height - 1; ++y)
#pragma omp simd
      for (std::ptrdiff_t i = y * w + 1; i < y * w + w - 1; ++i) {
        p.hx[i] -= kCourant * (p.e[i + w] - p.e[i]);
        p.hy[i] += kCourant * (p.e[i + 1] - p.e[i]);
      }
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = 1; y < p.height - 1; ++y)
#pragma omp simd
      for (std::ptrdiff_t i = y * w + 1; i < y * w + w - 1; ++i)
        p.e[i] += kCourant * (p.hy[i] - p.hy[i - 1] - p.hx[i] + p.hx[i - w]) / p.permittivity[i];
  }
}

/// Copies a matrix into the middle of one that has a row and a column more on each side.
void embed(const baseline::Array<double>& from, const baseline::Array<double>& to) {
  std::fill_n(to.data(), to.size(), 0.0);
  for (std::size_t y = 0; y < from.shape[0]; ++y)
    std::copy_n(from.data() + y * from.shape[1], from.shape[1], to.data() + (y + 1) * to.shape[1] + 1);
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto before = run.input<double>(0), permittivity = run.input<double>(1);
  const auto steps = run.input<std::int32_t>(2);
  const std::vector<std::size_t> wide{before.shape[0] + 2, before.shape[1] + 2};
  const baseline::Array<double> e(wide), hx(wide), hy(wide), around(wide), after(before.shape);
  embed(permittivity, around);
  const Plane plane{static_cast<std::ptrdiff_t>(wide[1]),
                    static_cast<std::ptrdiff_t>(wide[0]),
                    e.data(),
                    hx.data(),
                    hy.data(),
                    around.data()};
  run.measure(
      [&] {
        embed(before, e);
        std::fill_n(hx.data(), hx.size(), 0.0);
        std::fill_n(hy.data(), hy.size(), 0.0);
      },
      [&] { advance(plane, steps[0], run.threads()); },
      [&] {
        for (std::size_t y = 0; y < after.shape[0]; ++y)
          std::copy_n(e.data() + (y + 1) * wide[1] + 1, after.shape[1], after.data() + y * after.shape[1]);
        run.write(0, after);
      });
}
