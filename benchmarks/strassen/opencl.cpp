// SPDX-License-Identifier: MIT
// C = A B by the hand-written kernel of tiled.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1);
  const std::size_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  const baseline::Array<double> c({m, n});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "tiled.cl"), "");
  const auto kernel = device.kernel("product");
  const auto on_a = device.memory(a), on_b = device.memory(b), on_c = device.memory(c);
  device.measure(
      [&] {
        device.upload(on_a, a);
        device.upload(on_b, b);
      },
      [&] {
        // A group of 16 x 16 work-items makes 64 x 64 cells of C.
        device.launch(kernel, {(n + 63) / 64 * 16, (m + 63) / 64 * 16}, {16, 16}, on_a, on_b, on_c, int(m), int(n),
                      int(k));
      },
      [&] { device.download(on_c, c); }, [&] { run.write(0, c); });
}
