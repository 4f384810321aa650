// SPDX-License-Identifier: MIT
// Radix sort by hand on a device, as NVIDIA's sample oclRadixSort, with which the paper compares: radix_sort.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto in = run.input<double>(0);
  const baseline::Array<double> out(in.shape);
  constexpr std::size_t kItems = 256, kTile = 4 * kItems, kDigits = 16;
  const std::size_t n = in.size(), tiles = (n + kTile - 1) / kTile, counts = tiles * kDigits;
  const std::size_t count_tiles = (counts + kTile - 1) / kTile;

  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "radix_sort.cl"), "");
  const auto count = device.kernel("count"), sum_tiles = device.kernel("sum_tiles"), move = device.kernel("move");
  const auto sum_sums = device.kernel("sum_sums");
  const auto on_in = device.memory(in), on_out = device.memory(out), scratch = device.memory<double>(n);
  const auto on_counts = device.memory<cl_uint>(counts), sums = device.memory<cl_uint>(count_tiles);

  const auto solve = [&] {
    const int size = static_cast<int>(n), groups = static_cast<int>(tiles);
    for (int shift = 0; shift < 64 && n > 0; shift += 4) {
      // The input is read once, and then the other two matrices take turns. There is an even number of passes.
      const bool is_first = shift == 0, is_last = shift == 60, is_odd = shift % 8 != 0;
      const baseline::Memory &from = is_first ? on_in : is_odd ? scratch : on_out, &to = is_odd ? on_out : scratch;
      device.launch(count, {tiles * kItems}, {kItems}, from, on_counts, size, shift, int(is_first), groups);
      device.launch(sum_tiles, {count_tiles * kItems}, {kItems}, on_counts, sums, static_cast<int>(counts));
      device.launch(sum_sums, {kItems}, {kItems}, sums, static_cast<int>(count_tiles));
      device.launch(move, {tiles * kItems}, {kItems}, from, to, on_counts, sums, size, shift, int(is_first),
                    int(is_last), groups);
    }
  };
  device.measure([&] { device.upload(on_in, in); }, solve, [&] { device.download(on_out, out); },
                 [&] { run.write(0, out); });
}
