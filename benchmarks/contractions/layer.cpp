// SPDX-License-Identifier: MIT
// A convolution layer by the hand-written kernels of layer.cl.
//
//   baseline … [--element double|float] [--columns N] [--rows N] [--depth N] [--stages 1|2] [--unroll N]
//
// A work-group has columns x rows pixels. Parts of `depth` channels are in local memory; with two stages the next part
// is copied meanwhile. `unroll` channels stand one after the other in the loop.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

template <class T>
void measure(baseline::Run& run, const std::string& options) {
  const auto in = run.input<T>(0), weights = run.input<T>(1);
  const std::size_t batch = in.shape[0], channels = in.shape[1], h = in.shape[2], w = in.shape[3],
                    features = weights.shape[0];
  const baseline::Array<T> out({batch, features, h - 2, w - 2});
  const auto number = [&](const char* name, int otherwise) {
    return static_cast<std::size_t>(run.number(name, otherwise));
  };
  const std::size_t columns = number("columns", 32), rows = number("rows", 4), depth = number("depth", 4);
  const auto define = [](const char* name, std::size_t value) {
    return std::string(" -D") + name + "=" + std::to_string(value);
  };
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "layer.cl"),
               options + define("COLUMNS", columns) + define("ROWS", rows) + define("DEPTH", depth) +
                   define("STAGES", number("stages", 1)) + define("UNROLL", number("unroll", 1)));
  const auto order = device.kernel("order"), kernel = device.kernel("layer");
  // The weights have whole blocks of channels and of 64 features.
  const std::size_t padded = (channels + depth - 1) / depth * depth, blocks = (features + 63) / 64;
  const auto on_in = device.memory(in), on_weights = device.memory(weights), on_out = device.memory(out);
  const auto on_ordered = device.memory<T>(blocks * 64 * padded * 9);
  const std::size_t items = columns * rows,
                    tiles = (w - 2 + columns - 1) / columns * ((h - 2 + rows - 1) / rows) * batch;
  device.measure(
      [&] {
        device.upload(on_in, in);
        device.upload(on_weights, weights);
      },
      [&] {
        device.launch(order, {blocks * 64 * padded * 9}, {256}, on_weights, on_ordered, static_cast<int>(channels),
                      static_cast<int>(features), static_cast<int>(padded));
        device.launch(kernel, {tiles * items, blocks}, {items, 1}, on_in, on_ordered, on_out, static_cast<int>(w),
                      static_cast<int>(h), static_cast<int>(channels), static_cast<int>(features),
                      static_cast<int>(padded));
      },
      [&] { device.download(on_out, out); }, [&] { run.write(0, out); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::with_element(run,
                         [&](auto number, const std::string& options) { measure<decltype(number)>(run, options); });
}
