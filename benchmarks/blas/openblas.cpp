// SPDX-License-Identifier: MIT
// Routines of BLAS by OpenBLAS (www.openblas.net): --routine dot, asum, copy, scal or gemv. BLAS scales in place, so
// the vector is copied first.
#include "benchmarks/blas/routine.h"
#include "benchmarks/harness/openblas_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::set_up_openblas(run, argv);
  const baseline::Routine blas(run);
  const int n = static_cast<int>(blas.n), m = static_cast<int>(blas.m);
  run.measure(
      [&] {
        if (blas.name == "dot") blas.result[0] = cblas_ddot(n, blas.first.data(), 1, blas.second.data(), 1);
        if (blas.name == "asum") blas.result[0] = cblas_dasum(n, blas.first.data(), 1);
        if (blas.name == "copy") cblas_dcopy(n, blas.first.data(), 1, blas.result.data(), 1);
        if (blas.name == "scal") {
          cblas_dcopy(n, blas.first.data(), 1, blas.result.data(), 1);
          cblas_dscal(n, blas.second[0], blas.result.data(), 1);
        }
        if (blas.name == "gemv")
          cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, blas.first.data(), n, blas.second.data(), 1, 0,
                      blas.result.data(), 1);
      },
      [&] { run.write(0, blas.result); });
}
