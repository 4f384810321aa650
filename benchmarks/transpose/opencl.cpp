// SPDX-License-Identifier: MIT
// The transposed matrix by the hand-written kernel of tiles.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0);
  const std::size_t height = a.shape[0], width = a.shape[1];
  const baseline::Array<double> b({width, height});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "tiles.cl"), "");
  const auto kernel = device.kernel("transpose");
  const auto on_a = device.memory(a), on_b = device.memory(b);
  device.measure([&] { device.upload(on_a, a); },
                 [&] {
                   // A group of 32 x 8 work-items makes 32 x 32 cells.
                   device.launch(kernel, {(width + 31) / 32 * 32, (height + 31) / 32 * 8}, {32, 8}, on_a, on_b,
                                 static_cast<int>(width), static_cast<int>(height));
                 },
                 [&] { device.download(on_b, b); }, [&] { run.write(0, b); });
}
