// SPDX-License-Identifier: MIT
// The Mandelbrot set by the hand-written kernel of escape.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto left = run.input<double>(0), top = run.input<double>(1), step = run.input<double>(2);
  const auto limit = run.input<std::int32_t>(3);
  const auto width = static_cast<std::size_t>(run.number("w", 0)),
             height = static_cast<std::size_t>(run.number("h", 0));
  const baseline::Array<std::int32_t> count({height, width});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "escape.cl"), "");
  const auto kernel = device.kernel("escape");
  const auto on_count = device.memory(count);
  device.measure([] {},
                 [&] {
                   device.launch(kernel, {width, height}, {16, 8}, on_count, left[0], top[0], step[0], limit[0],
                                 static_cast<int>(width), static_cast<int>(height));
                 },
                 [&] { device.download(on_count, count); }, [&] { run.write(0, count); });
}
