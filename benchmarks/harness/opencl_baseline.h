// SPDX-License-Identifier: MIT
// What hand-written OpenCL baselines share beside baseline.h: the device, programs, buffers, launches and their times.
//
//   baseline … [--device N] [--source FILE.cl] [--resident 1]
//
// N counts the devices of all platforms, as --list-devices of a generated program does; it may also be a part of a
// device's name. With --resident 1 inputs are on the device before the clock starts, and outputs stay there.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cctype>
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "benchmarks/harness/baseline.h"

namespace baseline {

inline void check(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) fail(what + " failed (" + std::to_string(status) + ")");
}

/// The file `name` in the folder of `file`, which is __FILE__ of the baseline.
[[nodiscard]] inline std::string beside(const std::string& file, const std::string& name) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? name : file.substr(0, slash + 1) + name;
}

/// Calls `measure(number, options)` with a number of the type that `--element` names, which is double if it is not
/// given. With these options, kernels know the type as T, and vectors of four as T4.
template <class Measure>
void with_element(Run& run, const Measure& measure) {
  if (run.text("element", "double") == "float") {
    measure(float{}, std::string("-DT=float -DT4=float4"));
  } else {
    measure(double{}, std::string("-DT=double -DT4=double4"));
  }
}

/// Owns an object of OpenCL.
template <class T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, cl_int (*)(T)>;

/// Memory of a device. Other devices share the memory of an array on the host.
using Memory = Handle<cl_mem>;

/// Bytes of local memory, as an argument of a kernel.
struct Local {
  std::size_t bytes;
};

/// Work-items of a group in the two dimensions of a picture.
struct Group {
  std::size_t x, y;
};

/// One device with a queue that works in order.
class Device {
 public:
  explicit Device(Run& run) : run_(run), is_resident_(run.number("resident", 0) != 0) {
    id_ = chosen(run.text("device", "0"));
    shares_memory_ = (number<cl_device_type>(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    cl_int status = 0;
    context_.reset(clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    queue_.reset(clCreateCommandQueue(context_.get(), id_, CL_QUEUE_PROFILING_ENABLE, &status));
    check(status, "clCreateCommandQueue");
  }

  [[nodiscard]] cl_device_id id() const { return id_; }
  /// Whether the device is the CPU itself, and arrays of the host need no copies.
  [[nodiscard]] bool shares_memory() const { return shares_memory_; }
  /// What clGetDeviceInfo says. T is the type that OpenCL gives to this property.
  template <class T>
  [[nodiscard]] T number(cl_device_info property) const {
    T value{};
    check(clGetDeviceInfo(id_, property, sizeof value, &value, nullptr), "clGetDeviceInfo");
    return value;
  }
  /// Bytes of local memory that a group may use.
  [[nodiscard]] std::size_t local_bytes() const { return number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE); }
  [[nodiscard]] cl_context context() const { return context_.get(); }
  [[nodiscard]] cl_command_queue queue() const { return queue_.get(); }

  /// Compiles --source, or `path` if there is no such option, with options of clBuildProgram.
  void build(const std::string& path, const std::string& options) {
    const std::string name = run_.text("source", path);
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(name.c_str(), "rb"), std::fclose);
    if (!file) fail(name + ": cannot be read");
    std::string source;
    for (char part[4096]; const std::size_t count = std::fread(part, 1, sizeof part, file.get());)
      source.append(part, count);
    const char* start = source.c_str();
    cl_int status = 0;
    program_.reset(clCreateProgramWithSource(context_.get(), 1, &start, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_.get(), 1, &id_, options.c_str(), nullptr, nullptr) == CL_SUCCESS) return;
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program_.get(), id_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    fail(name + ": " + log.data());
  }

  [[nodiscard]] Handle<cl_kernel> kernel(const std::string& name) const {
    cl_int status = 0;
    Handle<cl_kernel> kernel(clCreateKernel(program_.get(), name.c_str(), &status), clReleaseKernel);
    check(status, "clCreateKernel " + name);
    return kernel;
  }

  /// The most work-items that a group of this kernel may have.
  [[nodiscard]] std::size_t most_items(const Handle<cl_kernel>& kernel) const {
    std::size_t most = 0;
    check(clGetKernelWorkGroupInfo(kernel.get(), id_, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr),
          "clGetKernelWorkGroupInfo");
    return most;
  }

  /// Memory for `count` elements that the host does not see.
  template <class T>
  [[nodiscard]] Memory memory(std::size_t count) const {
    return memory(std::max<std::size_t>(count, 1) * sizeof(T), nullptr);
  }
  /// Memory for an array: the array's own where the device shares the memory of the host.
  template <class T>
  [[nodiscard]] Memory memory(const Array<T>& array) const {
    return memory(std::max<std::size_t>(array.size(), 1) * sizeof(T), shares_memory_ ? array.data() : nullptr);
  }

  /// Copies an array to its memory; nothing to do where both are the same.
  template <class T>
  void upload(const Memory& memory, const Array<T>& array) const {
    if (shares_memory_ || array.size() == 0) return;
    check(clEnqueueWriteBuffer(queue(), memory.get(), CL_FALSE, 0, array.size() * sizeof(T), array.data(), 0, nullptr,
                               nullptr),
          "clEnqueueWriteBuffer");
  }
  /// Copies memory to its array and waits for that.
  template <class T>
  void download(const Memory& memory, const Array<T>& array) const {
    if (shares_memory_ || array.size() == 0) return finish();
    check(clEnqueueReadBuffer(queue(), memory.get(), CL_TRUE, 0, array.size() * sizeof(T), array.data(), 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
  }

  /// Enqueues a kernel. `global` work-items are rounded up to whole groups of `local`, so kernels have to test their
  /// bounds.
  template <class... Arguments>
  void launch(const Handle<cl_kernel>& kernel, std::initializer_list<std::size_t> global,
              std::initializer_list<std::size_t> local, const Arguments&... arguments) {
    if (!try_launch(kernel, global, local, arguments...)) fail("clEnqueueNDRangeKernel: no room for such groups");
  }
  /// The same, if the device has what such groups need; else nothing is launched, and the answer is false. How much
  /// local memory a driver keeps for itself is known only then.
  template <class... Arguments>
  [[nodiscard]] bool try_launch(const Handle<cl_kernel>& kernel, std::initializer_list<std::size_t> global,
                                std::initializer_list<std::size_t> local, const Arguments&... arguments) {
    cl_uint number = 0;
    (set(kernel.get(), number++, arguments), ...);
    std::vector<std::size_t> items(global);
    for (std::size_t d = 0; d < items.size(); ++d)
      items[d] = (items[d] + local.begin()[d] - 1) / local.begin()[d] * local.begin()[d];
    cl_event event = nullptr;
    const cl_int status = clEnqueueNDRangeKernel(queue(), kernel.get(), static_cast<cl_uint>(items.size()), nullptr,
                                                 items.data(), local.begin(), 0, nullptr, &event);
    if (status == CL_OUT_OF_RESOURCES || status == CL_INVALID_WORK_GROUP_SIZE) return false;
    check(status, "clEnqueueNDRangeKernel");
    launched_.emplace_back(event, clReleaseEvent);
    return true;
  }

  /// The group for which the kernels that `launch(group)` enqueues take the least time by the device's clock, from a
  /// list of usual ones. `launch` says whether it could launch them with this group. Nothing of this is measured.
  template <class Launch>
  [[nodiscard]] Group fastest_group(Launch launch) {
    constexpr Group kGroups[] = {{16, 16}, {32, 8},  {64, 4},  {32, 4},  {64, 1}, {128, 1},
                                 {128, 2}, {256, 1}, {512, 1}, {32, 32}, {16, 8}, {128, 8}};
    Group fastest{1, 1};
    double least = HUGE_VAL;
    for (const Group group : kGroups) {
      if (!launch(group)) continue;
      kernels_ns();  // the first run does not count: drivers may still compile
      double ns = HUGE_VAL;
      for (int trial = 0; trial < 3; ++trial) {
        launch(group);
        ns = std::min(ns, kernels_ns());
      }
      if (ns < least) least = ns, fastest = group;
    }
    return fastest;
  }

  /// Measures `solve`, which enqueues kernels, as Run::measure does. `upload` and `download` copy the inputs and the
  /// outputs; they are timed unless arrays stay on the device.
  template <class Upload, class Solve, class Download, class Write>
  void measure(Upload upload, Solve solve, Download download, Write write_outputs) {
    run_.measure(
        [&] {
          if (is_resident_) upload();
          finish();
        },
        [&] {
          if (!is_resident_) upload();
          solve();
          if (!is_resident_) download();
          run_.add_kernel_ns(kernels_ns());
        },
        [&] {
          download();
          write_outputs();
        });
  }

  /// Waits for all that was enqueued.
  void finish() const { check(clFinish(queue()), "clFinish"); }

  /// Time of the kernels since the last call in ns, by the device's clock. Waits for them.
  double kernels_ns() {
    finish();
    double sum = 0;
    for (const auto& event : launched_) {
      cl_ulong start = 0, end = 0;
      check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr),
            "profiling");
      check(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr), "profiling");
      sum += static_cast<double>(end - start);
    }
    launched_.clear();
    return sum;
  }

 private:
  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  }

  /// The device of this index, or the first one whose name holds these words.
  static cl_device_id chosen(const std::string& wish) {
    const std::vector<cl_device_id> devices = all();
    if (!wish.empty() && wish.find_first_not_of("0123456789") == std::string::npos) {
      const std::size_t index = std::strtoull(wish.c_str(), nullptr, 10);
      if (index < devices.size()) return devices[index];
    } else {
      for (const cl_device_id device : devices) {
        char name[256] = "";
        check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr), "clGetDeviceInfo");
        if (lower(name).find(lower(wish)) != std::string::npos) return device;
      }
    }
    fail("no OpenCL device " + wish);
  }

  static std::vector<cl_device_id> all() {
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count) check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<cl_device_id> devices;
    for (const cl_platform_id platform : platforms) {
      if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
      devices.resize(devices.size() + count);
      check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data() + devices.size() - count, nullptr),
            "clGetDeviceIDs");
    }
    return devices;
  }

  [[nodiscard]] Memory memory(std::size_t bytes, void* host) const {
    cl_int status = 0;
    Memory memory(clCreateBuffer(context(), CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0), bytes, host, &status),
                  clReleaseMemObject);
    check(status, "clCreateBuffer");
    return memory;
  }

  template <class T>
  static void set(cl_kernel kernel, cl_uint number, const T& value) {
    if constexpr (std::is_same_v<T, Memory>) {
      const cl_mem memory = value.get();
      check(clSetKernelArg(kernel, number, sizeof memory, &memory), "clSetKernelArg");
    } else if constexpr (std::is_same_v<T, Local>) {
      check(clSetKernelArg(kernel, number, value.bytes, nullptr), "clSetKernelArg");
    } else {
      check(clSetKernelArg(kernel, number, sizeof value, &value), "clSetKernelArg");
    }
  }

  Run& run_;
  cl_device_id id_ = nullptr;
  bool is_resident_ = false, shares_memory_ = false;
  Handle<cl_context> context_{nullptr, clReleaseContext};
  Handle<cl_command_queue> queue_{nullptr, clReleaseCommandQueue};
  Handle<cl_program> program_{nullptr, clReleaseProgram};
  std::vector<Handle<cl_event>> launched_;
};

}  // namespace baseline
