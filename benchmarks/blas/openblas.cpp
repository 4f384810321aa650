// SPDX-License-Identifier: MIT
// Routines of BLAS by OpenBLAS (www.openblas.net): --routine dot, asum, copy, scal or gemv. BLAS scales in place, so
// the vector is copied first.
#include "benchmarks/harness/openblas_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::set_up_openblas(run, argv);
  const std::string routine = run.text("routine", "dot");
  const auto first = run.input<double>(0);
  const int n = static_cast<int>(first.shape.back());
  const bool is_vector = routine == "copy" || routine == "scal";
  const bool has_second = routine != "asum" && routine != "copy";
  const auto second = has_second ? run.input<double>(1) : baseline::Array<double>({});
  const baseline::Array<double> result(routine == "gemv" ? std::vector{first.shape[0]}
                                       : is_vector       ? first.shape
                                                         : std::vector<std::size_t>());
  run.measure(
      [&] {
        if (routine == "dot") result[0] = cblas_ddot(n, first.data(), 1, second.data(), 1);
        if (routine == "asum") result[0] = cblas_dasum(n, first.data(), 1);
        if (routine == "copy") cblas_dcopy(n, first.data(), 1, result.data(), 1);
        if (routine == "scal") {
          cblas_dcopy(n, first.data(), 1, result.data(), 1);
          cblas_dscal(n, second[0], result.data(), 1);
        }
        if (routine == "gemv")
          cblas_dgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(first.shape[0]), n, 1, first.data(), n,
                      second.data(), 1, 0, result.data(), 1);
      },
      [&] { run.write(0, result); });
}
