// SPDX-License-Identifier: MIT
// Routines of BLAS by the hand-written kernels of blas.cl: --routine dot, asum, copy, scal or gemv.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  constexpr std::size_t kGroup = 256, kGroups = 1024;
  baseline::Run run(argc, argv);
  const std::string routine = run.text("routine", "dot");
  const auto first = run.input<double>(0);
  const int n = static_cast<int>(first.shape.back()), m = routine == "gemv" ? static_cast<int>(first.shape[0]) : 1;
  const bool is_sum = routine == "dot" || routine == "asum";
  const bool is_vector = routine == "copy" || routine == "scal";
  const bool has_second = routine != "asum" && routine != "copy";
  const auto second = has_second ? run.input<double>(1) : baseline::Array<double>({});
  const baseline::Array<double> result(routine == "gemv" ? std::vector{first.shape[0]}
                                       : is_vector       ? first.shape
                                                         : std::vector<std::size_t>());
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "blas.cl"), "");
  const auto kernel = device.kernel("blas_" + routine), last = device.kernel("last");
  const auto on_first = device.memory(first), on_second = device.memory(second), on_result = device.memory(result);
  const auto on_parts = device.memory<double>(kGroups);
  device.measure(
      [&] {
        device.upload(on_first, first);
        if (has_second) device.upload(on_second, second);
      },
      [&] {
        if (is_sum) {
          device.launch(kernel, {kGroups * kGroup}, {kGroup}, on_first, on_second, on_parts, n);
          device.launch(last, {kGroup}, {kGroup}, on_parts, on_result, static_cast<int>(kGroups));
        } else if (routine == "copy") {
          device.launch(kernel, {first.size()}, {kGroup}, on_first, on_result, n);
        } else if (routine == "scal") {
          device.launch(kernel, {first.size()}, {kGroup}, on_first, second[0], on_result, n);
        } else {
          device.launch(kernel, {static_cast<std::size_t>(m) * 64}, {64}, on_first, on_second, on_result, n);
        }
      },
      [&] { device.download(on_result, result); }, [&] { run.write(0, result); });
}
