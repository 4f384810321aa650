// SPDX-License-Identifier: MIT
// C = A B by OpenBLAS (Z. Xianyi, M. Kroeker et al., www.openblas.net).
#include "benchmarks/harness/openblas_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::set_up_openblas(run, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const int m = static_cast<int>(a.shape[0]), k = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[1]);
  const baseline::Array<double> c({a.shape[0], b.shape[1]});
  run.measure(
      [&] {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
      },
      [&] { run.write(0, c); });
}
