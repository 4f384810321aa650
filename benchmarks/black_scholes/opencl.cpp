// SPDX-License-Identifier: MIT
// Prices of European options by the hand-written kernel of prices.cl; --normal erfc or polynomial.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto spot = run.input<double>(0), strike = run.input<double>(1), years = run.input<double>(2);
  const auto rate = run.input<double>(3), volatility = run.input<double>(4);
  const baseline::Array<double> call(spot.shape), put(spot.shape);
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "prices.cl"), run.text("normal", "erfc") == "erfc" ? "-DERFC" : "");
  const auto kernel = device.kernel("prices");
  const auto on_spot = device.memory(spot), on_strike = device.memory(strike), on_years = device.memory(years);
  const auto on_call = device.memory(call), on_put = device.memory(put);
  device.measure(
      [&] {
        device.upload(on_spot, spot);
        device.upload(on_strike, strike);
        device.upload(on_years, years);
      },
      [&] {
        const std::size_t group = static_cast<std::size_t>(run.number("group", 128));
        device.launch(kernel, {spot.size()}, {group}, on_spot, on_strike, on_years, on_call, on_put, rate[0],
                      volatility[0], static_cast<int>(spot.size()));
      },
      [&] {
        device.download(on_call, call);
        device.download(on_put, put);
      },
      [&] {
        run.write(0, call);
        run.write(1, put);
      });
}
