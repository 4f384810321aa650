// SPDX-License-Identifier: MIT
// Runs the hand-written kernels of baseline.cl: the baseline of the generated OpenCL code.
// For each job and memory version it tries a list of work-group shapes and prints, as one JSON
// object, the best one's median time, resident (data stays on the device) and end to end
// (pictures written to and read from ordinary host memory; devices that share the host's memory use its pages).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "baseline_opencl: %s failed (%d)\n", what, status);
  std::exit(1);
}

struct Options {
  int n = 3520, kw = 7, trials = 5, device = 0;
  bool is_float = false;
  std::string source = "baseline.cl";
};

std::vector<cl_device_id> all_devices() {
  cl_uint num_platforms = 0;
  clGetPlatformIDs(0, nullptr, &num_platforms);
  std::vector<cl_platform_id> platforms(num_platforms);
  if (num_platforms) check(clGetPlatformIDs(num_platforms, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<cl_device_id> devices;
  for (const cl_platform_id p : platforms) {
    cl_uint count = 0;
    if (clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    devices.resize(devices.size() + count);
    check(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, count, devices.data() + devices.size() - count, nullptr),
          "clGetDeviceIDs");
  }
  return devices;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Shape {
  std::size_t x, y;
};
constexpr Shape kShapes[] = {{16, 16}, {32, 8},  {64, 4},  {32, 4},  {64, 1}, {128, 1},
                             {128, 2}, {256, 1}, {512, 1}, {32, 32}, {16, 8}, {128, 8}};

/// One launch of a kernel: the kernel, its output extents and the halo of its tile.
struct Pass {
  cl_kernel kernel;
  cl_mem src, dst;
  int w, h, ow, oh, halo_x, halo_y;
  bool is_local;
};

template <class T>
class Bench {
 public:
  explicit Bench(const Options& o) : o_(o) {
    const auto devices = all_devices();
    if (o.device < 0 || o.device >= int(devices.size())) {
      std::fprintf(stderr, "baseline_opencl: no device %d (there are %zu)\n", o.device, devices.size());
      std::exit(1);
    }
    device_ = devices[o.device];
    cl_device_type type;
    check(clGetDeviceInfo(device_, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
    shares_memory_ = (type & CL_DEVICE_TYPE_CPU) != 0;
    cl_int status;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    build();
    allocate();
  }

  void print() {
    char name[256] = "";
    check(clGetDeviceInfo(device_, CL_DEVICE_NAME, sizeof name, name, nullptr), "clGetDeviceInfo");
    std::printf("{\"n\": %d, \"width\": %d, \"element\": \"%s\", \"device\": \"%s\", \"times_ns\": {", o_.n, o_.kw,
                sizeof(T) == 4 ? "float" : "double", name);
    bool first = true;
    for (const bool is_local : {false, true})
      for (const bool is_2d : {true, false}) {
        const Best found = best(is_2d, is_local);
        std::printf("%s\"%s_%s\": {\"kernel\": %.0f, \"resident\": %.0f, \"end_to_end\": %.0f, \"shape\": \"%s\"}",
                    first ? "" : ", ", is_2d ? "2d" : "separable", is_local ? "local" : "basic", found.kernel,
                    found.resident, found.end_to_end, found.shape.c_str());
        first = false;
      }
    std::printf("}}\n");
  }

 private:
  void build() {
    std::ifstream file(o_.source);
    std::stringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    if (source.empty()) std::fprintf(stderr, "baseline_opencl: cannot read %s\n", o_.source.c_str()), std::exit(1);
    const char* p = source.c_str();
    cl_int status;
    program_ = clCreateProgramWithSource(context_, 1, &p, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    const std::string options =
        std::string("-DT=") + (sizeof(T) == 4 ? "float" : "double -DNEEDS_FP64") + " -DKWIDTH=" + std::to_string(o_.kw);
    if (clBuildProgram(program_, 1, &device_, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
      std::vector<char> log(1 << 16);
      clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      std::fprintf(stderr, "baseline_opencl: %s\n", log.data());
      std::exit(1);
    }
  }

  void allocate() {
    const int ow = o_.n - o_.kw + 1;
    const auto host = [&](std::size_t cells) {
      auto* data = static_cast<T*>(std::aligned_alloc(4096, (cells * sizeof(T) + 4095) / 4096 * 4096));
      for (std::size_t i = 0; i < cells; ++i) data[i] = T((i * 31) % 256);
      return data;
    };
    saved_ = host(std::size_t(o_.n) * o_.n);
    in_ = host(std::size_t(o_.n) * o_.n), out_ = host(std::size_t(ow) * ow), weights_ = host(o_.kw);
    for (int i = 0; i < o_.kw; ++i) weights_[i] = T(1) / o_.kw;
    const auto buffer = [&](std::size_t cells, T* data) {
      cl_int status;
      cl_mem m = clCreateBuffer(context_, CL_MEM_READ_WRITE | (shares_memory_ && data ? CL_MEM_USE_HOST_PTR : 0),
                                std::max<std::size_t>(cells, 1) * sizeof(T), shares_memory_ ? data : nullptr, &status);
      check(status, "clCreateBuffer");
      return m;
    };
    d_in_ = buffer(std::size_t(o_.n) * o_.n, in_);
    d_rows_ = buffer(std::size_t(ow) * o_.n, nullptr);
    d_out_ = buffer(std::size_t(ow) * ow, out_);
    d_weights_ = buffer(o_.kw, weights_);
    write_inputs();
    check(clFinish(queue_), "clFinish");
  }

  void write_inputs() {
    if (shares_memory_) return;
    check(clEnqueueWriteBuffer(queue_, d_in_, CL_FALSE, 0, sizeof(T) * o_.n * o_.n, in_, 0, nullptr, nullptr), "write");
    check(clEnqueueWriteBuffer(queue_, d_weights_, CL_FALSE, 0, sizeof(T) * o_.kw, weights_, 0, nullptr, nullptr),
          "write");
  }

  void read_output() {
    const std::size_t ow = o_.n - o_.kw + 1;
    if (!shares_memory_)
      check(clEnqueueReadBuffer(queue_, d_out_, CL_FALSE, 0, sizeof(T) * ow * ow, out_, 0, nullptr, nullptr), "read");
  }

  bool launch(const Pass& p, Shape s) {
    int arg = 0;
    const auto set = [&](std::size_t size, const void* value) {
      check(clSetKernelArg(p.kernel, arg++, size, value), "clSetKernelArg");
    };
    set(sizeof p.src, &p.src), set(sizeof d_weights_, &d_weights_), set(sizeof p.dst, &p.dst);
    set(sizeof p.w, &p.w), set(sizeof p.ow, &p.ow), set(sizeof p.oh, &p.oh);
    if (p.is_local) {
      set((s.x + p.halo_x) * (s.y + p.halo_y) * sizeof(T), nullptr);
      set(sizeof p.h, &p.h);
    }
    const std::size_t local[2] = {s.x, s.y};
    const std::size_t global[2] = {(p.ow + s.x - 1) / s.x * s.x, (p.oh + s.y - 1) / s.y * s.y};
    cl_event event;
    if (clEnqueueNDRangeKernel(queue_, p.kernel, 2, nullptr, global, local, 0, nullptr, &event) != CL_SUCCESS)
      return false;
    launched_.push_back(event);
    return true;
  }

  /// Returns the time of the kernels launched since the last call, by the device's clock.
  double kernel_ns() {
    double sum = 0;
    for (cl_event event : launched_) {
      cl_ulong start = 0, end = 0;
      check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr), "profiling");
      check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "profiling");
      sum += double(end - start);
      clReleaseEvent(event);
    }
    launched_.clear();
    return sum;
  }

  /// Prepares a trial as `--serve` does: the host writes the input and the first contents of the output anew.
  void restore(bool with_transfers) {
    for (cl_event event : launched_) clReleaseEvent(event);  // those of a trial that failed
    launched_.clear();
    const std::size_t ow = o_.n - o_.kw + 1;
    std::memcpy(in_, saved_, sizeof(T) * o_.n * o_.n);
    std::fill_n(out_, ow * ow, std::numeric_limits<T>::quiet_NaN());
    if (!with_transfers) write_inputs();
    check(clFinish(queue_), "clFinish");
  }

  std::vector<Pass> passes(bool is_2d, bool is_local) {
    const auto kernel = [&](std::string name) {
      cl_int status;
      cl_kernel k = clCreateKernel(program_, (name + (is_local ? "_local" : "_basic")).c_str(), &status);
      check(status, "clCreateKernel");
      return k;
    };
    const int ow = o_.n - o_.kw + 1, halo = o_.kw - 1;
    if (is_2d) return {{kernel("both"), d_in_, d_out_, o_.n, o_.n, ow, ow, halo, halo, is_local}};
    return {{kernel("rows"), d_in_, d_rows_, o_.n, o_.n, ow, o_.n, halo, 0, is_local},
            {kernel("columns"), d_rows_, d_out_, ow, o_.n, ow, ow, 0, halo, is_local}};
  }

  struct Times {
    double wall = INFINITY, kernel = INFINITY;  ///< ns, medians
  };
  Times time(const std::vector<Pass>& passes, const std::vector<Shape>& shapes, bool with_transfers, int trials) {
    std::vector<double> times, kernels;
    for (int t = 0; t <= trials; ++t) {
      restore(with_transfers);
      const auto start = Clock::now();
      if (with_transfers) write_inputs();
      for (std::size_t i = 0; i < passes.size(); ++i)
        if (!launch(passes[i], shapes[i])) return {};
      if (with_transfers) read_output();
      if (clFinish(queue_) != CL_SUCCESS) return {};
      const double wall = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
      const double kernel = kernel_ns();
      if (t > 0) times.push_back(wall), kernels.push_back(kernel);
    }
    return {median(times), median(kernels)};
  }

  struct Best {
    double kernel, resident, end_to_end;
    std::string shape;
  };
  /// Each pass takes the shape that is fastest for it alone; then the whole job is timed.
  Best best(bool is_2d, bool is_local) {
    const auto all = passes(is_2d, is_local);
    std::vector<Shape> chosen;
    std::string text;
    for (const Pass& p : all) {
      double fastest = INFINITY;
      Shape shape = kShapes[0];
      for (const Shape s : kShapes)
        if (const double t = time({p}, {s}, false, 3).kernel; t < fastest) fastest = t, shape = s;
      chosen.push_back(shape);
      text += (text.empty() ? "" : "+") + std::to_string(shape.x) + "x" + std::to_string(shape.y);
    }
    const Times resident = time(all, chosen, false, o_.trials);
    return {resident.kernel, resident.wall, time(all, chosen, true, o_.trials).wall, text};
  }

  Options o_;
  cl_device_id device_{};
  cl_context context_{};
  cl_command_queue queue_{};
  cl_program program_{};
  bool shares_memory_ = false;
  T *in_{}, *out_{}, *weights_{}, *saved_{};
  std::vector<cl_event> launched_;
  cl_mem d_in_{}, d_rows_{}, d_out_{}, d_weights_{};
};

}  // namespace

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return i + 1 < argc ? argv[++i] : "0"; };
    if (a == "--n")
      o.n = std::atoi(next());
    else if (a == "--width")
      o.kw = std::atoi(next());
    else if (a == "--trials")
      o.trials = std::atoi(next());
    else if (a == "--device")
      o.device = std::atoi(next());
    else if (a == "--source")
      o.source = next();
    else if (a == "--float")
      o.is_float = true;
    else
      return std::fprintf(stderr, "baseline_opencl: unknown option %s\n", a.c_str()), 1;
  }
  if (o.n < o.kw || o.kw < 1 || o.trials < 1) return std::fprintf(stderr, "baseline_opencl: sizes do not fit\n"), 1;
  if (o.is_float)
    Bench<float>(o).print();
  else
    Bench<double>(o).print();
}
