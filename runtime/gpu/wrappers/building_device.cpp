// SPDX-License-Identifier: MIT
#include "runtime/gpu/wrappers/building_device.h"

namespace pbrt::gpu {
namespace {

class NoMemory final : public Buffer {
 public:
  explicit NoMemory(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  [[nodiscard]] std::size_t size_bytes() const override { return size_bytes_; }

 private:
  std::size_t size_bytes_;
};

}  // namespace

std::unique_ptr<Buffer> BuildingDevice::allocate(std::size_t size_bytes, void*) {
  return std::make_unique<NoMemory>(size_bytes);
}

}  // namespace pbrt::gpu
