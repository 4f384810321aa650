// SPDX-License-Identifier: MIT
// A histogram of bytes by NVIDIA's CUB: DeviceHistogram.
#include <cub/device/device_histogram.cuh>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto a = run.input<std::uint8_t>(0);
  const baseline::Array<std::int32_t> count({256});
  const baseline::DeviceMemory<std::uint8_t> on_a(a.size());
  const baseline::DeviceMemory<std::int32_t> on_count(256);
  const auto histogram = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceHistogram::HistogramEven(scratch, bytes, on_a.data(), on_count.data(), 257, 0, 256,
                                                        static_cast<int>(a.size())),
                    "CUB");
  };
  std::size_t bytes = 0;
  histogram(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_a.upload(a); }, [&] { histogram(scratch.data(), bytes); }, [&] { on_count.download(count); },
      [&] { run.write(0, count); });
}
