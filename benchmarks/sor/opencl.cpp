// SPDX-License-Identifier: MIT
// Red-black over-relaxation by the hand-written kernels of half_sweep.cl: the grid is split, relaxed and joined on the
// device.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto f = run.input<double>(0);
  const baseline::Array<double> u(f.shape);
  const std::size_t m = f.shape[0], n = f.shape[1], w = (n + 1) / 2, framed = (w + 2) * (m + 2);
  const int columns = static_cast<int>(n), rows = static_cast<int>(m);
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "half_sweep.cl"), "");
  const auto split = device.kernel("split"), half_sweep = device.kernel("half_sweep"), join = device.kernel("join");
  const auto on_f = device.memory(f), on_u = device.memory(u);
  const auto red = device.memory<double>(framed), black = device.memory<double>(framed);
  const auto f_red = device.memory<double>(framed), f_black = device.memory<double>(framed);
  const auto solve = [&] {
    device.launch(split, {w + 2, m + 2}, {64, 4}, on_f, red, black, f_red, f_black, columns, rows);
    for (int k = 0; k < run.number("iterations", 0); ++k) {
      device.launch(half_sweep, {w, m}, {64, 4}, red, black, f_red, columns, rows, 0);
      device.launch(half_sweep, {w, m}, {64, 4}, black, red, f_black, columns, rows, 1);
    }
    device.launch(join, {n, m}, {64, 4}, red, black, on_u, columns, rows);
  };
  device.measure([&] { device.upload(on_f, f); }, solve, [&] { device.download(on_u, u); }, [&] { run.write(0, u); });
}
