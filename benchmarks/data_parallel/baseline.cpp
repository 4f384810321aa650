// SPDX-License-Identifier: MIT
// Data-parallel programs of tests/conformance, written by hand with OpenMP, for bench.py. --kernel NAME chooses one.
// The loops are those a careful C++ programmer writes: restrict pointers, the inner loop along a row, nothing tested
// inside that can be tested outside. Inputs are written as .npy files for the generated program (--inputs FOLDER).
#include <omp.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "../timing.h"

namespace {

/// A matrix, x fastest; sizes as in the language.
struct Matrix {
  std::vector<int> sizes;
  baseline::Buffer<double> memory;
  explicit Matrix(std::vector<int> s) : sizes(std::move(s)), memory(count_of(sizes)) {}
  static std::size_t count_of(const std::vector<int>& sizes) {
    std::size_t count = 1;
    for (const int size : sizes) count *= static_cast<std::size_t>(size);
    return count;
  }
  [[nodiscard]] double* data() const { return memory.data(); }
  [[nodiscard]] std::size_t count() const { return memory.size(); }
  [[nodiscard]] double* row(int y, int z = 0) const {
    return data() + (static_cast<std::ptrdiff_t>(z) * (sizes.size() > 2 ? sizes[1] : 0) + y) * sizes[0];
  }
};

struct Problem {
  std::vector<Matrix> in, out;
  std::function<void()> run;
};

std::mt19937_64 rng(1);

Matrix random_matrix(std::vector<int> sizes) {
  Matrix m(std::move(sizes));
  for (std::size_t i = 0; i < m.count(); ++i) m.data()[i] = std::uniform_real_distribution<double>(0, 1)(rng);
  return m;
}
Matrix number(double value) {
  Matrix m{{}};
  m.data()[0] = value;
  return m;
}

// ---- the programs --------------------------------------------------------------

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

// ---- their inputs ----------------------------------------------------------------

Problem make(const std::string& name, int n) {
  Problem p;
  const auto done = [&](auto f) {
    p.run = f;
    return std::move(p);
  };
  // References to the matrices stay valid when a Problem is moved, because their vectors' memory moves along.
  p.in.reserve(8), p.out.reserve(8);
  auto& in = p.in;
  auto& out = p.out;
  const auto same = [&](std::vector<int> sizes) { out.emplace_back(std::move(sizes)); };
  if (name == "heat_1d") {
    in.push_back(random_matrix({n * n})), same({n * n});
    return done([i = in.data(), o = out.data()] { heat_1d(i[0], o[0]); });
  }
  if (name == "heat_2d") {
    in.push_back(random_matrix({n + 2, n + 2})), same({n, n});
    return done([i = in.data(), o = out.data()] { heat_2d(i[0], o[0]); });
  }
  if (name == "heat_3d") {
    const int side = static_cast<int>(std::cbrt(double(n) * n));
    in.push_back(random_matrix({side, side, side})), same({side, side, side});
    return done([i = in.data(), o = out.data()] { heat_3d(i[0], o[0]); });
  }
  if (name == "gray_scott") {
    in.push_back(random_matrix({n, n})), in.push_back(random_matrix({n, n})), same({n, n}), same({n, n});
    return done([i = in.data(), o = out.data()] { gray_scott(i[0], i[1], o[0], o[1]); });
  }
  if (name == "life") {
    in.push_back(random_matrix({n, n})), same({n, n});
    for (std::size_t i = 0; i < in[0].count(); ++i) in[0].data()[i] = in[0].data()[i] < 0.3 ? 1 : 0;
    return done([i = in.data(), o = out.data()] { life(i[0], o[0]); });
  }
  if (name == "mandelbrot") {
    in.push_back(number(-2)), in.push_back(number(-1.5)), in.push_back(number(3.0 / n)),
        in.push_back(random_matrix({n, n})), same({n, n});
    return done([i = in.data(), o = out.data()] { mandelbrot(*i[0].data(), *i[1].data(), *i[2].data(), o[0]); });
  }
  if (name == "nbody") {
    in.push_back(random_matrix({3, n})), in.push_back(random_matrix({n})), same({3, n});
    return done([i = in.data(), o = out.data()] { forces(i[0], i[1], o[0]); });
  }
  if (name == "kernel_regression") {
    in.push_back(random_matrix({n})), in.push_back(random_matrix({n})), in.push_back(random_matrix({n})),
        in.push_back(number(0.1));
    same({n}), same({n});
    return done([i = in.data(), o = out.data()] { regression(i[0], i[1], i[2], *i[3].data(), o[0], o[1]); });
  }
  if (name == "sparse_matvec") {
    const int rows = n * n / 16, each = 16;
    in.emplace_back(std::vector<int>{rows + 1});
    for (int r = 0; r <= rows; ++r) in[0].data()[r] = r * each;
    in.push_back(random_matrix({rows * each}));
    // Columns near the diagonal, as meshes have them.
    for (int e = 0; e < rows * each; ++e) {
      const int column = e / each + static_cast<int>((in[1].data()[e] - 0.5) * 1000);
      in[1].data()[e] = std::clamp(column, 0, rows - 1);
    }
    in.push_back(random_matrix({rows * each})), in.push_back(random_matrix({rows})), same({rows});
    return done([i = in.data(), o = out.data()] { sparse(i[0], i[1], i[2], i[3], o[0]); });
  }
  if (name == "convolution_2d") {
    in.push_back(random_matrix({n, n})), in.push_back(random_matrix({5, 3})), same({n - 4, n - 2});
    return done([i = in.data(), o = out.data()] { correlate(i[0], i[1], o[0]); });
  }
  if (name == "transposes") {
    in.push_back(random_matrix({n, n})), same({n, n});
    return done([i = in.data(), o = out.data()] { transpose(i[0], o[0]); });
  }
  std::fprintf(stderr, "baseline: there is no kernel %s\n", name.c_str());
  std::exit(1);
}

void write_npy(const std::string& path, const Matrix& m) {
  std::string shape;
  for (auto size = m.sizes.rbegin(); size != m.sizes.rend(); ++size) shape += std::to_string(*size) + ", ";
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) std::exit(1);
  const char length[2] = {static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  std::fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  std::fwrite(length, 1, 2, file);
  std::fwrite(header.data(), 1, header.size(), file);
  std::fwrite(m.data(), sizeof(double), m.count(), file);
  std::fclose(file);
}

/// Sums that bench.py compares: of every element, and of every seventh.
void add_sums(baseline::Report& report, const Problem& p) {
  for (std::size_t k = 0; k < p.out.size(); ++k)
    for (const int step : {1, 7}) {
      double sum = 0;
      for (std::size_t i = 0; i < p.out[k].count(); i += static_cast<std::size_t>(step)) sum += p.out[k].data()[i];
      report.add("sum" + std::to_string(k) + "_" + std::to_string(step), sum);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const baseline::Options options(argc, argv);
  const int n = options.number("n", 2048), trials = options.number("trials", 5), threads = options.number("threads", 2);
  const std::string name = options.text("kernel", ""), folder = options.text("inputs", "");
  baseline::Report report;
  if (name == "triad") {
    omp_set_num_threads(threads);
    const std::size_t count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    report.add("triad_bytes_per_ns", baseline::triad_rate(count, trials));
    report.add("read_bytes_per_ns", baseline::read_rate(count, trials));
    report.print();
    return 0;
  }
  const Problem p = make(name, n);
  if (!folder.empty())
    for (std::size_t i = 0; i < p.in.size(); ++i) write_npy(folder + "/in" + std::to_string(i) + ".npy", p.in[i]);
  // Inputs and outputs are copied from elsewhere, as the measurement server does, so that caches hold the same data.
  using Copies = std::vector<std::vector<double>>;
  Copies in, out;
  for (const Matrix& m : p.in) in.emplace_back(m.data(), m.data() + m.count());
  for (const Matrix& m : p.out) out.emplace_back(m.count(), std::numeric_limits<double>::quiet_NaN());
  const auto put_back = [](const std::vector<Matrix>& matrices, const Copies& copies) {
    for (std::size_t i = 0; i < matrices.size(); ++i) std::copy(copies[i].begin(), copies[i].end(), matrices[i].data());
  };
  const auto restore = [&] { put_back(p.in, in), put_back(p.out, out); };
  omp_set_num_threads(1);
  report.add("one_ns", baseline::median_ns(trials, restore, p.run));
  omp_set_num_threads(threads);
  report.add("many_ns", baseline::median_ns(trials, restore, p.run));
  add_sums(report, p);
  report.print();
}
