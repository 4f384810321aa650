// SPDX-License-Identifier: MIT
// The transposed matrix by OpenBLAS, which has omatcopy beside the routines of BLAS.
#include "benchmarks/harness/openblas_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::set_up_openblas(run, argv);
  const auto a = run.input<double>(0);
  const int height = static_cast<int>(a.shape[0]), width = static_cast<int>(a.shape[1]);
  const baseline::Array<double> b({a.shape[1], a.shape[0]});
  run.measure([&] { cblas_domatcopy(CblasRowMajor, CblasTrans, height, width, 1, a.data(), width, b.data(), height); },
              [&] { run.write(0, b); });
}
