// SPDX-License-Identifier: MIT
#include "runtime/gpu/device.h"

namespace pbrt::gpu {

const char* to_string(DeviceType type) {
  switch (type) {
    case DeviceType::Cpu:
      return "CPU";
    case DeviceType::Gpu:
      return "GPU";
    case DeviceType::Accelerator:
      return "accelerator";
    case DeviceType::Other:
      return "other";
  }
  return "";
}

}  // namespace pbrt::gpu
