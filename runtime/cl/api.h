// SPDX-License-Identifier: MIT
// OpenCL's functions, loaded at run time, behind one checked call path: a call that fails throws ClError with the names
// of the function and of the error. Private to runtime/cl.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <memory>
#include <string>
#include <utility>

#include "runtime/gpu/device.h"

namespace pbrt::cl {

/// `CL_OUT_OF_RESOURCES`, …; `error -9999` for what the standard does not name.
[[nodiscard]] std::string error_name(cl_int code);

/// A call of OpenCL failed. Since it is a DeviceFailure, the device is not used any more, unless a caller handles the
/// error.
class ClError : public gpu::DeviceFailure {
 public:
  ClError(const char* function, cl_int code)
      : gpu::DeviceFailure(std::string(function) + ": " + error_name(code)), code_(code) {}
  [[nodiscard]] cl_int code() const { return code_; }

 private:
  cl_int code_;
};

/// Whether the code says that something did not fit, so that the device is still usable.
[[nodiscard]] bool is_refusal(cl_int code);

template <class Signature>
class Function;

/// A function of the OpenCL loader, found by its name.
template <class Result, class... Params>
class Function<Result(Params...)> {
 public:
  explicit Function(const char* name) : name_(name) {}
  /// Looks the function up in the library; false if the library lacks it.
  [[nodiscard]] bool find(void* library, void* (*look_up)(void*, const char*)) {
    pointer_ = reinterpret_cast<Result (*)(Params...)>(look_up(library, name_));
    return pointer_ != nullptr;
  }

  /// Calls a function that returns a status. Throws ClError.
  template <class... Args>
  void operator()(Args&&... args) const {
    const cl_int code = pointer_(std::forward<Args>(args)...);
    if (code != CL_SUCCESS) throw ClError(name_, code);
  }
  /// Calls the function and returns its status: for destructors, and where failing is an answer.
  template <class... Args>
  [[nodiscard]] cl_int status(Args&&... args) const {
    return pointer_(std::forward<Args>(args)...);
  }
  /// Calls a function that returns an object and takes a pointer to a status last. Throws ClError.
  template <class... Args>
  [[nodiscard]] Result make(Args&&... args) const {
    cl_int code = CL_SUCCESS;
    Result result = pointer_(std::forward<Args>(args)..., &code);
    if (code != CL_SUCCESS) throw ClError(name_, code);
    return result;
  }

 private:
  const char* name_;
  Result (*pointer_)(Params...) = nullptr;
};

// Flat by design: every function that is used.
#define PBRT_CL_FUNCTIONS(X)     \
  X(clGetPlatformIDs)            \
  X(clGetPlatformInfo)           \
  X(clGetDeviceIDs)              \
  X(clGetDeviceInfo)             \
  X(clCreateContext)             \
  X(clReleaseContext)            \
  X(clCreateCommandQueue)        \
  X(clReleaseCommandQueue)       \
  X(clCreateBuffer)              \
  X(clReleaseMemObject)          \
  X(clCreateProgramWithSource)   \
  X(clCreateProgramWithBinary)   \
  X(clBuildProgram)              \
  X(clReleaseProgram)            \
  X(clGetProgramInfo)            \
  X(clGetProgramBuildInfo)       \
  X(clCreateKernel)              \
  X(clReleaseKernel)             \
  X(clGetKernelWorkGroupInfo)    \
  X(clSetKernelArg)              \
  X(clEnqueueNDRangeKernel)      \
  X(clEnqueueWriteBuffer)        \
  X(clEnqueueWriteBufferRect)    \
  X(clEnqueueReadBuffer)         \
  X(clEnqueueReadBufferRect)     \
  X(clEnqueueFillBuffer)         \
  X(clEnqueueMapBuffer)          \
  X(clEnqueueUnmapMemObject)     \
  X(clEnqueueMarkerWithWaitList) \
  X(clSetEventCallback)          \
  X(clWaitForEvents)             \
  X(clGetEventInfo)              \
  X(clGetEventProfilingInfo)     \
  X(clRetainEvent)               \
  X(clReleaseEvent)              \
  X(clFlush)                     \
  X(clFinish)

class Api {
 public:
  /// Loads OpenCL; null if there is no loader library or it lacks a function. The library stays loaded, because not all
  /// drivers survive being unloaded.
  [[nodiscard]] static std::shared_ptr<const Api> load();

  // The member `name` calls the function `name`.
#define PBRT_CL_MEMBER(name) Function<std::remove_pointer_t<decltype(&::name)>> name{#name};
  PBRT_CL_FUNCTIONS(PBRT_CL_MEMBER)
#undef PBRT_CL_MEMBER
};

}  // namespace pbrt::cl
