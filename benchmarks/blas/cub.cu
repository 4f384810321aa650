// SPDX-License-Identifier: MIT
// The sum of magnitudes by NVIDIA's CUB: DeviceReduce over magnitudes that are made while they are read.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_reduce.cuh>

#include "benchmarks/harness/cuda_baseline.h"

struct Magnitude {
  __host__ __device__ double operator()(double x) const { return x < 0 ? -x : x; }
};

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  const auto x = run.input<double>(0);
  const baseline::Array<double> sum({});
  const baseline::DeviceMemory<double> on_x(x.size()), on_sum(1);
  const auto magnitudes = thrust::make_transform_iterator(on_x.data(), Magnitude());
  const auto reduce = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceReduce::Sum(scratch, bytes, magnitudes, on_sum.data(), static_cast<int>(x.size())), "CUB");
  };
  std::size_t bytes = 0;
  reduce(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_x.upload(x); }, [&] { reduce(scratch.data(), bytes); }, [&] { on_sum.download(sum); },
      [&] { run.write(0, sum); });
}
