// SPDX-License-Identifier: MIT
// Tridiagonal systems by cyclic reduction on a device (Zhang, Cohen and Owens, "Fast Tridiagonal Solvers on the GPU",
// PPoPP 2010): steps in global memory while systems are too large for the local memory of a work-group, and then one
// work-group per system.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

/// Systems of n unknowns on the device; the kept equations of the level above.
struct Level {
  std::size_t n;
  baseline::Memory a, b, c, d, x;
};

/// The most unknowns of a system whose four arrays fit into local memory.
std::size_t largest_small(const baseline::Device& device) {
  cl_ulong bytes = 0;
  baseline::check(clGetDeviceInfo(device.id(), CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr),
                  "clGetDeviceInfo");
  std::size_t n = 1;
  while (n < 1024 && 2 * n * 4 * sizeof(double) <= bytes) n *= 2;
  return n;
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  const auto a = run.input<double>(0), b = run.input<double>(1), c = run.input<double>(2), d = run.input<double>(3);
  const std::size_t systems = d.shape.at(0), n = d.shape.at(1);
  const baseline::Array<double> x(d.shape);
  baseline::Device device(run);
  device.build(baseline::beside(__FILE__, "cyclic_reduction.cl"), "");
  const auto small = device.kernel("small"), reduce = device.kernel("reduce"), substitute = device.kernel("substitute");

  const std::size_t most = largest_small(device);
  std::vector<Level> levels;
  levels.push_back({n, device.memory(a), device.memory(b), device.memory(c), device.memory(d), device.memory(x)});
  while (levels.back().n > most) {
    const std::size_t half = levels.back().n / 2, count = half * systems;
    const auto memory = [&] { return device.memory<double>(count); };
    levels.push_back({half, memory(), memory(), memory(), memory(), memory()});
  }
  const auto upload = [&] {
    const Level& top = levels.front();
    device.upload(top.a, a), device.upload(top.b, b), device.upload(top.c, c), device.upload(top.d, d);
  };
  const auto solve = [&] {
    if (x.size() == 0) return;
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
      const Level &from = levels[l], &to = levels[l + 1];
      device.launch(reduce, {to.n, systems}, {64, 1}, from.a, from.b, from.c, from.d, to.a, to.b, to.c, to.d,
                    static_cast<int>(from.n));
    }
    const Level& last = levels.back();
    const std::size_t group = std::min<std::size_t>(256, std::max<std::size_t>(last.n / 2, 1));
    const baseline::Local local{last.n * sizeof(double)};
    device.launch(small, {systems * group}, {group}, last.a, last.b, last.c, last.d, last.x, static_cast<int>(last.n),
                  local, local, local, local);
    for (std::size_t l = levels.size() - 1; l-- > 0;) {
      const Level &from = levels[l + 1], &to = levels[l];
      device.launch(substitute, {(to.n + 1) / 2, systems}, {64, 1}, to.a, to.b, to.c, to.d, from.x, to.x,
                    static_cast<int>(to.n));
    }
  };

  device.measure(
      upload, solve, [&] { device.download(levels.front().x, x); }, [&] { run.write(0, x); });
}
