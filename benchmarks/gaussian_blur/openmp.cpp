// SPDX-License-Identifier: MIT
// Gaussian blur with OpenMP: sums over rows, then over columns, which go along rows of the picture in between, so that
// neighbours go into vectors; or with --way square each cell at once. The picture is widened at its edges first.
#include "benchmarks/harness/baseline.h"

namespace {

struct Blur {
  std::ptrdiff_t width, height, radius;
  const double *picture, *weights;
  double *wide, *rows, *blurred;  // `wide` has `radius` more cells at each edge, `rows` above and below

  [[nodiscard]] std::ptrdiff_t wide_width() const { return width + 2 * radius; }
};

/// Copies row y of the picture, whose edges go on, to row y + radius of `wide`.
void widen(const Blur& b, std::ptrdiff_t y) {
  const double* from = b.picture + std::clamp<std::ptrdiff_t>(y, 0, b.height - 1) * b.width;
  double* to = b.wide + (y + b.radius) * b.wide_width();
  std::fill_n(to, b.radius, from[0]);
  std::copy_n(from, b.width, to + b.radius);
  std::fill_n(to + b.radius + b.width, b.radius, from[b.width - 1]);
}

void separately(const Blur& b, int threads) {
  const std::ptrdiff_t taps = 2 * b.radius + 1;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = -b.radius; y < b.height + b.radius; ++y) {
      widen(b, y);
      const double* from = b.wide + (y + b.radius) * b.wide_width();
      double* __restrict to = b.rows + (y + b.radius) * b.width;
      for (std::ptrdiff_t x = 0; x < b.width; ++x) to[x] = b.weights[0] * from[x];
      for (std::ptrdiff_t i = 1; i < taps; ++i)
        for (std::ptrdiff_t x = 0; x < b.width; ++x) to[x] += b.weights[i] * from[x + i];
    }
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = 0; y < b.height; ++y) {
      double* __restrict to = b.blurred + y * b.width;
      const double* from = b.rows + y * b.width;
      for (std::ptrdiff_t x = 0; x < b.width; ++x) to[x] = b.weights[0] * from[x];
      for (std::ptrdiff_t j = 1; j < taps; ++j)
        for (std::ptrdiff_t x = 0; x < b.width; ++x) to[x] += b.weights[j] * from[x + j * b.width];
    }
  }
}

void at_once(const Blur& b, int threads) {
  const std::ptrdiff_t taps = 2 * b.radius + 1;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = -b.radius; y < b.height + b.radius; ++y) widen(b, y);
#pragma omp for schedule(static)
    for (std::ptrdiff_t y = 0; y < b.height; ++y) {
      double* __restrict to = b.blurred + y * b.width;
      std::fill_n(to, b.width, 0.0);
      for (std::ptrdiff_t j = 0; j < taps; ++j)
        for (std::ptrdiff_t i = 0; i < taps; ++i) {
          const double weight = b.weights[j] * b.weights[i];
          const double* from = b.wide + (y + j) * b.wide_width() + i;
          for (std::ptrdiff_t x = 0; x < b.width; ++x) to[x] += weight * from[x];
        }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto picture = run.input<double>(0), weights = run.input<double>(1);
  const std::size_t height = picture.shape[0], width = picture.shape[1], radius = weights.size() / 2;
  const baseline::Array<double> blurred(picture.shape), rows({height + 2 * radius, width});
  const baseline::Array<double> wide({height + 2 * radius, width + 2 * radius});
  const Blur blur{static_cast<std::ptrdiff_t>(width),
                  static_cast<std::ptrdiff_t>(height),
                  static_cast<std::ptrdiff_t>(radius),
                  picture.data(),
                  weights.data(),
                  wide.data(),
                  rows.data(),
                  blurred.data()};
  const bool is_square = run.text("way", "") == "square";
  run.measure([&] { (is_square ? at_once : separately)(blur, run.threads()); }, [&] { run.write(0, blurred); });
}
