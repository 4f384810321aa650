// SPDX-License-Identifier: MIT
// Routines of BLAS by the hand-written kernels of blas.cl: --routine dot, asum, copy, scal or gemv.
#include "benchmarks/blas/routine.h"
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  constexpr std::size_t kGroup = 256, kGroups = 1024;
  baseline::Run run(argc, argv);
  const baseline::Routine blas(run);
  const int n = static_cast<int>(blas.n);
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "blas.cl"), "");
  const auto kernel = device.kernel("blas_" + blas.name), last = device.kernel("last");
  const auto on_first = device.memory(blas.first), on_second = device.memory(blas.second),
             on_result = device.memory(blas.result);
  const auto on_parts = device.memory<double>(kGroups);
  device.measure(
      [&] {
        device.upload(on_first, blas.first);
        if (blas.has_second()) device.upload(on_second, blas.second);
      },
      [&] {
        if (blas.is_sum()) {
          device.launch(kernel, {kGroups * kGroup}, {kGroup}, on_first, on_second, on_parts, n);
          device.launch(last, {kGroup}, {kGroup}, on_parts, on_result, static_cast<int>(kGroups));
        } else if (blas.name == "copy") {
          device.launch(kernel, {blas.first.size()}, {kGroup}, on_first, on_result, n);
        } else if (blas.name == "scal") {
          device.launch(kernel, {blas.first.size()}, {kGroup}, on_first, blas.second[0], on_result, n);
        } else {
          device.launch(kernel, {static_cast<std::size_t>(blas.m) * 64}, {64}, on_first, on_second, on_result, n);
        }
      },
      [&] { device.download(on_result, blas.result); }, [&] { run.write(0, blas.result); });
}
