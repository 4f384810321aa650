// SPDX-License-Identifier: MIT
// The Mandelbrot set with OpenMP: point by point, or with --lanes 8 eight points side by side in vectors, until all of
// them are done, as programs for ispc and by intrinsics do it.
#include "benchmarks/harness/baseline.h"

namespace {

struct Picture {
  double left, top, step;
  int limit, width, height;
  std::int32_t* count;
};

std::int32_t escape(double re, double im, int limit) {
  double zr = 0, zi = 0;
  int k = 0;
  for (; k < limit && zr * zr + zi * zi <= 4; ++k) {
    const double next = zr * zr - zi * zi + re;
    zi = 2 * zr * zi + im;
    zr = next;
  }
  return k;
}

void by_points(const Picture& p, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int y = 0; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x)
      p.count[static_cast<std::size_t>(y) * p.width + x] = escape(p.left + x * p.step, p.top + y * p.step, p.limit);
}

void by_lanes(const Picture& p, int threads) {
  constexpr int kLanes = 8;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int y = 0; y < p.height; ++y) {
    std::int32_t* row = p.count + static_cast<std::size_t>(y) * p.width;
    const double im = p.top + y * p.step;
    int x = 0;
    for (; x + kLanes <= p.width; x += kLanes) {
      double re[kLanes], zr[kLanes] = {}, zi[kLanes] = {};
      std::int64_t count[kLanes] = {};
      for (int l = 0; l < kLanes; ++l) re[l] = p.left + (x + l) * p.step;
      for (int k = 0; k < p.limit; ++k) {
        std::int64_t running = 0;
        for (int l = 0; l < kLanes; ++l) {
          const double r2 = zr[l] * zr[l], i2 = zi[l] * zi[l];
          const std::int64_t is_inside = r2 + i2 <= 4;
          // A point that has left keeps its value.
          zi[l] = is_inside ? 2 * zr[l] * zi[l] + im : zi[l];
          zr[l] = is_inside ? r2 - i2 + re[l] : zr[l];
          count[l] += is_inside;
          running += is_inside;
        }
        if (running == 0) break;
      }
      for (int l = 0; l < kLanes; ++l) row[x + l] = static_cast<std::int32_t>(count[l]);
    }
    for (; x < p.width; ++x) row[x] = escape(p.left + x * p.step, im, p.limit);
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto left = run.input<double>(0), top = run.input<double>(1), step = run.input<double>(2);
  const auto limit = run.input<std::int32_t>(3);
  const int width = run.number("w", 0), height = run.number("h", 0);
  const baseline::Array<std::int32_t> count({static_cast<std::size_t>(height), static_cast<std::size_t>(width)});
  const Picture picture{left[0], top[0], step[0], limit[0], width, height, count.data()};
  const bool has_lanes = run.number("lanes", 1) > 1;
  run.measure([&] { (has_lanes ? by_lanes : by_points)(picture, run.threads()); }, [&] { run.write(0, count); });
}
