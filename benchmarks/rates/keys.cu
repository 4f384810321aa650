// SPDX-License-Identifier: MIT
// Counts of whole numbers by NVIDIA's CUB: DeviceHistogram.
//
//   keys … --bins N
#include <cub/device/device_histogram.cuh>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const int num_bins = run.number("bins", 256);
  const auto keys = run.input<std::int32_t>(0);
  const baseline::Array<std::int32_t> count({static_cast<std::size_t>(num_bins)});
  const baseline::DeviceMemory<std::int32_t> on_keys(keys.size()), on_count(count.size());
  const auto histogram = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceHistogram::HistogramEven(scratch, bytes, on_keys.data(), on_count.data(), num_bins + 1, 0,
                                                        num_bins, static_cast<int>(keys.size())),
                    "CUB");
  };
  std::size_t bytes = 0;
  histogram(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_keys.upload(keys); }, [&] { histogram(scratch.data(), bytes); },
      [&] { on_count.download(count); }, [&] { run.write(0, count); });
}
