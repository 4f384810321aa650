// SPDX-License-Identifier: MIT
// Which kernels of a device computed something else than the CPU (`--verify-device`), what is said of them, and how
// many launches were compared. Owned by the device's manager.
//
// `mutex_` guards the list; a warning is given while it is held, so that each is one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "runtime/gpu/kernel_desc.h"
#include "runtime/gpu/manager/managed_device.h"
#include "runtime/gpu/manager/manager_statistics.h"

namespace pbrt::gpu {

/// Threads: any
class DeviceCheck {
 public:
  /// Pre: both outlive this object
  DeviceCheck(const ManagedDevice& device, ManagerStatistics& statistics) : device_(device), statistics_(statistics) {}

  /// Whether a launch of this kernel computed something else than the CPU.
  [[nodiscard]] bool is_distrusted(const KernelDesc& kernel) const;

  /// Counts a launch whose results are those of the CPU.
  void agreed();
  /// Counts a launch with other results; `difference` names a cell and its values. The kernel is not used any more.
  ///
  /// Errors: UserError if `is_strict`, else one warning for each kernel
  void differed(const KernelDesc& kernel, const std::string& difference, bool is_strict);
  /// Counts a launch whose results were not compared.
  void not_compared();

 private:
  const ManagedDevice& device_;
  ManagerStatistics& statistics_;
  mutable std::mutex mutex_;
  std::vector<const KernelDesc*> distrusted_;
};

}  // namespace pbrt::gpu
