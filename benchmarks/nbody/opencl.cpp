// SPDX-License-Identifier: MIT
// Accelerations of bodies by the hand-written kernel of attract.cl.
#include "benchmarks/harness/opencl_baseline.h"

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto mass = run.input<double>(0), x = run.input<double>(1), y = run.input<double>(2), z = run.input<double>(3);
  const baseline::Array<double> ax(x.shape), ay(x.shape), az(x.shape);
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "attract.cl"), "");
  const auto kernel = device.kernel("attract");
  const auto on_mass = device.memory(mass), on_x = device.memory(x), on_y = device.memory(y), on_z = device.memory(z);
  const auto on_ax = device.memory(ax), on_ay = device.memory(ay), on_az = device.memory(az);
  device.measure(
      [&] {
        device.upload(on_mass, mass);
        device.upload(on_x, x);
        device.upload(on_y, y);
        device.upload(on_z, z);
      },
      [&] {
        device.launch(kernel, {x.size()}, {128}, on_mass, on_x, on_y, on_z, on_ax, on_ay, on_az,
                      static_cast<int>(x.size()));
      },
      [&] {
        device.download(on_ax, ax);
        device.download(on_ay, ay);
        device.download(on_az, az);
      },
      [&] {
        run.write(0, ax);
        run.write(1, ay);
        run.write(2, az);
      });
}
