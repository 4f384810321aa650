// SPDX-License-Identifier: MIT
#include "runtime/cl/devices.h"
#include "runtime/main/devices.h"

namespace pbrt {

namespace {

class OpenClProvider : public DeviceProvider {
 public:
  explicit OpenClProvider(bool may_use_host_memory) : may_use_host_memory_(may_use_host_memory) {}

  std::vector<gpu::DeviceInfo> list() override {
    if (devices_ == nullptr) devices_ = std::make_unique<cl::DeviceList>();
    return devices_->devices();
  }
  std::unique_ptr<gpu::Device> open(int index, bool is_profiled) override {
    (void)list();
    cl::Options options;
    options.is_profiled = is_profiled;
    options.may_use_host_memory = may_use_host_memory_;
    return devices_->open(static_cast<std::size_t>(index), options);
  }

 private:
  bool may_use_host_memory_;
  std::unique_ptr<cl::DeviceList> devices_;
};

}  // namespace

std::unique_ptr<DeviceProvider> make_opencl_provider(bool may_use_host_memory) {
  return std::make_unique<OpenClProvider>(may_use_host_memory);
}

}  // namespace pbrt
