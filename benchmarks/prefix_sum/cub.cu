// SPDX-License-Identifier: MIT
// Prefix sums by NVIDIA's CUB: DeviceScan, one pass with decoupled look-back (D. Merrill, M. Garland, 2016).
#include <cub/device/device_scan.cuh>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto a = run.input<double>(0);
  const baseline::Array<double> s(a.shape);
  const baseline::DeviceMemory<double> on_a(a.size()), on_s(s.size());
  const int count = static_cast<int>(a.size());
  std::size_t scratch_bytes = 0;
  baseline::check(cub::DeviceScan::InclusiveSum(nullptr, scratch_bytes, on_a.data(), on_s.data(), count), "CUB");
  const baseline::DeviceMemory<char> scratch(scratch_bytes);
  baseline::measure_on_device(
      run, [&] { on_a.upload(a); },
      [&] {
        std::size_t bytes = scratch_bytes;
        baseline::check(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, on_a.data(), on_s.data(), count), "CUB");
      },
      [&] { on_s.download(s); }, [&] { run.write(0, s); });
}
