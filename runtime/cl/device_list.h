// SPDX-License-Identifier: MIT
// The OpenCL devices of this machine, over all platforms, and opening one. OpenCL is found at run time: without a
// loader library the list is empty. Used by program_main; nothing else names OpenCL.
#pragma once

#include <memory>
#include <vector>

#include "runtime/cl/device_options.h"
#include "runtime/gpu/device.h"

namespace pbrt::cl {

class Api;

/// The devices in a stable order: platforms as the loader lists them, devices as the platform does.
///
/// Errors: none; a platform that does not answer is left out
/// Cost:   loads the drivers on the first call
class DeviceList {
 public:
  /// Lists the devices. The environment's POLYBRICKS_OPENCL is the loader library to use instead of libOpenCL.so.1;
  /// `none`: no OpenCL.
  DeviceList();
  ~DeviceList();
  DeviceList(DeviceList&&) noexcept;
  DeviceList& operator=(DeviceList&&) noexcept;

  [[nodiscard]] const std::vector<gpu::DeviceInfo>& devices() const { return infos_; }

  /// Opens a device. Throws DeviceError if it cannot be used.
  [[nodiscard]] std::unique_ptr<gpu::Device> open(std::size_t index, const Options& options = {}) const;

 private:
  struct Ids;
  std::shared_ptr<const Api> api_;
  std::vector<gpu::DeviceInfo> infos_;
  std::unique_ptr<Ids> ids_;
};

}  // namespace pbrt::cl
