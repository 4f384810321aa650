// SPDX-License-Identifier: MIT
// The OpenCL devices of the process: listed once, when first asked for, opened once, when
// first used. Nothing here happens in a program whose configuration uses the CPU only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/config/machine.h"
#include "runtime/gpu/device.h"
#include "runtime/gpu/manager.h"
#include "runtime/gpu/several/manager_set.h"

namespace pbrt {

/// The source of devices: OpenCL, or a fake in tests.
class DeviceProvider {
 public:
  virtual ~DeviceProvider() = default;
  [[nodiscard]] virtual std::vector<gpu::DeviceInfo> list() = 0;
  /// Opens a device. `is_profiled`: it counts the time of its kernels.
  ///
  /// Errors:  DeviceError
  [[nodiscard]] virtual std::unique_ptr<gpu::Device> open(int index, bool is_profiled) = 0;
};

/// How devices are opened.
struct DeviceWishes {
  bool may_use_host_memory = true;    ///< else each has buffers of its own, and copies, also where it shares the host's
  bool only_builds = false;           ///< kernels are built, and nothing runs (gpu/wrappers/building_device.h)
  std::chrono::nanoseconds limit{0};  ///< of each operation (gpu/wrappers/limited_device.h); 0: none
  bool is_traced = false;             ///< the end of each operation is written down
};

/// The limit of so many seconds, cut to what a clock can add; none for 0 or less.
[[nodiscard]] std::chrono::nanoseconds limit_of_seconds(double seconds);

/// The devices of all platforms; none if there is no OpenCL.
[[nodiscard]] std::unique_ptr<DeviceProvider> make_opencl_provider(const DeviceWishes& wishes = {});

/// How the devices of a process are used.
struct DeviceUse {
  bool is_profiled = false;        ///< the device is, and its manager counts how long copies take
  Trace* trace = nullptr;          ///< gets the lanes of devices; it may be null, and it outlives the devices
  std::uint64_t memory_bytes = 0;  ///< the most that is used of a device's memory; 0: what the manager chooses
  bool verifies = false;           ///< results of devices are compared with the CPU's (gpu/check)
};

class Devices {
 public:
  explicit Devices(std::unique_ptr<DeviceProvider> provider, const DeviceUse& use = {})
      : provider_(std::move(provider)), use_(use) {}

  [[nodiscard]] const std::vector<gpu::DeviceInfo>& list();
  [[nodiscard]] std::vector<DeviceId> ids();

  /// Indices of the wanted devices, each once. A wish is `none`, `all`, or a list with commas of indices and parts of
  /// names; each part of a name is the first such device that is not wanted yet. Without a wish it is the device called
  /// `tuned_on`, else the first GPU, else the first device, else none.
  ///
  /// Errors:  UserError listing what exists
  [[nodiscard]] std::vector<int> choose(const std::optional<std::string>& wish, const std::string& tuned_on = {});

  /// The management thread of a device.
  ///
  /// Pre:     0 <= index < list().size()
  /// Errors:  DeviceError if it does not open
  [[nodiscard]] gpu::Manager& manager(int index);
  /// The same for several. A device that does not open is one warning, and left out.
  [[nodiscard]] gpu::ManagerSet open(const std::vector<int>& indices);

  /// A description of the devices for people, one line per device.
  [[nodiscard]] std::string describe();

 private:
  /// Index of the device that a part of a wish names, which is none of `taken`. Errors: as choose
  [[nodiscard]] int device_of(const std::string& wish, const std::string& part, const std::vector<int>& taken);
  /// Throws the error that a wish cannot be met.
  [[noreturn]] void refuse(const std::string& wish, const std::string& why);

  std::unique_ptr<DeviceProvider> provider_;
  DeviceUse use_;
  std::optional<std::vector<gpu::DeviceInfo>> list_;
  std::vector<std::unique_ptr<gpu::Manager>> managers_;
};

}  // namespace pbrt
