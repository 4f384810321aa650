// SPDX-License-Identifier: MIT
// The transforms of program.pbcc by hand, with OpenMP and the order of loops that goes along rows.
//
//   baseline … --kernel syrk, covariance, gram_schmidt or fields [--steps N]
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmarks/harness/baseline.h"

namespace {

using baseline::Array;
using Index = std::ptrdiff_t;

/// The triangle of products of the rows of `a` that lies on and below the diagonal. `turned` has room for a copy.
void syrk(const Array<double>& a, const Array<double>& turned, const Array<double>& out) {
  const auto n = static_cast<Index>(a.shape[0]), m = static_cast<Index>(a.shape[1]);
  double* const t = turned.data();
#pragma omp parallel
  {
#pragma omp for
    for (Index k = 0; k < m; ++k)
      for (Index i = 0; i < n; ++i) t[k * n + i] = a.data()[i * m + k];
#pragma omp for schedule(dynamic, 8)
    for (Index i = 0; i < n; ++i) {
      double* const row = out.data() + i * n;
      std::fill_n(row, n, 0.0);
      for (Index k = 0; k < m; ++k) {
        const double factor = a.data()[i * m + k];
        for (Index j = 0; j <= i; ++j) row[j] += factor * t[k * n + j];
      }
    }
  }
}

void covariance(const Array<double>& data, const Array<double>& centred, const Array<double>& out) {
  const auto n = static_cast<Index>(data.shape[0]), m = static_cast<Index>(data.shape[1]);
  std::vector<double> mean(static_cast<std::size_t>(m));
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < m; ++j) mean[static_cast<std::size_t>(j)] += data.data()[k * m + j];
  for (double& each : mean) each /= static_cast<double>(n);
#pragma omp parallel
  {
#pragma omp for
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < m; ++j)
        centred.data()[k * m + j] = data.data()[k * m + j] - mean[static_cast<std::size_t>(j)];
#pragma omp for schedule(dynamic, 8)
    for (Index i = 0; i < m; ++i) {
      double* const row = out.data() + i * m;
      std::fill_n(row + i, m - i, 0.0);
      for (Index k = 0; k < n; ++k) {
        const double factor = centred.data()[k * m + i];
        for (Index j = i; j < m; ++j) row[j] += factor * centred.data()[k * m + j];
      }
      for (Index j = i; j < m; ++j) row[j] /= static_cast<double>(n - 1);
    }
#pragma omp for
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < i; ++j) out.data()[i * m + j] = out.data()[j * m + i];
  }
}

void gram_schmidt(const Array<double>& a, const Array<double>& v, const Array<double>& q, const Array<double>& r) {
  const auto m = static_cast<Index>(a.shape[0]), n = static_cast<Index>(a.shape[1]);
  std::copy_n(a.data(), a.size(), v.data());
  std::fill_n(r.data(), r.size(), 0.0);
  for (Index k = 0; k < n; ++k) {
    double sum = 0;
    for (Index i = 0; i < m; ++i) sum += v.data()[i * n + k] * v.data()[i * n + k];
    const double norm = std::sqrt(sum);
    double* const row = r.data() + k * n;
    row[k] = norm;
    for (Index i = 0; i < m; ++i) {
      const double factor = q.data()[i * n + k] = v.data()[i * n + k] / norm;
      for (Index j = k + 1; j < n; ++j) row[j] += factor * v.data()[i * n + j];
    }
#pragma omp parallel for
    for (Index i = 0; i < m; ++i) {
      const double factor = q.data()[i * n + k];
      for (Index j = k + 1; j < n; ++j) v.data()[i * n + j] -= factor * row[j];
    }
  }
}

struct Fields {
  Index width, height;
  double *x, *y, *z;
};

void advance(const Fields& f, int steps) {
  const Index w = f.width;
#pragma omp parallel
  for (int step = 0; step < steps; ++step) {
#pragma omp for
    for (Index row = 0; row < f.height; ++row) {
      double *const x = f.x + row * w, *const y = f.y + row * w;
      const double* const z = f.z + row * w;
      if (row > 0)
        for (Index i = 0; i < w; ++i) x[i] -= 0.5 * (z[i] - z[i - w]);
      for (Index i = 1; i < w; ++i) y[i] += 0.5 * (z[i] - z[i - 1]);
    }
#pragma omp for
    for (Index row = 0; row < f.height - 1; ++row) {
      const double *const x = f.x + row * w, *const y = f.y + row * w;
      double* const z = f.z + row * w;
      for (Index i = 0; i < w - 1; ++i) z[i] += 0.5 * (x[i] - x[i + w] + y[i + 1] - y[i]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  omp_set_num_threads(run.threads());
  const std::string kernel = run.text("kernel", "syrk");
  const auto a = run.input<double>(0);
  const Array<double> work(a.shape);
  if (kernel == "fields") {
    const auto y = run.input<double>(1), z = run.input<double>(2);
    const Array<double> own_y(y.shape), own_z(z.shape);
    const Fields fields{static_cast<Index>(a.shape[1]), static_cast<Index>(a.shape[0]), work.data(), own_y.data(),
                        own_z.data()};
    run.measure(
        [&] {
          std::copy_n(a.data(), a.size(), work.data());
          std::copy_n(y.data(), y.size(), own_y.data());
          std::copy_n(z.data(), z.size(), own_z.data());
          advance(fields, run.number("steps", 1));
        },
        [&] { run.write(0, own_z); });
  } else if (kernel == "gram_schmidt") {
    const Array<double> q(a.shape), r({a.shape[1], a.shape[1]});
    run.measure([&] { gram_schmidt(a, work, q, r); },
                [&] {
                  run.write(0, q);
                  run.write(1, r);
                });
  } else {
    const std::size_t extent = kernel == "syrk" ? a.shape[0] : a.shape[1];
    const Array<double> out({extent, extent});
    run.measure([&] { kernel == "syrk" ? syrk(a, work, out) : covariance(a, work, out); }, [&] { run.write(0, out); });
  }
}
