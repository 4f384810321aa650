// SPDX-License-Identifier: MIT
// Red-black over-relaxation with OpenMP, each colour in a plane of its own (section 6 of P. Phothilimthana et al.,
// Portable Performance on Heterogeneous Architectures, 2013). Without --steps one half sweep follows the other. With
// --steps S, each thread takes S half sweeps over a band of rows while they are in its cache (wavefronts, as in
// C. Weiss et al., Memory Characteristics of Iterative Methods, 1999); bands become narrower with each half sweep, and
// the gaps between them are filled afterwards.
#include <omp.h>

#include "benchmarks/harness/baseline.h"

namespace {

constexpr double kOmega = 1.9;

/// Every second cell of the rows of a grid, with a frame of zeros.
struct Plane {
  baseline::Buffer<double> memory;
  std::ptrdiff_t stride;
  Plane(int width, int height)
      : memory((static_cast<std::size_t>(width) + 2) * (static_cast<std::size_t>(height) + 2)), stride(width + 2) {}
  /// Cell 0 of row y, which may be -1 or the height.
  [[nodiscard]] double* row(int y) const { return memory.data() + (y + 1) * stride + 1; }
};

class Solver {
 public:
  Solver(const double* f, double* u, int width, int height, int threads)
      : f_(f), u_(u), n_(width), m_(height), w_((width + 1) / 2), threads_(threads) {}

  void sweeps(int iterations) const {
    split();
    for (int t = 0; t < 2 * iterations; ++t)
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (int y = 0; y < m_; ++y) relax(y, t % 2);
    join();
  }

  void bands(int iterations, int steps) const {
    split();
    const int count = std::max(1, std::min(threads_, m_ / (2 * steps)));
    for (int done = 0; done < 2 * iterations; done += steps) {
      const int now = std::min(steps, 2 * iterations - done);
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (int c = 0; c < count; ++c)
        band(start(c, count), start(c + 1, count), c > 0 ? 1 : 0, c < count - 1 ? -1 : 0, now);
#pragma omp parallel for num_threads(threads_) schedule(static)
      for (int c = 1; c < count; ++c) band(start(c, count), start(c, count), -1, 1, now);
    }
    join();
  }

 private:
  [[nodiscard]] int start(int band, int count) const { return static_cast<int>(static_cast<long>(m_) * band / count); }

  /// One row of a half sweep. Cell i of a row is cell 2i + odd of the grid's row.
  void relax(int y, int colour) const {
    const Plane &own = colour == 0 ? red_ : black_, &other = colour == 0 ? black_ : red_;
    const int odd = (y + colour) % 2, cells = (n_ + 1 - odd) / 2;
    const double *up = other.row(y - 1), *here = other.row(y), *down = other.row(y + 1), *beside = here + 2 * odd - 1;
    const double* f = (colour == 0 ? f_red_ : f_black_).row(y);
    double* __restrict mine = own.row(y);
    for (int i = 0; i < cells; ++i)
      mine[i] += kOmega * (0.25 * (here[i] + beside[i] + up[i] + down[i] + f[i]) - mine[i]);
  }

  /// Half sweep t goes from row low + t low_slope to row high + t high_slope, and one row behind half sweep t - 1.
  void band(int low, int high, int low_slope, int high_slope, int steps) const {
    const int first = low + std::min(0, (low_slope + 1) * (steps - 1));
    const int last = high + std::max(0, (high_slope + 1) * (steps - 1));
    for (int front = first; front < last; ++front)
      for (int t = 0; t < steps; ++t) {
        const int y = front - t;
        if (y >= low + t * low_slope && y < high + t * high_slope) relax(y, t % 2);
      }
  }

  void split() const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int y = -1; y <= m_; ++y) {
      std::fill_n(red_.row(y) - 1, w_ + 2, 0.0);
      std::fill_n(black_.row(y) - 1, w_ + 2, 0.0);
      if (y < 0 || y == m_) continue;
      const double* f = f_ + static_cast<std::ptrdiff_t>(y) * n_;
      double* __restrict even = (y % 2 == 0 ? f_red_ : f_black_).row(y), * __restrict odd =
                                                                             (y % 2 == 0 ? f_black_ : f_red_).row(y);
      for (int i = 0; i < n_ / 2; ++i) even[i] = f[2 * i], odd[i] = f[2 * i + 1];
      if (n_ % 2 == 1) even[n_ / 2] = f[n_ - 1];
    }
  }

  void join() const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int y = 0; y < m_; ++y) {
      double* __restrict u = u_ + static_cast<std::ptrdiff_t>(y) * n_;
      const double *even = (y % 2 == 0 ? red_ : black_).row(y), *odd = (y % 2 == 0 ? black_ : red_).row(y);
      for (int i = 0; i < n_ / 2; ++i) u[2 * i] = even[i], u[2 * i + 1] = odd[i];
      if (n_ % 2 == 1) u[n_ - 1] = even[n_ / 2];
    }
  }

  const double* f_;
  double* u_;
  int n_, m_, w_, threads_;
  Plane red_{w_, m_}, black_{w_, m_}, f_red_{w_, m_}, f_black_{w_, m_};
};

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto f = run.input<double>(0);
  const baseline::Array<double> u(f.shape);
  const Solver solver(f.data(), u.data(), static_cast<int>(f.shape[1]), static_cast<int>(f.shape[0]), run.threads());
  const int iterations = run.number("iterations", 0), steps = run.number("steps", 0) / 2 * 2;
  run.measure([&] { steps > 0 ? solver.bands(iterations, steps) : solver.sweeps(iterations); },
              [&] { run.write(0, u); });
}
