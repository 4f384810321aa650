// SPDX-License-Identifier: MIT
// A histogram of bytes by the hand-written kernels of count.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  constexpr std::size_t kGroup = 256, kGroups = 512;
  baseline::Run run(argc, argv);
  const auto a = run.input<std::uint8_t>(0);
  const baseline::Array<std::int32_t> count({256});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "count.cl"), "");
  const auto clear = device.kernel("clear"), add = device.kernel("count");
  const auto on_a = device.memory(a), on_count = device.memory(count);
  device.measure([&] { device.upload(on_a, a); },
                 [&] {
                   device.launch(clear, {256}, {256}, on_count);
                   device.launch(add, {kGroups * kGroup}, {kGroup}, on_a, on_count, static_cast<int>(a.size()));
                 },
                 [&] { device.download(on_count, count); }, [&] { run.write(0, count); });
}
