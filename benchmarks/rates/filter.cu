// SPDX-License-Identifier: MIT
// A filter by NVIDIA's CUB: DeviceSelect, one pass with decoupled look-back.
//
//   filter … --element double or float
#include <cub/device/device_select.cuh>

#include "benchmarks/harness/cuda_baseline.h"

namespace {

struct IsInUpperHalf {
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return x > T(0.5);
  }
};

template <class T>
void select(baseline::Run& run) {
  const auto a = run.input<T>(0);
  const baseline::Array<T> kept(a.shape);
  const baseline::Array<std::int32_t> number({1});
  const baseline::DeviceMemory<T> on_a(a.size()), on_kept(kept.size());
  const baseline::DeviceMemory<std::int32_t> on_number(1);
  const auto solve = [&](void* scratch, std::size_t& bytes) {
    baseline::check(cub::DeviceSelect::If(scratch, bytes, on_a.data(), on_kept.data(), on_number.data(),
                                          static_cast<int>(a.size()), IsInUpperHalf()),
                    "CUB");
  };
  std::size_t bytes = 0;
  solve(nullptr, bytes);
  const baseline::DeviceMemory<char> scratch(bytes);
  baseline::measure_on_device(
      run, [&] { on_a.upload(a); }, [&] { solve(scratch.data(), bytes); },
      [&] {
        on_kept.download(kept);
        on_number.download(number);
      },
      [&] {
        run.write(0, kept);
        run.write(1, number);
      });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::choose_device(run);
  if (run.text("element", "double") == "float") select<float>(run);
  else select<double>(run);
}
