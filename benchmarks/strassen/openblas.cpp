// SPDX-License-Identifier: MIT
// C = A B by OpenBLAS (Z. Xianyi, M. Kroeker et al., www.openblas.net). --core-type says for which processor its
// kernels are (Haswell, SkylakeX, Zen …), else OPENBLAS_CORETYPE of the environment, else the library.
#include <cblas.h>
#include <unistd.h>

#include "benchmarks/harness/baseline.h"

namespace {

/// The library reads the variable when it is loaded, so the program starts once more.
void set_core_type(const std::string& name, char** argv) {
  const char* now = std::getenv("OPENBLAS_CORETYPE");
  if (name.empty() || (now && name == now)) return;
  ::setenv("OPENBLAS_CORETYPE", name.c_str(), 1);
  ::execv("/proc/self/exe", argv);
  baseline::fail("the program cannot start anew");
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  set_core_type(run.text("core-type", ""), argv);
  openblas_set_num_threads(run.threads());
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const int m = static_cast<int>(a.shape[0]), k = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[1]);
  const baseline::Array<double> c({a.shape[0], b.shape[1]});
  run.measure(
      [&] {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
      },
      [&] { run.write(0, c); });
}
