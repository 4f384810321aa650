// SPDX-License-Identifier: MIT
#include "runtime/config/formats/device_costs_json.h"

namespace pbrt::json {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 60;

}  // namespace

Json device_costs_to_json(const DeviceCosts& costs) {
  return {{"launches", costs.launches},
          {"bytes_to_device", costs.bytes_to_device},
          {"bytes_to_host", costs.bytes_to_host},
          {"kernel_ns", number_to_json(costs.kernel_ns)},
          {"copy_in_ns", number_to_json(costs.copy_in_ns)},
          {"copy_out_ns", number_to_json(costs.copy_out_ns)},
          {"start_ns", number_to_json(costs.start_ns)}};
}

DeviceCosts device_costs_of(const Node& node) {
  DeviceCosts out;
  out.launches = node.integer_or("launches", 0, kMaxCount, 0);
  out.bytes_to_device = node.integer_or("bytes_to_device", 0, kMaxCount, 0);
  out.bytes_to_host = node.integer_or("bytes_to_host", 0, kMaxCount, 0);
  out.kernel_ns = node.number_or("kernel_ns", 0);
  out.copy_in_ns = node.number_or("copy_in_ns", 0);
  out.copy_out_ns = node.number_or("copy_out_ns", 0);
  out.start_ns = node.number_or("start_ns", 0);
  return out;
}

}  // namespace pbrt::json
