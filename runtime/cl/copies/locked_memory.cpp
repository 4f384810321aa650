// SPDX-License-Identifier: MIT
#include "runtime/cl/copies/locked_memory.h"

#include <utility>

namespace pbrt::cl {

LockedMemory::LockedMemory(const Api& api, cl_context context, cl_command_queue queue, std::size_t bytes)
    : api_(&api),
      queue_(queue),
      memory_(api, api.clCreateBuffer.make(context, cl_mem_flags{CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR}, bytes,
                                           nullptr)),
      mapped_(static_cast<std::byte*>(api.clEnqueueMapBuffer.make(queue, memory_.get(), cl_bool{CL_TRUE},
                                                                  cl_map_flags{CL_MAP_READ | CL_MAP_WRITE},
                                                                  std::size_t{0}, bytes, 0U, nullptr, nullptr))) {}

LockedMemory::~LockedMemory() {
  if (mapped_ == nullptr) return;
  // The memory goes with its object, also if this fails.
  static_cast<void>(
      api_->clEnqueueUnmapMemObject.status(queue_, memory_.get(), static_cast<void*>(mapped_), 0U, nullptr, nullptr));
  static_cast<void>(api_->clFinish.status(queue_));
}

LockedMemory::LockedMemory(LockedMemory&& other) noexcept
    : api_(other.api_),
      queue_(other.queue_),
      memory_(std::move(other.memory_)),
      mapped_(std::exchange(other.mapped_, nullptr)) {}

LockedMemory& LockedMemory::operator=(LockedMemory&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(queue_, other.queue_);
  std::swap(memory_, other.memory_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace pbrt::cl
