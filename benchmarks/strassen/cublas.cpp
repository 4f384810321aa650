// SPDX-License-Identifier: MIT
// C = A B by NVIDIA's cuBLAS. It counts columns first, so it is asked for the transposed product B' A'.
//
//   baseline … [--element double|float]
#include <cublas_v2.h>

#include "benchmarks/harness/cuda_baseline.h"

namespace {

cublasStatus_t multiply(cublasHandle_t handle, int n, int m, int k, const double* b, const double* a, double* c) {
  const double one = 1, zero = 0;
  return cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

cublasStatus_t multiply(cublasHandle_t handle, int n, int m, int k, const float* b, const float* a, float* c) {
  const float one = 1, zero = 0;
  return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n);
}

template <class T>
void run_with(baseline::Run& run) {
  const auto a = run.input<T>(0), b = run.input<T>(1);
  const int m = static_cast<int>(a.shape[0]), k = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[1]);
  const baseline::Array<T> c({a.shape[0], b.shape[1]});
  const baseline::DeviceMemory<T> on_a(a.size()), on_b(b.size()), on_c(c.size());
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) baseline::fail("cublasCreate failed");
  baseline::measure_on_device(
      run,
      [&] {
        on_a.upload(a);
        on_b.upload(b);
      },
      [&] {
        if (multiply(handle, n, m, k, on_b.data(), on_a.data(), on_c.data()) != CUBLAS_STATUS_SUCCESS)
          baseline::fail("the product failed");
      },
      [&] { on_c.download(c); }, [&] { run.write(0, c); });
  cublasDestroy(handle);
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  run.text("element", "double") == "float" ? run_with<float>(run) : run_with<double>(run);
}
