// SPDX-License-Identifier: MIT
// Sorting by NVIDIA's CUB: --way radix (DeviceRadixSort, one pass per 8 bits: A. Adinets, D. Merrill, Onesweep, 2022) or
// merge (DeviceMergeSort).
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "benchmarks/harness/cuda_baseline.h"

struct Less {
  __host__ __device__ bool operator()(double x, double y) const { return x < y; }
};

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto in = run.input<double>(0);
  const baseline::Array<double> out(in.shape);
  const baseline::DeviceMemory<double> on_in(in.size()), on_out(out.size());
  const int count = static_cast<int>(in.size());
  const bool is_radix = run.text("way", "radix") == "radix";
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    if (is_radix)
      baseline::check(cub::DeviceRadixSort::SortKeys(scratch, bytes, on_in.data(), on_out.data(), count), "CUB");
    else
      baseline::check(cub::DeviceMergeSort::SortKeysCopy(scratch, bytes, on_in.data(), on_out.data(), count, Less()),
                      "CUB");
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_in.upload(in); }, [&] { sort(scratch.data(), bytes); }, [&] { on_out.download(out); },
      [&] { run.write(0, out); });
}
