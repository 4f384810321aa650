// SPDX-License-Identifier: MIT
// The whole singular value decomposition by LAPACK, cut to the fewest values that reach the error. `--routine gesdd` is
// divide and conquer (Gu and Eisenstat 1995), which NumPy takes; `--routine gesvdx` computes only the largest values,
// which are told by bisection first; `--routine gesvd` is QR iteration. `--blas-threads` replaces `--threads`: small
// matrices are faster on one. Source: LAPACK 3.11, linked with OpenBLAS, by the interface LAPACKE.
#include <cblas.h>
#include <lapacke.h>

#include <cmath>

#include "benchmarks/harness/baseline.h"

extern "C" void openblas_set_num_threads(int);

namespace {

using baseline::Array;

/// As many values as keep the relative error by the norm of Frobenius at most `limit`.
int rank_for(const std::vector<double>& values, double limit) {
  double whole = 0, rest = 0;
  for (const double v : values) whole += v * v;
  int rank = static_cast<int>(values.size());
  while (rank > 0 && rest + values[rank - 1] * values[rank - 1] <= limit * limit * whole) {
    rest += values[rank - 1] * values[rank - 1];
    --rank;
  }
  return rank;
}

/// A row-major m x n matrix is the column-major transpose, so left and right vectors change places.
struct Svd {
  int n, m, p;
  double limit;
  std::string routine;
  std::vector<double> values;
  baseline::Buffer<double> copy, left, right;
  int rank = 0;

  Svd(int width, int height, double most, std::string name)
      : n(width),
        m(height),
        p(std::min(n, m)),
        limit(most),
        routine(std::move(name)),
        values(p),
        copy(static_cast<std::size_t>(n) * m),
        left(static_cast<std::size_t>(p) * m),
        right(static_cast<std::size_t>(n) * p) {}

  void check(int fault) const {
    if (fault != 0) baseline::fail(routine + " returns " + std::to_string(fault));
  }

  void solve(const double* a) {
    std::copy(a, a + copy.size(), copy.data());
    rank = p;
    if (p == 0) return;
    if (routine == "gesdd") {
      check(
          LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', n, m, copy.data(), n, values.data(), right.data(), n, left.data(), p));
      rank = rank_for(values, limit);
    } else if (routine == "gesvd") {
      std::vector<double> rest(p);
      check(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'S', 'S', n, m, copy.data(), n, values.data(), right.data(), n,
                           left.data(), p, rest.data()));
      rank = rank_for(values, limit);
    } else {
      std::vector<lapack_int> support(12 * static_cast<std::size_t>(p));
      lapack_int found = 0;
      check(LAPACKE_dgesvdx(LAPACK_COL_MAJOR, 'N', 'N', 'A', n, m, copy.data(), n, 0, 0, 0, 0, &found, values.data(),
                            nullptr, n, nullptr, p, support.data()));
      rank = rank_for(values, limit);
      std::copy(a, a + copy.size(), copy.data());
      if (rank > 0)
        check(LAPACKE_dgesvdx(LAPACK_COL_MAJOR, 'V', 'V', 'I', n, m, copy.data(), n, 0, 0, 1, rank, &found,
                              values.data(), right.data(), n, left.data(), p, support.data()));
    }
  }

  void write(const baseline::Run& run) const {
    const auto size = [](int extent) { return static_cast<std::size_t>(extent); };
    Array<double> u({size(m), size(rank)}), s({size(rank)}), vt({size(rank), size(n)});
    for (int y = 0; y < m; ++y)
      for (int j = 0; j < rank; ++j) u[size(y) * size(rank) + size(j)] = left[size(y) * size(p) + size(j)];
    std::copy(values.begin(), values.begin() + rank, s.data());
    std::copy(right.data(), right.data() + vt.size(), vt.data());
    run.write(0, u);
    run.write(1, s);
    run.write(2, vt);
  }
};

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  openblas_set_num_threads(run.number("blas-threads", run.threads()));
  const Array<double> a = run.input<double>(0);
  Svd svd(static_cast<int>(a.shape.at(1)), static_cast<int>(a.shape.at(0)),
          std::atof(run.text("error", "0.05").c_str()), run.text("routine", "gesdd"));
  run.measure([&] { svd.solve(a.data()); }, [&] { svd.write(run); });
}
