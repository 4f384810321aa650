// SPDX-License-Identifier: MIT
// C = A B by NVIDIA's cuBLAS. It counts columns first, so it is asked for the transposed product B' A'.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "benchmarks/harness/baseline.h"

namespace {

void check(bool is_well, const char* what) {
  if (!is_well) baseline::fail(std::string(what) + " failed");
}

double* on_device(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(double)) == cudaSuccess, "cudaMalloc");
  return static_cast<double*>(memory);
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  check(cudaSetDevice(run.number("device", 0)) == cudaSuccess, "cudaSetDevice");
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const int m = static_cast<int>(a.shape[0]), k = static_cast<int>(a.shape[1]), n = static_cast<int>(b.shape[1]);
  const baseline::Array<double> c({a.shape[0], b.shape[1]});
  double *const on_a = on_device(a.size()), *const on_b = on_device(b.size()), *const on_c = on_device(c.size());
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  cudaEvent_t start = nullptr, end = nullptr;
  check(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess, "cudaEventCreate");
  const bool is_resident = run.number("resident", 0) != 0;
  const auto upload = [&] {
    check(cudaMemcpy(on_a, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
    check(cudaMemcpy(on_b, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
  };
  const auto download = [&] {
    check(cudaMemcpy(c.data(), on_c, c.size() * sizeof(double), cudaMemcpyDeviceToHost) == cudaSuccess, "cudaMemcpy");
  };
  run.measure(
      [&] {
        if (is_resident) upload();
      },
      [&] {
        if (!is_resident) upload();
        const double one = 1, zero = 0;
        check(cudaEventRecord(start) == cudaSuccess, "cudaEventRecord");
        check(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, on_b, n, on_a, k, &zero, on_c, n) ==
                  CUBLAS_STATUS_SUCCESS,
              "cublasDgemm");
        check(cudaEventRecord(end) == cudaSuccess && cudaEventSynchronize(end) == cudaSuccess, "cudaEventRecord");
        if (!is_resident) download();
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess, "cudaEventElapsedTime");
        run.add_kernel_ns(1e6 * milliseconds);
      },
      [&] {
        download();
        run.write(0, c);
      });
}
