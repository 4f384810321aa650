// SPDX-License-Identifier: MIT
// Owners of OpenCL objects: move-only, released by destructors that do not throw. Private to runtime/cl.
#pragma once

#include <memory>
#include <utility>

#include "runtime/cl/api.h"

namespace pbrt::cl {

/// Owns one reference to an object of type `Id`, released by the function `Release` of the table.
template <class Id, auto Release>
class Object {
 public:
  Object() = default;
  Object(const Api& api, Id id) : api_(&api), id_(id) {}
  Object(Object&& other) noexcept : api_(other.api_), id_(std::exchange(other.id_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~Object() {
    if (id_ != nullptr) static_cast<void>((api_->*Release).status(id_));  // nothing can be done about a failure
  }

  [[nodiscard]] Id get() const { return id_; }
  explicit operator bool() const { return id_ != nullptr; }

 private:
  const Api* api_ = nullptr;
  Id id_ = nullptr;
};

using Context = Object<cl_context, &Api::clReleaseContext>;
using Queue = Object<cl_command_queue, &Api::clReleaseCommandQueue>;
using Memory = Object<cl_mem, &Api::clReleaseMemObject>;
using Program = Object<cl_program, &Api::clReleaseProgram>;
using KernelObject = Object<cl_kernel, &Api::clReleaseKernel>;
using Event = Object<cl_event, &Api::clReleaseEvent>;

}  // namespace pbrt::cl
