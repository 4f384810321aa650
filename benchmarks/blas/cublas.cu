// SPDX-License-Identifier: MIT
// Routines of BLAS by NVIDIA's cuBLAS: --routine dot, asum, copy, scal or gemv. It counts columns first, so it is asked for the
// product with the transposed matrix. It scales in place, so the vector is copied first.
#include <cublas_v2.h>

#include "benchmarks/blas/routine.h"
#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const baseline::Routine blas(run);
  const int n = static_cast<int>(blas.n), m = static_cast<int>(blas.m);
  const baseline::DeviceMemory<double> x(blas.first.size()), y(blas.second.size()), r(blas.result.size());
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) baseline::fail("cublasCreate failed");
  // Sums go to memory of the device; factors come from the host.
  cublasSetPointerMode(handle, blas.is_sum() ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
  baseline::measure_on_device(
      run,
      [&] {
        x.upload(blas.first);
        if (blas.has_second()) y.upload(blas.second);
      },
      [&] {
        const double one = 1, zero = 0;
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        if (blas.name == "dot") status = cublasDdot(handle, n, x.data(), 1, y.data(), 1, r.data());
        if (blas.name == "asum") status = cublasDasum(handle, n, x.data(), 1, r.data());
        if (blas.name == "copy") status = cublasDcopy(handle, n, x.data(), 1, r.data(), 1);
        if (blas.name == "scal") {
          status = cublasDcopy(handle, n, x.data(), 1, r.data(), 1);
          if (status == CUBLAS_STATUS_SUCCESS) status = cublasDscal(handle, n, blas.second.data(), r.data(), 1);
        }
        if (blas.name == "gemv")
          status = cublasDgemv(handle, CUBLAS_OP_T, n, m, &one, x.data(), n, y.data(), 1, &zero, r.data(), 1);
        if (status != CUBLAS_STATUS_SUCCESS) baseline::fail("cuBLAS failed (" + std::to_string(status) + ")");
      },
      [&] { r.download(blas.result); }, [&] { run.write(0, blas.result); });
  cublasDestroy(handle);
}
