// SPDX-License-Identifier: MIT
// Tridiagonal systems by NVIDIA's cuSPARSE: gtsv2_nopivot for one system, gtsv2StridedBatch for many. Neither looks for
// pivots. With --resident 1 inputs are on the device before the clock starts, and the outputs stay there.
#include <cuda_runtime.h>
#include <cusparse.h>

#include "benchmarks/harness/baseline.h"

namespace {

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) baseline::fail(std::string(what) + ": " + cudaGetErrorString(status));
}

void check(cusparseStatus_t status, const char* what) {
  if (status != CUSPARSE_STATUS_SUCCESS) baseline::fail(std::string(what) + ": " + cusparseGetErrorString(status));
}

/// Memory of the device.
class Memory {
 public:
  explicit Memory(std::size_t bytes) { check(cudaMalloc(&data_, std::max<std::size_t>(bytes, 1)), "cudaMalloc"); }
  ~Memory() { cudaFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  double* data() const { return static_cast<double*>(data_); }

  void upload(const baseline::Array<double>& from) const {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(double), cudaMemcpyHostToDevice), "upload");
  }
  void download(const baseline::Array<double>& to) const {
    check(cudaMemcpy(to.data(), data_, to.size() * sizeof(double), cudaMemcpyDeviceToHost), "download");
  }

 private:
  void* data_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1), c = run.input<double>(2), d = run.input<double>(3);
  const baseline::Array<double> x(d.shape);
  const int systems = static_cast<int>(d.shape.at(0)), n = static_cast<int>(d.shape.at(1));
  const bool is_resident = run.number("resident", 0) != 0;
  if (n < 3) baseline::fail("cuSPARSE wants at least 3 unknowns");

  // The library wants zeros where a diagonal has no neighbour.
  for (int s = 0; s < systems; ++s) {
    a[static_cast<std::size_t>(s) * n] = 0;
    c[static_cast<std::size_t>(s) * n + n - 1] = 0;
  }
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  const std::size_t bytes = d.size() * sizeof(double);
  const Memory lower(bytes), diagonal(bytes), upper(bytes), right(bytes);
  std::size_t scratch_bytes = 0;
  if (systems == 1)
    check(cusparseDgtsv2_nopivot_bufferSizeExt(handle, n, 1, lower.data(), diagonal.data(), upper.data(), right.data(),
                                               n, &scratch_bytes),
          "gtsv2_nopivot_bufferSizeExt");
  else
    check(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, n, lower.data(), diagonal.data(), upper.data(), right.data(),
                                                   systems, n, &scratch_bytes),
          "gtsv2StridedBatch_bufferSizeExt");
  const Memory scratch(scratch_bytes);
  const auto upload = [&] { lower.upload(a), diagonal.upload(b), upper.upload(c), right.upload(d); };
  const auto solve = [&] {
    if (systems == 1)
      check(cusparseDgtsv2_nopivot(handle, n, 1, lower.data(), diagonal.data(), upper.data(), right.data(), n,
                                   scratch.data()),
            "gtsv2_nopivot");
    else
      check(cusparseDgtsv2StridedBatch(handle, n, lower.data(), diagonal.data(), upper.data(), right.data(), systems, n,
                                       scratch.data()),
            "gtsv2StridedBatch");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };

  // The solution replaces the right sides, so these are uploaded before each run.
  run.measure(
      [&] {
        if (is_resident) upload(), check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      },
      [&] {
        if (!is_resident) upload();
        solve();
        if (!is_resident) right.download(x);
      },
      [&] {
        right.download(x);
        run.write(0, x);
      });
  cusparseDestroy(handle);
}
