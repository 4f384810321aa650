// SPDX-License-Identifier: MIT
#include "runtime/cl/device_list.h"
#include "runtime/config/errors.h"
#include "runtime/gpu/lane_exchange.h"
#include "runtime/gpu/wrappers/building_device.h"
#include "runtime/gpu/wrappers/delayed_device.h"
#include "runtime/gpu/wrappers/faulty_device.h"
#include "runtime/gpu/wrappers/limited_device.h"
#include "runtime/main/machine/devices.h"

namespace pbrt {

namespace {

class OpenClProvider : public DeviceProvider {
 public:
  explicit OpenClProvider(const DeviceWishes& wishes) : wishes_(wishes) {}

  std::vector<gpu::DeviceInfo> list() override {
    if (devices_ == nullptr) devices_ = std::make_unique<cl::DeviceList>();
    return devices_->devices();
  }
  std::unique_ptr<gpu::Device> open(int index, bool is_profiled) override {
    (void)list();
    cl::Options options;
    options.is_profiled = is_profiled;
    const std::optional<gpu::Delays> delays = gpu::delays_of_environment();
    const std::optional<gpu::DeviceFaults> faults = gpu::faults_of_environment();
    options.may_use_host_memory = wishes_.may_use_host_memory && !delays && wishes_.limit.count() == 0;
    // A limit, and a trace, need the end of each operation.
    options.shares_events = !wishes_.is_traced && wishes_.limit.count() == 0;
    options.exchange = gpu::exchange_of_environment();
    std::unique_ptr<gpu::Device> device = devices_->open(static_cast<std::size_t>(index), options);
    if (options.exchange && !gpu::can_exchange(*device, *options.exchange))
      throw UserError("POLYBRICKS_LANE_EXCHANGE asks for what " + device->info().name + " does not have");
    if (wishes_.only_builds) return std::make_unique<gpu::BuildingDevice>(std::move(device));
    if (delays) device = std::make_unique<gpu::DelayedDevice>(std::move(device), *delays);
    if (faults) device = std::make_unique<gpu::FaultyDevice>(std::move(device), *faults);
    if (wishes_.limit.count() != 0) device = std::make_unique<gpu::LimitedDevice>(std::move(device), wishes_.limit);
    return device;
  }

 private:
  DeviceWishes wishes_;
  std::unique_ptr<cl::DeviceList> devices_;
};

}  // namespace

std::unique_ptr<DeviceProvider> make_opencl_provider(const DeviceWishes& wishes) {
  return std::make_unique<OpenClProvider>(wishes);
}

}  // namespace pbrt
