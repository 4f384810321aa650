// SPDX-License-Identifier: MIT
// Sorting whole numbers by NVIDIA's CUB: DeviceRadixSort, one pass per 8 bits (A. Adinets, D. Merrill, Onesweep, 2022).
#include <cub/device/device_radix_sort.cuh>

#include "benchmarks/harness/cuda_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto in = run.input<std::int32_t>(0);
  const baseline::Array<std::int32_t> out(in.shape);
  const baseline::DeviceMemory<std::int32_t> on_in(in.size()), on_out(out.size());
  const int count = static_cast<int>(in.size());
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceRadixSort::SortKeys(scratch, bytes, on_in.data(), on_out.data(), count), "CUB");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_in.upload(in); }, [&] { sort(scratch.data(), bytes); }, [&] { on_out.download(out); },
      [&] { run.write(0, out); });
}
