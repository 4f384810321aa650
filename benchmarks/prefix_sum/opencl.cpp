// SPDX-License-Identifier: MIT
// Prefix sums by the hand-written kernels of scan.cl: sums of parts, prefix sums of those in one group, prefix sums of
// the parts.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  constexpr std::size_t kGroup = 256, kPart = 8 * kGroup;
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0);
  const baseline::Array<double> s(a.shape);
  const std::size_t parts = (a.size() + kPart - 1) / kPart;
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "scan.cl"), "");
  const auto totals = device.kernel("totals"), over_totals = device.kernel("over_totals");
  const auto within_parts = device.kernel("within_parts");
  const auto on_a = device.memory(a), on_s = device.memory(s), on_totals = device.memory<double>(parts);
  device.measure([&] { device.upload(on_a, a); },
                 [&] {
                   const int count = static_cast<int>(a.size());
                   device.launch(totals, {parts * kGroup}, {kGroup}, on_a, on_totals, count);
                   device.launch(over_totals, {kGroup}, {kGroup}, on_totals, static_cast<int>(parts));
                   device.launch(within_parts, {parts * kGroup}, {kGroup}, on_a, on_totals, on_s, count);
                 },
                 [&] { device.download(on_s, s); }, [&] { run.write(0, s); });
}
