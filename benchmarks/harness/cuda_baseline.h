// SPDX-License-Identifier: MIT
// What baselines in CUDA share beside baseline.h: errors, memory of the device, and how they are measured.
//
//   baseline … [--device N] [--resident 1]
//
// With --resident 1 inputs are on the device before the clock starts, and outputs stay there.
#pragma once

#include <cuda_runtime.h>

#include "benchmarks/harness/baseline.h"

namespace baseline {

inline void check(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) fail(what + ": " + cudaGetErrorString(status));
}

/// Memory of the device for `count` elements.
template <class T>
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t count) {
    check(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)), "cudaMalloc");
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  [[nodiscard]] T* data() const { return static_cast<T*>(data_); }

  void upload(const Array<T>& from) const {
    check(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  }
  void download(const Array<T>& to) const {
    check(cudaMemcpy(to.data(), data_, to.size() * sizeof(T), cudaMemcpyDeviceToHost), "download");
  }

 private:
  void* data_ = nullptr;
};

/// Makes --device the current device.
inline void choose_device(const Run& run) { check(cudaSetDevice(run.number("device", 0)), "cudaSetDevice"); }

/// Measures `solve`, which starts kernels, as Run::measure does. `upload` and `download` copy the inputs and the
/// outputs; they are timed unless arrays stay on the device. What `solve` takes by the device's clock counts as
/// kernels.
template <class Upload, class Solve, class Download, class Write>
void measure_on_device(Run& run, Upload upload, Solve solve, Download download, Write write_outputs) {
  const bool is_resident = run.number("resident", 0) != 0;
  cudaEvent_t start = nullptr, end = nullptr;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  run.measure(
      [&] {
        if (is_resident) upload();
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      },
      [&] {
        if (!is_resident) upload();
        check(cudaEventRecord(start), "cudaEventRecord");
        solve();
        check(cudaGetLastError(), "kernel");
        check(cudaEventRecord(end), "cudaEventRecord");
        if (!is_resident) download();
        check(cudaEventSynchronize(end), "cudaEventSynchronize");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start, end), "cudaEventElapsedTime");
        run.add_kernel_ns(1e6 * milliseconds);
      },
      [&] {
        download();
        write_outputs();
      });
  cudaEventDestroy(start);
  cudaEventDestroy(end);
}

}  // namespace baseline
