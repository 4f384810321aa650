// SPDX-License-Identifier: MIT
#include "runtime/gpu/check/device_check.h"

#include <algorithm>

#include "runtime/config/errors.h"

namespace pbrt::gpu {

bool DeviceCheck::is_distrusted(const KernelDesc& kernel) const {
  const std::lock_guard lock(mutex_);
  return std::find(distrusted_.begin(), distrusted_.end(), &kernel) != distrusted_.end();
}

void DeviceCheck::agreed() {
  statistics_.count([](DeviceStatistics& s) { ++s.launches_verified; });
}

void DeviceCheck::not_compared() {
  statistics_.count([](DeviceStatistics& s) { ++s.launches_not_verified; });
}

void DeviceCheck::differed(const KernelDesc& kernel, const std::string& difference, bool is_strict) {
  statistics_.count([](DeviceStatistics& s) {
    ++s.launches_verified;
    ++s.launches_differing;
  });
  const std::string rule = kernel.rule.name != nullptr ? kernel.rule.name : kernel.name;
  const std::string version = kernel.rule.version != nullptr ? std::string(" on ") + kernel.rule.version : "";
  const std::string line = "device `" + device_.info().name + "` computed something else than the CPU: " + rule +
                           version + ": " + difference;
  const std::lock_guard lock(mutex_);
  const bool is_new = std::find(distrusted_.begin(), distrusted_.end(), &kernel) == distrusted_.end();
  if (is_new) distrusted_.push_back(&kernel);
  if (is_strict) throw UserError(line + " (--strict)");
  if (is_new) device_.warn(line + "; the CPU does its work from now on");
}

}  // namespace pbrt::gpu
