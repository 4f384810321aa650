// SPDX-License-Identifier: MIT
#include "runtime/cl/kernel_times.h"

namespace pbrt::cl {

void KernelTimes::add(cl_event event) {
  api_.clRetainEvent(event);
  const std::lock_guard lock(mutex_);
  running_.emplace_back(api_, event);
}

std::int64_t KernelTimes::total_ns() {
  const std::lock_guard lock(mutex_);
  std::erase_if(running_, [this](const Event& event) {
    cl_ulong start = 0, end = 0;
    const auto ask = [&](cl_uint what, cl_ulong& time) {
      return api_.clGetEventProfilingInfo.status(event.get(), cl_profiling_info{what}, sizeof time,
                                                 static_cast<void*>(&time), nullptr) == CL_SUCCESS;
    };
    if (!ask(CL_PROFILING_COMMAND_START, start) || !ask(CL_PROFILING_COMMAND_END, end)) return false;
    total_ns_ += static_cast<std::int64_t>(end - start);
    return true;
  });
  return total_ns_;
}

}  // namespace pbrt::cl
