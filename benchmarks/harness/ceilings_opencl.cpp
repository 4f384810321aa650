// SPDX-License-Identifier: MIT
// What an OpenCL device can do at most: its memory, its arithmetic, and copies from and to the host. Prints bytes and
// floating-point operations per ns as one JSON object, which is empty for a device without doubles.
//
//   ceilings_opencl [--device N] [--trials T] [--elements N] [--steps S]
//
// Memory and arithmetic are timed by the device's clock, and copies by the host's. A triad counts three arrays: devices
// do not read a line that they write as a whole. Pinned copies use memory of the host that the driver gave.
#include "benchmarks/harness/opencl_baseline.h"

namespace {

using baseline::check;
using baseline::Device;
using baseline::Memory;

constexpr std::size_t kGroup = 256;  // items of a group
constexpr std::size_t kEach = 4;     // pairs of doubles that an item handles
constexpr std::size_t kChains = 8;   // of multiply-adds in each item

/// The least time of a few runs, after one that does not count. `run` returns its time in ns.
template <class F>
double least_ns(int trials, F run) {
  run();
  double least = HUGE_VAL;
  for (int trial = 0; trial < trials; ++trial) least = std::min(least, run());
  return least;
}

/// How many elements an array of the device gets: far more than caches hold, but no more than memory allows. Whole
/// groups share them.
std::size_t elements(const baseline::Run& run, const Device& device) {
  const int asked = run.number("elements", 1 << (device.shares_memory() ? 24 : 27));
  const std::size_t most = std::min(device.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                                    device.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE) / 8) /
                           sizeof(double);
  const std::size_t part = 2 * kGroup * kEach;
  return std::max<std::size_t>(std::min<std::size_t>(asked, most) / part, 1) * part;
}

/// Memory of the device with `count` doubles, all of them `value`.
Memory filled(const Device& device, std::size_t count, double value) {
  Memory memory = device.memory<double>(count);
  check(clEnqueueFillBuffer(device.queue(), memory.get(), &value, sizeof value, 0, count * sizeof value, 0, nullptr,
                            nullptr),
        "clEnqueueFillBuffer");
  return memory;
}

/// Prints rates as members of one JSON object.
class Rates {
 public:
  Rates() { std::printf("{"); }
  ~Rates() { std::printf("}\n"); }
  Rates(const Rates&) = delete;
  Rates& operator=(const Rates&) = delete;
  void add(const char* name, double amount, double ns) {
    std::printf("%s\"device %s\": %.6g", is_first_ ? "" : ", ", name, amount / ns);
    is_first_ = false;
  }

 private:
  bool is_first_ = true;
};

void measure_memory(Device& device, std::size_t count, int trials, Rates& rates) {
  const auto triad = device.kernel("triad"), copy = device.kernel("copy"), sum = device.kernel("sum");
  const Memory x = filled(device, count, 0), y = filled(device, count, 1), z = filled(device, count, 2);
  const std::size_t items = count / 2 / kEach;
  const double bytes = sizeof(double) * static_cast<double>(count), factor = 3, never = -1;
  const double triad_ns = least_ns(trials, [&] {
    device.launch(triad, {items}, {kGroup}, x, y, z, factor);
    return device.kernels_ns();
  });
  rates.add("triad", 3 * bytes, triad_ns);
  const double copy_ns = least_ns(trials, [&] {
    device.launch(copy, {items}, {kGroup}, x, y);
    return device.kernels_ns();
  });
  rates.add("copy", 2 * bytes, copy_ns);
  const double sum_ns = least_ns(trials, [&] {
    device.launch(sum, {items}, {kGroup}, y, x, never);
    return device.kernels_ns();
  });
  rates.add("read", bytes, sum_ns);
}

/// `lanes` are the doubles in a vector that the device prefers.
void measure_arithmetic(Device& device, std::size_t lanes, int steps, int trials, Rates& rates) {
  const auto multiply_add = device.kernel("multiply_add");
  const std::size_t items = 32 * kGroup * device.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  const Memory results = device.memory<double>(items * lanes);
  const double factor = 0.999999, summand = 1e-9;
  const double ns = least_ns(trials, [&] {
    device.launch(multiply_add, {items}, {kGroup}, results, factor, summand, steps);
    return device.kernels_ns();
  });
  rates.add("fma", 2.0 * static_cast<double>(kChains * lanes * items) * steps, ns);
}

/// Copies `count` doubles of the host at `host` to the device and back.
void measure_copies(const Device& device, double* host, std::size_t count, int trials, const std::string& kind,
                    Rates& rates) {
  const Memory memory = device.memory<double>(count);
  const std::size_t bytes = count * sizeof(double);
  std::fill(host, host + count, 1.0);
  const auto timed = [](auto copy) {
    return [copy] {
      const auto start = baseline::Clock::now();
      check(copy(), "copy");
      return std::chrono::duration<double, std::nano>(baseline::Clock::now() - start).count();
    };
  };
  const double upload_ns = least_ns(trials, timed([&] {
                                      return clEnqueueWriteBuffer(device.queue(), memory.get(), CL_TRUE, 0, bytes, host,
                                                                  0, nullptr, nullptr);
                                    }));
  rates.add((kind + "upload").c_str(), static_cast<double>(bytes), upload_ns);
  const double download_ns =
      least_ns(trials, timed([&] {
                 return clEnqueueReadBuffer(device.queue(), memory.get(), CL_TRUE, 0, bytes, host, 0, nullptr, nullptr);
               }));
  rates.add((kind + "download").c_str(), static_cast<double>(bytes), download_ns);
}

void measure_pinned_copies(const Device& device, std::size_t count, int trials, Rates& rates) {
  cl_int status = 0;
  const std::size_t bytes = count * sizeof(double);
  const Memory pinned(
      clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status),
      clReleaseMemObject);
  check(status, "clCreateBuffer");
  void* host = clEnqueueMapBuffer(device.queue(), pinned.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                  nullptr, nullptr, &status);
  check(status, "clEnqueueMapBuffer");
  measure_copies(device, static_cast<double*>(host), count, trials, "pinned ", rates);
  check(clEnqueueUnmapMemObject(device.queue(), pinned.get(), host, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
  device.finish();
}

}  // namespace

int main(int argc, char** argv) {
  baseline::Run run(argc, argv);
  Device device(run);
  Rates rates;
  const std::size_t lanes = device.number<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE);
  if (lanes == 0) return 0;
  const std::string pack = lanes == 1 ? "double" : "double" + std::to_string(lanes);
  device.build(baseline::beside(__FILE__, "ceilings_opencl.cl"),
               "-DGROUP=" + std::to_string(kGroup) + " -DEACH=" + std::to_string(kEach) +
                   " -DCHAINS=" + std::to_string(kChains) + " -DPack=" + pack);
  const int trials = run.number("trials", 5);
  const std::size_t count = elements(run, device), copied = std::min<std::size_t>(count, 1 << 24);
  measure_memory(device, count, trials, rates);
  measure_arithmetic(device, lanes, run.number("steps", 1 << 13), trials, rates);
  const baseline::Buffer<double> pageable(copied);
  measure_copies(device, pageable.data(), copied, trials, "", rates);
  measure_pinned_copies(device, copied, trials, rates);
}
