// SPDX-License-Identifier: MIT
// Many products of 32 x 32 matrices by the hand-written kernel of products.cl.
//
//   baseline … [--element double|float] [--products N]
//
// N products share a work-group.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

template <class T>
void measure(baseline::Run& run, const std::string& options) {
  const auto a = run.input<T>(0), b = run.input<T>(1);
  const baseline::Array<T> c(a.shape);
  const auto products = static_cast<std::size_t>(run.number("products", 2));
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "products.cl"), options + " -DPRODUCTS=" + std::to_string(products));
  const auto kernel = device.kernel("products");
  const auto on_a = device.memory(a), on_b = device.memory(b), on_c = device.memory(c);
  const std::size_t batch = a.shape[0];
  device.measure(
      [&] {
        device.upload(on_a, a);
        device.upload(on_b, b);
      },
      [&] {
        device.launch(kernel, {64, batch}, {64, products}, on_a, on_b, on_c, static_cast<int>(batch));
      },
      [&] { device.download(on_c, c); }, [&] { run.write(0, c); });
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  baseline::with_element(run,
                         [&](auto number, const std::string& options) { measure<decltype(number)>(run, options); });
}
