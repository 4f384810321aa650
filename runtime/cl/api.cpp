// SPDX-License-Identifier: MIT
#include "runtime/cl/api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "runtime/cl/driver_cache.h"

namespace pbrt::cl {

// Flat by design.
// clang-format off
#define PBRT_CL_ERRORS(X) \
  X(CL_DEVICE_NOT_FOUND) \
  X(CL_DEVICE_NOT_AVAILABLE) \
  X(CL_COMPILER_NOT_AVAILABLE) \
  X(CL_MEM_OBJECT_ALLOCATION_FAILURE) \
  X(CL_OUT_OF_RESOURCES) \
  X(CL_OUT_OF_HOST_MEMORY) \
  X(CL_PROFILING_INFO_NOT_AVAILABLE) \
  X(CL_MEM_COPY_OVERLAP) \
  X(CL_BUILD_PROGRAM_FAILURE) \
  X(CL_MAP_FAILURE) \
  X(CL_MISALIGNED_SUB_BUFFER_OFFSET) \
  X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
  X(CL_COMPILE_PROGRAM_FAILURE) \
  X(CL_LINKER_NOT_AVAILABLE) \
  X(CL_LINK_PROGRAM_FAILURE) \
  X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE) \
  X(CL_INVALID_VALUE) \
  X(CL_INVALID_DEVICE_TYPE) \
  X(CL_INVALID_PLATFORM) \
  X(CL_INVALID_DEVICE) \
  X(CL_INVALID_CONTEXT) \
  X(CL_INVALID_QUEUE_PROPERTIES) \
  X(CL_INVALID_COMMAND_QUEUE) \
  X(CL_INVALID_HOST_PTR) \
  X(CL_INVALID_MEM_OBJECT) \
  X(CL_INVALID_BINARY) \
  X(CL_INVALID_BUILD_OPTIONS) \
  X(CL_INVALID_PROGRAM) \
  X(CL_INVALID_PROGRAM_EXECUTABLE) \
  X(CL_INVALID_KERNEL_NAME) \
  X(CL_INVALID_KERNEL_DEFINITION) \
  X(CL_INVALID_KERNEL) \
  X(CL_INVALID_ARG_INDEX) \
  X(CL_INVALID_ARG_VALUE) \
  X(CL_INVALID_ARG_SIZE) \
  X(CL_INVALID_KERNEL_ARGS) \
  X(CL_INVALID_WORK_DIMENSION) \
  X(CL_INVALID_WORK_GROUP_SIZE) \
  X(CL_INVALID_WORK_ITEM_SIZE) \
  X(CL_INVALID_GLOBAL_OFFSET) \
  X(CL_INVALID_EVENT_WAIT_LIST) \
  X(CL_INVALID_EVENT) \
  X(CL_INVALID_OPERATION) \
  X(CL_INVALID_BUFFER_SIZE) \
  X(CL_INVALID_GLOBAL_WORK_SIZE) \
  X(CL_INVALID_PROPERTY)
// clang-format on

std::string error_name(cl_int code) {
#define PBRT_CL_ERROR_NAME(name) \
  if (code == name) return #name;
  PBRT_CL_ERRORS(PBRT_CL_ERROR_NAME)
#undef PBRT_CL_ERROR_NAME
  return "error " + std::to_string(code);
}

bool is_refusal(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
    case CL_INVALID_HOST_PTR:
    case CL_INVALID_ARG_SIZE:
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_GLOBAL_WORK_SIZE:
      return true;
    default:
      return false;
  }
}

namespace {

void* look_up(void* library, const char* name) { return ::dlsym(library, name); }

}  // namespace

std::shared_ptr<const Api> Api::load() {
  const char* wanted = std::getenv("POLYBRICKS_OPENCL");
  if (wanted == nullptr || *wanted == '\0') wanted = "libOpenCL.so.1";
  if (std::strcmp(wanted, "none") == 0) return nullptr;
  ensure_driver_cache();
  void* library = ::dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto api = std::make_shared<Api>();
  bool is_complete = true;
#define PBRT_CL_FIND(name) is_complete = api->name.find(library, look_up) && is_complete;
  PBRT_CL_FUNCTIONS(PBRT_CL_FIND)
#undef PBRT_CL_FIND
  return is_complete ? api : nullptr;
}

}  // namespace pbrt::cl
