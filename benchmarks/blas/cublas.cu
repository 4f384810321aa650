// SPDX-License-Identifier: MIT
// Routines of BLAS by NVIDIA's cuBLAS: --routine dot, asum, copy, scal or gemv. It counts columns first, so it is asked for the
// product with the transposed matrix. It scales in place, so the vector is copied first.
#include <cublas_v2.h>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const std::string routine = run.text("routine", "dot");
  const auto first = run.input<double>(0);
  const int n = static_cast<int>(first.shape.back()), m = routine == "gemv" ? static_cast<int>(first.shape[0]) : 1;
  const bool is_vector = routine == "copy" || routine == "scal";
  const bool has_second = routine != "asum" && routine != "copy";
  const auto second = has_second ? run.input<double>(1) : baseline::Array<double>({});
  const baseline::Array<double> result(routine == "gemv"   ? std::vector<std::size_t>{first.shape[0]}
                                       : is_vector ? first.shape
                                                           : std::vector<std::size_t>());
  const baseline::DeviceMemory<double> x(first.size()), y(second.size()), r(result.size());
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) baseline::fail("cublasCreate failed");
  const bool is_sum = routine == "dot" || routine == "asum";
  // Sums go to memory of the device; factors come from the host.
  cublasSetPointerMode(handle, is_sum ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
  baseline::measure_on_device(
      run,
      [&] {
        x.upload(first);
        if (has_second) y.upload(second);
      },
      [&] {
        const double one = 1, zero = 0;
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        if (routine == "dot") status = cublasDdot(handle, n, x.data(), 1, y.data(), 1, r.data());
        if (routine == "asum") status = cublasDasum(handle, n, x.data(), 1, r.data());
        if (routine == "copy") status = cublasDcopy(handle, n, x.data(), 1, r.data(), 1);
        if (routine == "scal") {
          status = cublasDcopy(handle, n, x.data(), 1, r.data(), 1);
          if (status == CUBLAS_STATUS_SUCCESS) status = cublasDscal(handle, n, second.data(), r.data(), 1);
        }
        if (routine == "gemv")
          status = cublasDgemv(handle, CUBLAS_OP_T, n, m, &one, x.data(), n, y.data(), 1, &zero, r.data(), 1);
        if (status != CUBLAS_STATUS_SUCCESS) baseline::fail("cuBLAS failed (" + std::to_string(status) + ")");
      },
      [&] { r.download(result); }, [&] { run.write(0, result); });
  cublasDestroy(handle);
}
