// SPDX-License-Identifier: MIT
// Tridiagonal systems by LAPACK's dgtsv (LU with partial pivoting), one call per system, in sequence. It overwrites all
// of its arguments; their copies are made before the clock starts.
#include <lapacke.h>

#include "benchmarks/harness/baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1), c = run.input<double>(2), d = run.input<double>(3);
  const std::size_t systems = d.shape.at(0), n = d.shape.at(1);
  const baseline::Array<double> lower(d.shape), diagonal(d.shape), upper(d.shape), x(d.shape);
  const auto copy = [](const baseline::Array<double>& from, const baseline::Array<double>& to) {
    std::copy_n(from.data(), from.size(), to.data());
  };
  run.measure([&] { copy(a, lower), copy(b, diagonal), copy(c, upper), copy(d, x); },
              [&] {
                if (n == 0) return;
                for (std::size_t at = 0; at < systems * n; at += n) {
                  const lapack_int info = LAPACKE_dgtsv_work(
                      LAPACK_COL_MAJOR, static_cast<lapack_int>(n), 1, lower.data() + at + 1, diagonal.data() + at,
                      upper.data() + at, x.data() + at, static_cast<lapack_int>(n));
                  if (info != 0) baseline::fail("dgtsv: info " + std::to_string(info));
                }
              },
              [&] { run.write(0, x); });
}
