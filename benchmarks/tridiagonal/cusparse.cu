// SPDX-License-Identifier: MIT
// Tridiagonal systems by NVIDIA's cuSPARSE: gtsv2_nopivot for one system, gtsv2StridedBatch for many. Neither looks for
// pivots.
#include <cusparse.h>

#include "benchmarks/harness/cuda_baseline.h"

namespace {

using Memory = baseline::DeviceMemory<double>;

void check(cusparseStatus_t status, const std::string& what) {
  if (status != CUSPARSE_STATUS_SUCCESS) baseline::fail(what + ": " + cusparseGetErrorString(status));
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto a = run.input<double>(0), b = run.input<double>(1), c = run.input<double>(2), d = run.input<double>(3);
  const baseline::Array<double> x(d.shape);
  const int systems = static_cast<int>(d.shape.at(0)), n = static_cast<int>(d.shape.at(1));
  if (n < 3) baseline::fail("cuSPARSE wants at least 3 unknowns");

  // The library wants zeros where a diagonal has no neighbour.
  for (int s = 0; s < systems; ++s) {
    a[static_cast<std::size_t>(s) * n] = 0;
    c[static_cast<std::size_t>(s) * n + n - 1] = 0;
  }
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  const Memory lower(a.size()), diagonal(b.size()), upper(c.size()), right(d.size());
  std::size_t scratch_bytes = 0;
  if (systems == 1)
    check(cusparseDgtsv2_nopivot_bufferSizeExt(handle, n, 1, lower.data(), diagonal.data(), upper.data(), right.data(),
                                               n, &scratch_bytes),
          "gtsv2_nopivot_bufferSizeExt");
  else
    check(cusparseDgtsv2StridedBatch_bufferSizeExt(handle, n, lower.data(), diagonal.data(), upper.data(), right.data(),
                                                   systems, n, &scratch_bytes),
          "gtsv2StridedBatch_bufferSizeExt");
  const baseline::DeviceMemory<char> scratch(scratch_bytes);
  // The solution replaces the right sides, so these are uploaded before each run.
  baseline::measure_on_device(
      run, [&] { lower.upload(a), diagonal.upload(b), upper.upload(c), right.upload(d); },
      [&] {
        if (systems == 1)
          check(cusparseDgtsv2_nopivot(handle, n, 1, lower.data(), diagonal.data(), upper.data(), right.data(), n,
                                       scratch.data()),
                "gtsv2_nopivot");
        else
          check(cusparseDgtsv2StridedBatch(handle, n, lower.data(), diagonal.data(), upper.data(), right.data(),
                                           systems, n, scratch.data()),
                "gtsv2StridedBatch");
      },
      [&] { right.download(x); }, [&] { run.write(0, x); });
  cusparseDestroy(handle);
}
