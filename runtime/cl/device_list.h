// SPDX-License-Identifier: MIT
// The OpenCL devices of this machine, over all platforms, and opening one. OpenCL is found at run time: without a
// loader library the list is empty. Used by program_main; nothing else names OpenCL.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/gpu/device.h"

namespace pbrt::cl {

/// How a device reports that an operation has ended.
enum class EndReports : std::uint8_t {
  ByDevice,   ///< a thread for GPUs, callbacks for others (a waiting thread would take a core from them)
  Callbacks,  ///< clSetEventCallback
  Thread,     ///< event_waiter.h
};

struct Options {
  /// Folder of compiled kernels; empty: $XDG_CACHE_HOME/polybricks/kernels or ~/.cache/polybricks/kernels. "none": no
  /// files.
  std::string cache_folder;
  /// Size of a pinned chunk through which transfers of devices with their own memory go; 0: transfers go straight from
  /// and to the storage.
  std::size_t staging_chunk_bytes = 0;
  /// If false, devices have buffers of their own, and copies, also where they share the host's memory.
  bool may_use_host_memory = true;
  EndReports ends = EndReports::ByDevice;
  bool is_profiled = false;  ///< counts the time of kernels by the device's clock
};

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
