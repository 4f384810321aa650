// SPDX-License-Identifier: MIT
#include "runtime/cl/device_list.h"

#include <algorithm>

#include "runtime/cl/cl_device.h"

namespace pbrt::cl {
namespace {

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  api.clGetDeviceInfo(device, what, std::size_t{0}, nullptr, &size);
  std::string text(size, '\0');
  api.clGetDeviceInfo(device, what, size, text.data(), nullptr);
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  api.clGetPlatformInfo(platform, what, std::size_t{0}, nullptr, &size);
  std::string text(size, '\0');
  api.clGetPlatformInfo(platform, what, size, text.data(), nullptr);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

template <class T>
T device_value(const Api& api, cl_device_id device, cl_device_info what) {
  T value = {};
  api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

gpu::DeviceType type_of(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return gpu::DeviceType::Cpu;
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return gpu::DeviceType::Gpu;
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return gpu::DeviceType::Accelerator;
  return gpu::DeviceType::Other;
}

/// Throws ClError if the device does not answer.
gpu::DeviceInfo describe(const Api& api, cl_platform_id platform, cl_device_id device) {
  gpu::DeviceInfo info;
  info.name = device_text(api, device, CL_DEVICE_NAME);
  info.driver = device_text(api, device, CL_DRIVER_VERSION);
  info.platform =
      platform_text(api, platform, CL_PLATFORM_NAME) + " " + platform_text(api, platform, CL_PLATFORM_VERSION);
  info.type = type_of(device_value<cl_device_type>(api, device, CL_DEVICE_TYPE));
  info.memory_bytes = device_value<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  info.max_alloc_bytes = device_value<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_bytes = device_value<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
  info.compute_units = static_cast<int>(device_value<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  info.max_group_size = device_value<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  const auto num_dims = device_value<cl_uint>(api, device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  std::vector<std::size_t> shape(num_dims, 1);
  api.clGetDeviceInfo(device, cl_device_info{CL_DEVICE_MAX_WORK_ITEM_SIZES}, num_dims * sizeof(std::size_t),
                      shape.data(), nullptr);
  for (std::size_t d = 0; d < std::min<std::size_t>(3, shape.size()); ++d) info.max_group_shape[d] = shape[d];
  const std::string extensions = device_text(api, device, CL_DEVICE_EXTENSIONS);
  const auto has = [&](const char* extension) { return extensions.find(extension) != std::string::npos; };
  info.has_fp64 = has("cl_khr_fp64");
  info.has_sub_group_shuffles = has("cl_khr_subgroup_shuffle") && has("cl_intel_required_subgroup_size");
  info.rounds_float_quotients = (device_value<cl_device_fp_config>(api, device, CL_DEVICE_SINGLE_FP_CONFIG) &
                                 CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  info.shares_host_memory = device_value<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  // A device on the host's own cores has no other memory, whatever it says.
  if (info.type == gpu::DeviceType::Cpu) info.shares_host_memory = true;
  if (runs_as_gpu()) info.type = gpu::DeviceType::Gpu;
  return info;
}

template <class Id, class Query>
std::vector<Id> ids_of(const Query& query) {
  cl_uint count = 0;
  if (query(cl_uint{0}, static_cast<Id*>(nullptr), &count) != CL_SUCCESS || count == 0) return {};
  std::vector<Id> ids(count);
  if (query(count, ids.data(), static_cast<cl_uint*>(nullptr)) != CL_SUCCESS) return {};
  return ids;
}

}  // namespace

struct DeviceList::Ids {
  struct Each {
    cl_platform_id platform;
    cl_device_id device;
  };
  std::vector<Each> all;
};

DeviceList::DeviceList() : api_(Api::load()), ids_(std::make_unique<Ids>()) {
  if (api_ == nullptr) return;
  const auto platforms = ids_of<cl_platform_id>([&](cl_uint count, cl_platform_id* ids, cl_uint* found) {
    return api_->clGetPlatformIDs.status(count, ids, found);
  });
  for (const cl_platform_id platform : platforms) {
    const auto devices = ids_of<cl_device_id>([&](cl_uint count, cl_device_id* ids, cl_uint* found) {
      return api_->clGetDeviceIDs.status(platform, cl_device_type{CL_DEVICE_TYPE_ALL}, count, ids, found);
    });
    for (const cl_device_id device : devices) {
      try {
        infos_.push_back(describe(*api_, platform, device));
        ids_->all.push_back({platform, device});
      } catch (const ClError&) {
        // A device that cannot be described counts as missing.
      }
    }
  }
}

DeviceList::~DeviceList() = default;
DeviceList::DeviceList(DeviceList&&) noexcept = default;
DeviceList& DeviceList::operator=(DeviceList&&) noexcept = default;

std::unique_ptr<gpu::Device> DeviceList::open(std::size_t index, const Options& options) const {
  const Ids::Each& each = ids_->all.at(index);
  return std::make_unique<ClDevice>(api_, each.platform, each.device, infos_[index], options);
}

}  // namespace pbrt::cl
