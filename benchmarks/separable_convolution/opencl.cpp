// SPDX-License-Identifier: MIT
// Convolution with a separable kernel by the hand-written kernels of convolution.cl. --method is direct or separable,
// --outputs how many cells a work-item makes, --tiles 1 whether a group loads what it reads into local memory.
// --element float takes floats. Each kernel runs in groups of the shape that is fastest for it.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

/// One kernel over a picture of w by h cells. Its outputs need `halo_x` and `halo_y` more cells, and a work-item makes
/// `x` by `y` of them.
struct Pass {
  baseline::Handle<cl_kernel> kernel;
  const baseline::Memory &from, &to;
  std::size_t w, h, halo_x, halo_y, x, y;
};

template <class T>
class Passes {
 public:
  Passes(baseline::Device& device, const baseline::Memory& weights, bool is_in_tiles)
      : device_(device), weights_(weights), is_in_tiles_(is_in_tiles) {}

  /// Adds a pass with the group that is fastest for it. Contents of its input do not matter.
  void add(Pass pass) {
    const auto group = device_.fastest_group([&](baseline::Group group) { return launch(pass, group); });
    passes_.emplace_back(std::move(pass), group);
  }
  void run() {
    for (const auto& [pass, group] : passes_)
      if (!launch(pass, group)) baseline::fail("the device cannot run the group that it ran before");
  }

 private:
  /// Whether the device can run such a group, and its tile fits into local memory; else nothing is launched.
  bool launch(const Pass& pass, baseline::Group group) {
    const std::size_t tile = (group.x * pass.x + pass.halo_x) * (group.y * pass.y + pass.halo_y) * sizeof(T);
    if (group.x * group.y > device_.most_items(pass.kernel)) return false;
    if (is_in_tiles_ && tile > device_.local_bytes()) return false;
    const std::size_t out_w = pass.w - pass.halo_x, out_h = pass.h - pass.halo_y;
    const auto number = [](std::size_t value) { return static_cast<int>(value); };
    return device_.try_launch(pass.kernel, {(out_w + pass.x - 1) / pass.x, (out_h + pass.y - 1) / pass.y},
                              {group.x, group.y}, pass.from, weights_, pass.to, number(pass.w), number(pass.h),
                              number(out_w), number(out_h), baseline::Local{is_in_tiles_ ? tile : sizeof(T)});
  }

  baseline::Device& device_;
  const baseline::Memory& weights_;
  bool is_in_tiles_;
  std::vector<std::pair<Pass, baseline::Group>> passes_;
};

template <class T>
void solve(baseline::Run& run, const std::string& type) {
  const auto in = run.input<T>(0), kernel = run.input<T>(1);
  const std::size_t h = in.shape[0], w = in.shape[1], halo = kernel.size() - 1, out_w = w - halo;
  const std::size_t outputs = static_cast<std::size_t>(run.number("outputs", 1));
  const bool is_in_tiles = run.number("tiles", 0) != 0;
  const baseline::Array<T> out({h - halo, out_w});
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "convolution.cl"),
               "-DT=" + type + " -DWIDTH=" + std::to_string(kernel.size()) + " -DOUTPUTS=" + std::to_string(outputs) +
                   (is_in_tiles ? " -DIN_TILES" : ""));
  const auto on_in = device.memory(in), weights = device.memory(kernel), on_out = device.memory(out);
  const auto between = device.template memory<T>(h * out_w);
  Passes<T> passes(device, weights, is_in_tiles);
  if (run.text("method", "separable") == "direct") {
    passes.add({device.kernel("direct"), on_in, on_out, w, h, halo, halo, 1, outputs});
  } else {
    passes.add({device.kernel("rows"), on_in, between, w, h, halo, 0, outputs, 1});
    passes.add({device.kernel("columns"), between, on_out, out_w, h, 0, halo, 1, outputs});
  }
  device.measure([&] { device.upload(on_in, in), device.upload(weights, kernel); }, [&] { passes.run(); },
                 [&] { device.download(on_out, out); }, [&] { run.write(0, out); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  if (run.text("element", "double") == "float")
    solve<float>(run, "float");
  else
    solve<double>(run, "double -DNEEDS_FP64");
}
