// SPDX-License-Identifier: MIT
// The transposed matrix by geam of NVIDIA's cuBLAS, which adds two matrices, either of them transposed. It counts
// columns first, which makes no difference here but for the names of the sides.
#include <cublas_v2.h>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto a = run.input<double>(0);
  const int height = static_cast<int>(a.shape[0]), width = static_cast<int>(a.shape[1]);
  const baseline::Array<double> b({a.shape[1], a.shape[0]});
  const baseline::DeviceMemory<double> on_a(a.size()), on_b(b.size());
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) baseline::fail("cublasCreate failed");
  baseline::measure_on_device(
      run, [&] { on_a.upload(a); },
      [&] {
        const double one = 1, zero = 0;
        if (cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, height, width, &one, on_a.data(), width, &zero, on_b.data(),
                        height, on_b.data(), height) != CUBLAS_STATUS_SUCCESS)
          baseline::fail("cublasDgeam failed");
      },
      [&] { on_b.download(b); }, [&] { run.write(0, b); });
  cublasDestroy(handle);
}
