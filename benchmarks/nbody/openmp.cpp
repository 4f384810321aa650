// SPDX-License-Identifier: MIT
// Accelerations of bodies with OpenMP: a loop over the others for each body, one other after the other, or with --way
// simd several side by side in a vector, whose sums are added at the end.
#include <cmath>

#include "benchmarks/harness/baseline.h"

namespace {

constexpr double kSoftening = 1e-3;

struct Bodies {
  int count;
  const double *mass, *x, *y, *z;
  double *ax, *ay, *az;
};

void one_by_one(const Bodies& b, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < b.count; ++i) {
    double ax = 0, ay = 0, az = 0;
    for (int j = 0; j < b.count; ++j) {
      const double dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
      const double square = dx * dx + dy * dy + dz * dz + kSoftening;
      const double factor = b.mass[j] / (square * std::sqrt(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    b.ax[i] = ax;
    b.ay[i] = ay;
    b.az[i] = az;
  }
}

void side_by_side(const Bodies& b, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < b.count; ++i) {
    const double x = b.x[i], y = b.y[i], z = b.z[i];
    double ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
    for (int j = 0; j < b.count; ++j) {
      const double dx = b.x[j] - x, dy = b.y[j] - y, dz = b.z[j] - z;
      const double square = dx * dx + dy * dy + dz * dz + kSoftening;
      const double factor = b.mass[j] / (square * std::sqrt(square));
      ax += factor * dx;
      ay += factor * dy;
      az += factor * dz;
    }
    b.ax[i] = ax;
    b.ay[i] = ay;
    b.az[i] = az;
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto mass = run.input<double>(0), x = run.input<double>(1), y = run.input<double>(2), z = run.input<double>(3);
  const baseline::Array<double> ax(x.shape), ay(x.shape), az(x.shape);
  const Bodies bodies{
      static_cast<int>(x.size()), mass.data(), x.data(), y.data(), z.data(), ax.data(), ay.data(), az.data()};
  const bool is_simd = run.text("way", "") == "simd";
  run.measure([&] { (is_simd ? side_by_side : one_by_one)(bodies, run.threads()); },
              [&] {
                run.write(0, ax);
                run.write(1, ay);
                run.write(2, az);
              });
}
