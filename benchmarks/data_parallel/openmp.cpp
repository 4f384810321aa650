// SPDX-License-Identifier: MIT
// Data-parallel programs of tests/conformance, written by hand with OpenMP. --program NAME chooses one. The loops are
// those a careful C++ programmer writes: restrict pointers, the inner loop along a row, nothing tested inside that can
// be tested outside.
#include <omp.h>

#include <cmath>

#include "benchmarks/harness/baseline.h"

namespace {

/// A matrix, x fastest; sizes as in the language.
struct Matrix {
  baseline::Array<double> array;
  std::vector<int> sizes;
  explicit Matrix(baseline::Array<double> cells)
      : array(std::move(cells)), sizes(array.shape.rbegin(), array.shape.rend()) {}
  [[nodiscard]] double* data() const { return array.data(); }
  [[nodiscard]] double* row(int y, int z = 0) const {
    return data() + (static_cast<std::ptrdiff_t>(z) * (sizes.size() > 2 ? sizes[1] : 0) + y) * sizes[0];
  }
};
using Matrices = std::vector<Matrix>;

void heat_1d(const Matrix& u, const Matrix& v) {
  const int n = u.sizes[0];
  const double* __restrict a = u.data();
  double* __restrict b = v.data();
  b[0] = a[0], b[n - 1] = a[n - 1];
#pragma omp parallel for schedule(static)
  for (int i = 1; i < n - 1; ++i) b[i] = a[i] + 0.2 * (a[i - 1] - 2 * a[i] + a[i + 1]);
}

void heat_2d(const Matrix& u, const Matrix& v) {
  const int w = v.sizes[0], h = v.sizes[1];
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; ++y) {
    const double *up = u.row(y) + 1, *here = u.row(y + 1) + 1, *down = u.row(y + 2) + 1;
    double* __restrict b = v.row(y);
    for (int x = 0; x < w; ++x) b[x] = here[x] + 0.1 * (up[x] + down[x] + here[x + 1] + here[x - 1] - 4 * here[x]);
  }
}

void heat_3d(const Matrix& u, const Matrix& v) {
  const int w = u.sizes[0], h = u.sizes[1], d = u.sizes[2];
#pragma omp parallel for schedule(static) collapse(2)
  for (int z = 0; z < d; ++z)
    for (int y = 0; y < h; ++y) {
      const double* here = u.row(y, z);
      double* __restrict to = v.row(y, z);
      if (z == 0 || y == 0 || z == d - 1 || y == h - 1) {
        std::copy_n(here, w, to);
        continue;
      }
      const double *up = u.row(y - 1, z), *down = u.row(y + 1, z), *front = u.row(y, z - 1), *back = u.row(y, z + 1);
      to[0] = here[0], to[w - 1] = here[w - 1];
      for (int x = 1; x < w - 1; ++x)
        to[x] = here[x] + 0.05 * (here[x - 1] + here[x + 1] + up[x] + down[x] + front[x] + back[x] - 6 * here[x]);
    }
}

void gray_scott(const Matrix& u, const Matrix& v, const Matrix& nu, const Matrix& nv) {
  const int w = u.sizes[0], h = u.sizes[1];
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; ++y) {
    const double *a = u.row(y), *b = v.row(y);
    double* __restrict p = nu.row(y), * __restrict q = nv.row(y);
    if (y == 0 || y == h - 1) {
      std::copy_n(a, w, p);
      std::copy_n(b, w, q);
      continue;
    }
    const double *au = u.row(y - 1), *ad = u.row(y + 1), *bu = v.row(y - 1), *bd = v.row(y + 1);
    p[0] = a[0], p[w - 1] = a[w - 1], q[0] = b[0], q[w - 1] = b[w - 1];
#pragma omp simd
    for (int x = 1; x < w - 1; ++x) {
      const double r = a[x] * b[x] * b[x];
      p[x] = a[x] + 0.16 * (a[x - 1] + a[x + 1] + au[x] + ad[x] - 4 * a[x]) - r + 0.035 * (1 - a[x]);
      q[x] = b[x] + 0.08 * (b[x - 1] + b[x + 1] + bu[x] + bd[x] - 4 * b[x]) + r - 0.1 * b[x];
    }
  }
}

void life(const Matrix& board, const Matrix& next) {
  const int w = board.sizes[0], h = board.sizes[1];
  const auto around = [&](int x, int y) {
    int count = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        if (i != 0 || j != 0) count += static_cast<int>(board.row((y + j + h) % h)[(x + i + w) % w]);
    next.row(y)[x] = count == 3 || (count == 2 && board.row(y)[x] != 0) ? 1 : 0;
  };
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; ++y) {
    if (y == 0 || y == h - 1) {
      for (int x = 0; x < w; ++x) around(x, y);
      continue;
    }
    const double *up = board.row(y - 1), *here = board.row(y), *down = board.row(y + 1);
    double* __restrict to = next.row(y);
    around(0, y), around(w - 1, y);
    for (int x = 1; x < w - 1; ++x) {
      const double count =
          up[x - 1] + up[x] + up[x + 1] + here[x - 1] + here[x + 1] + down[x - 1] + down[x] + down[x + 1];
      to[x] = count == 3 ? 1 : count == 2 ? here[x] : 0;
    }
  }
}

void mandelbrot(double x0, double y0, double step, const Matrix& count) {
  const int w = count.sizes[0], h = count.sizes[1];
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < h; ++y) {
    double* __restrict to = count.row(y);
    const double ci = y0 + y * step;
    for (int x = 0; x < w; ++x) {
      const double cr = x0 + x * step;
      double zr = 0, zi = 0;
      int k = 0;
      while (k < 50 && zr * zr + zi * zi <= 4) {
        const double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        ++k;
      }
      to[x] = k;
    }
  }
}

void forces(const Matrix& positions, const Matrix& mass, const Matrix& force) {
  const int n = mass.sizes[0];
  const double *p = positions.data(), *m = mass.data();
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) {
    const double x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2];
    double fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = p[3 * j] - x, dy = p[3 * j + 1] - y, dz = p[3 * j + 2] - z;
      const double r2 = dx * dx + dy * dy + dz * dz + 0.01;
      const double w = m[j] / (r2 * std::sqrt(r2));
      fx += w * dx, fy += w * dy, fz += w * dz;
    }
    double* to = force.row(i);
    to[0] = fx, to[1] = fy, to[2] = fz;
  }
}

void regression(const Matrix& x, const Matrix& y, const Matrix& at, double width, const Matrix& fit,
                const Matrix& weight) {
  const int n = x.sizes[0], m = at.sizes[0];
  const double *a = x.data(), *b = y.data(), *c = at.data();
  double *to = fit.data(), *by = weight.data();
#pragma omp parallel for schedule(static)
  for (int j = 0; j < m; ++j) {
    double sum = 0, total = 0;
    for (int i = 0; i < n; ++i) {
      const double u = (c[j] - a[i]) / width;
      const double k = std::fabs(u) < 1 ? 0.75 * (1 - u * u) : 0;
      sum += k * b[i];
      total += k;
    }
    by[j] = total;
    to[j] = total > 0 ? sum / total : 0;
  }
}

void sparse(const Matrix& first, const Matrix& column, const Matrix& value, const Matrix& x, const Matrix& y) {
  const int rows = y.sizes[0];
  const double *f = first.data(), *c = column.data(), *v = value.data(), *in = x.data();
  double* __restrict to = y.data();
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    const int last = static_cast<int>(f[r + 1]);
    for (int e = static_cast<int>(f[r]); e < last; ++e) sum += v[e] * in[static_cast<int>(c[e])];
    to[r] = sum;
  }
}

void correlate(const Matrix& in, const Matrix& kernel, const Matrix& out) {
  const int w = out.sizes[0], h = out.sizes[1];
  const double* k = kernel.data();
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; ++y) {
    const double *a = in.row(y), *b = in.row(y + 1), *c = in.row(y + 2);
    double* __restrict to = out.row(y);
    for (int x = 0; x < w; ++x) {
      double sum = 0;
      for (int i = 0; i < 5; ++i) sum += a[x + i] * k[i];
      for (int i = 0; i < 5; ++i) sum += b[x + i] * k[5 + i];
      for (int i = 0; i < 5; ++i) sum += c[x + i] * k[10 + i];
      to[x] = sum;
    }
  }
}

void transpose(const Matrix& in, const Matrix& out) {
  const int w = out.sizes[0], h = out.sizes[1];
  // Strips of four cache lines: each line of the input is used as a whole while it is in the cache. The lines of the
  // next rows are prefetched, because a processor's own prefetcher does not guess them.
  constexpr int kStrip = 32, kRows = 256, kLine = 8;
#pragma omp parallel for schedule(static) collapse(2)
  for (int yy = 0; yy < h; yy += kRows)
    for (int xx = 0; xx < w; xx += kStrip) {
      const int x_end = std::min(xx + kStrip, w), y_end = std::min(yy + kRows, h);
      for (int y = yy; y < y_end; ++y) {
        double* __restrict to = out.row(y);
        if (y + kLine < h)
          for (int x = xx; x < x_end; x += kLine) __builtin_prefetch(out.row(y + kLine) + x, 1);
        if (y % kLine == 0 && y + 2 * kLine < h)
          for (int x = xx; x < x_end; ++x) __builtin_prefetch(in.row(x) + y + 2 * kLine);
        for (int x = xx; x < x_end; ++x) to[x] = in.row(x)[y];
      }
    }
}

/// What a program is: the sizes of its outputs, and the loops.
struct Kernel {
  std::vector<std::vector<int>> outputs;
  void (*run)(const Matrices& in, const Matrices& out);
};

Kernel kernel(const std::string& name, const Matrices& in) {
  const std::vector<int>& first = in[0].sizes;
  if (name == "heat_1d") return {{first}, [](auto& i, auto& o) { heat_1d(i[0], o[0]); }};
  if (name == "heat_2d") return {{{first[0] - 2, first[1] - 2}}, [](auto& i, auto& o) { heat_2d(i[0], o[0]); }};
  if (name == "heat_3d") return {{first}, [](auto& i, auto& o) { heat_3d(i[0], o[0]); }};
  if (name == "gray_scott") return {{first, first}, [](auto& i, auto& o) { gray_scott(i[0], i[1], o[0], o[1]); }};
  if (name == "life") return {{first}, [](auto& i, auto& o) { life(i[0], o[0]); }};
  if (name == "mandelbrot")
    return {{in[3].sizes}, [](auto& i, auto& o) { mandelbrot(*i[0].data(), *i[1].data(), *i[2].data(), o[0]); }};
  if (name == "nbody") return {{first}, [](auto& i, auto& o) { forces(i[0], i[1], o[0]); }};
  if (name == "kernel_regression")
    return {{in[2].sizes, in[2].sizes},
            [](auto& i, auto& o) { regression(i[0], i[1], i[2], *i[3].data(), o[0], o[1]); }};
  if (name == "sparse_matvec")
    return {{{first[0] - 1}}, [](auto& i, auto& o) { sparse(i[0], i[1], i[2], i[3], o[0]); }};
  if (name == "convolution_2d")
    return {{{first[0] - 4, first[1] - 2}}, [](auto& i, auto& o) { correlate(i[0], i[1], o[0]); }};
  if (name == "transposes") return {{{first[1], first[0]}}, [](auto& i, auto& o) { transpose(i[0], o[0]); }};
  baseline::fail("there is no program " + name);
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  omp_set_num_threads(run.threads());
  Matrices in, out;
  for (std::size_t i = 0; i < run.num_inputs(); ++i) in.emplace_back(run.input<double>(i));
  const Kernel chosen = kernel(run.text("program", ""), in);
  for (const auto& sizes : chosen.outputs)
    out.emplace_back(baseline::Array<double>(std::vector<std::size_t>(sizes.rbegin(), sizes.rend())));
  run.measure([&] { chosen.run(in, out); },
              [&] {
                for (std::size_t i = 0; i < out.size(); ++i) run.write(i, out[i].array);
              });
}
