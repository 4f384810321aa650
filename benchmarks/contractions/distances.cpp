// SPDX-License-Identifier: MIT
// Squares of distances by the hand-written kernel of distances.cl.
//
//   baseline … [--element double|float] [--depth N] [--stages 1|2]
//
// Parts of N coordinates, a multiple of 8, are in local memory; with two stages the next part is copied meanwhile.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

template <class T>
void measure(baseline::Run& run, const std::string& options) {
  const auto p = run.input<T>(0), q = run.input<T>(1);
  const std::size_t n = p.shape[0], m = q.shape[0];
  const baseline::Array<T> out({n, m});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "distances.cl"), options +
                                                               " -DDEPTH=" + std::to_string(run.number("depth", 16)) +
                                                               " -DSTAGES=" + std::to_string(run.number("stages", 1)));
  const auto kernel = device.kernel("distances");
  const auto on_p = device.memory(p), on_q = device.memory(q), on_out = device.memory(out);
  device.measure(
      [&] {
        device.upload(on_p, p);
        device.upload(on_q, q);
      },
      [&] {
        // A group of 256 work-items makes 128 x 128 cells.
        device.launch(kernel, {(n + 127) / 128 * ((m + 127) / 128) * 256}, {256}, on_p, on_q, on_out,
                      static_cast<int>(n), static_cast<int>(m), static_cast<int>(p.shape[1]));
      },
      [&] { device.download(on_out, out); }, [&] { run.write(0, out); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::with_element(run,
                         [&](auto number, const std::string& options) { measure<decltype(number)>(run, options); });
}
