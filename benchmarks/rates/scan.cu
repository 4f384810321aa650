// SPDX-License-Identifier: MIT
// Prefix sums by NVIDIA's CUB: DeviceScan, one pass with decoupled look-back (D. Merrill, M. Garland, 2016).
//
//   scan … --element double, float or int32
#include <cub/device/device_scan.cuh>

#include "benchmarks/harness/cuda_baseline.h"

namespace {

template <class T>
void scan(baseline::Run& run) {
  const auto a = run.input<T>(0);
  const baseline::Array<T> s(a.shape);
  const baseline::DeviceMemory<T> on_a(a.size()), on_s(s.size());
  const int count = static_cast<int>(a.size());
  const auto solve = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceScan::InclusiveSum(scratch, bytes, on_a.data(), on_s.data(), count), "CUB");
  };
  std::size_t bytes = 0;
  solve(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_a.upload(a); }, [&] { solve(scratch.data(), bytes); }, [&] { on_s.download(s); },
      [&] { run.write(0, s); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const std::string element = run.text("number", run.text("element", "double"));
  if (element == "int32") scan<std::int32_t>(run);
  else if (element == "float") scan<float>(run);
  else scan<double>(run);
}
